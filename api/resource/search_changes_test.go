package resource_test

import (
	"fmt"
	"slices"
	"testing"

	"svc/api/apitest"
	"svc/store"
)

// TestSearchAfterChanges checks that a record that has been edited is found by its new text
// immediately, and that an edited or deleted record is never found by its old text. The test covers
// complete blocks, the incomplete last block, indexed records, and records that are not indexed.
func TestSearchAfterChanges(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]apitest.Option{"without an index": {}, "with an index": {apitest.WithIndex()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, options...)
			s.Project(t, "app")
			for _, block := range []string{"complete", "last"} {
				old, fresh := "old text in the "+block+" block", "fresh text in the "+block+" block"
				project := create(t, s, "/admin/projects", fmt.Sprintf(`{"project_key":"p-%s","name":"n","author":%q}`, block, old))
				version := create(t, s, apitest.VersionsOf("app"), fmt.Sprintf(`{"version":%q,"comparable_version":"1","title":%[1]q}`, old))
				announcement := s.Announce(t, "app", apitest.Titled(old, ""))
				feedback := create(t, s, "/public/app/feedbacks", fmt.Sprintf(`{"content":%q}`, old))
				if block == "complete" {
					fill(t, s, "app", 300)
					if s.Index != nil {
						reindex(t, s)
					}
				}
				things := []struct{ list, one, body, edit string }{
					{"/admin/projects", "/admin/projects/" + project, "", `{"author":%q}`},
					{apitest.VersionsOf("app"), apitest.VersionsOf("app") + "/" + version, "", `{"version":%q,"title":%[1]q,"comparable_version":"1"}`},
					{apitest.AnnouncementsOf("app"), apitest.AnnouncementsOf("app") + "/" + announcement, "", `{"title":%q}`},
					{feedbackOf("app"), feedbackOf("app") + "/" + feedback, "", `{"content":%q}`},
				}
				count := func(step, text string, want int) {
					t.Helper()
					for _, thing := range things {
						if got := found(t, s, thing.list, "search", text); len(got) != want {
							t.Errorf("%s, %s block: %q in %s: got %v, want %d", step, block, text, thing.list, got, want)
						}
					}
					if got := found(t, s, "/admin/search", "q", text); len(got) != want*len(things) {
						t.Errorf("%s, %s block: %q across everything: got %v, want %d", step, block, text, got, want*len(things))
					}
				}
				count("written", old, 1)
				for _, thing := range things {
					s.Must(t, 200, "PATCH", thing.one, fmt.Sprintf(thing.edit, fresh))
				}
				count("edited", old, 0)
				count("edited", fresh, 1)
				if s.Index != nil {
					reindex(t, s)
				}
				count("edited and indexed", old, 0)
				count("edited and indexed", fresh, 1)
				for _, thing := range things {
					s.Must(t, 200, "DELETE", thing.one, "")
				}
				count("deleted", fresh, 0)
				if s.Index != nil {
					reindex(t, s)
				}
				count("deleted and indexed", fresh, 0)
				count("deleted and indexed", old, 0)
			}
		})
	}
}

// TestSearchHidden checks that hidden records are only found if the query includes hidden records.
func TestSearchHidden(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex())
	s.Project(t, "app")
	feedback := create(t, s, feedbackOf("app"), `{"content":"veiled words","is_hidden":true}`)
	log := create(t, s, apitest.LogsOf("app"), `{"level":0,"content":"veiled words","is_hidden":true}`)
	announcement := s.Announce(t, "app", apitest.Titled("veiled words", `,"is_hidden":true`))
	look := func(step, query string, hidden, shown int) {
		t.Helper()
		for _, list := range []string{feedbackOf("app") + "?", apitest.LogsOf("app") + "?"} {
			for more, want := range map[string]int{"": shown, "&include_hidden=false": shown, "&include_hidden=true": hidden + shown} {
				answer := s.Must(t, 200, "GET", list+"search="+query+more, "")
				if got := apitest.Field[int](t, answer, "total"); got != want || len(listed(t, answer, "id")) != want {
					t.Errorf("%s: %ssearch=%s%s: got %s, want %d", step, list, query, more, answer, want)
				}
			}
		}
		if _, answer := s.Ask(t, "GET", "/public/app/announcements?search="+query, ""); apitest.Field[int](t, answer, "total") != shown {
			t.Errorf("%s: in public: got %s, want %d", step, answer, shown)
		}
		for more, want := range map[string]int{"": 3 * shown, "&include_hidden=0": 3 * shown, "&include_hidden=1": 3 * (hidden + shown)} {
			answer := s.Must(t, 200, "GET", "/admin/search?q="+query+more, "")
			if got := apitest.Field[int](t, answer, "total"); got != want || len(listed(t, answer, "id")) != want {
				t.Errorf("%s: across everything with %q: got %s, want %d", step, more, answer, want)
			}
		}
	}
	look("hidden", "veiled%20words", 1, 0)
	look("hidden, words in another order", "words%20veiled", 1, 0)
	fill(t, s, "app", 300)
	reindex(t, s)
	look("hidden, in complete blocks", "veiled%20words", 1, 0)
	// If only hidden records contain the phrase, a search that excludes them must search for its
	// words instead.
	create(t, s, feedbackOf("app"), `{"content":"words, unveiled"}`)
	create(t, s, apitest.LogsOf("app"), `{"level":0,"content":"words, unveiled"}`)
	s.Announce(t, "app", apitest.Titled("words, unveiled", ""))
	for _, path := range []string{feedbackOf("app") + "?search=", apitest.LogsOf("app") + "?search=", "/public/app/announcements?search="} {
		if _, answer := s.Ask(t, "GET", path+"veiled%20words", ""); apitest.Field[int](t, answer, "total") != 1 {
			t.Errorf("%s: got %s, want the one that is not hidden", path, answer)
		}
	}
	s.Must(t, 200, "PATCH", feedbackOf("app")+"/"+feedback, `{"is_hidden":false}`)
	s.Must(t, 200, "PATCH", apitest.LogsOf("app")+"/"+log, `{"is_hidden":false}`)
	s.Must(t, 200, "PATCH", apitest.AnnouncementsOf("app")+"/"+announcement, `{"is_hidden":false}`)
	look("shown", "veiled%20words", 0, 1)
}

// TestSearchTotals checks that totals are correct in combination with filters, and that consecutive
// pages neither overlap nor omit records.
func TestSearchTotals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex())
	s.Project(t, "app")
	const many = 700
	var logs []*store.Log
	var want []string
	for i := range many {
		l := &store.Log{Content: fmt.Sprintf("line %d", i), Level: i % 4, Hidden: i%5 == 0}
		if i%3 == 0 {
			l.Content = fmt.Sprintf("timeout of socket %d", i)
		}
		if i%3 == 0 && i%4 == 1 && i%5 != 0 {
			want = append(want, l.Content)
		}
		logs = append(logs, l)
	}
	slices.Reverse(want)
	storeLogs(t, s, "app", logs...)
	reindex(t, s)
	for offset := 0; offset <= len(want)+10; offset += 7 {
		for _, query := range []string{"TIMEOUT%20of", "timeout", "socket%20timeout", "t"} {
			answer := s.Must(t, 200, "GET", fmt.Sprintf("%s?level=1&search=%s&limit=7&offset=%d", apitest.LogsOf("app"), query, offset), "")
			page := want[min(offset, len(want)):min(offset+7, len(want))]
			if got := listed(t, answer, "content"); !slices.Equal(got, page) || apitest.Field[int](t, answer, "total") != len(want) {
				t.Fatalf("%s from %d: got %v of %d, want %v of %d", query, offset, got, apitest.Field[int](t, answer, "total"), page, len(want))
			}
		}
	}
}
