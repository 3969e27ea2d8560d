package resource_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/platform"
	"svc/store"
)

// storeFeedback stores feedback like a submission, but with the given values for fields that the
// server sets otherwise.
func storeFeedback(t testing.TB, s *apitest.Server, key string, all ...*store.Feedback) {
	t.Helper()
	p, err := s.DB.FindProject(key)
	if err != nil {
		t.Fatal(err)
	}
	for some := range slices.Chunk(all, 100) {
		err := s.DB.Submit(func(tx *store.Tx) error {
			for _, f := range some {
				if err := tx.AddFeedback(p.ID, f); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// storeLogs is the counterpart of storeFeedback for logs.
func storeLogs(t testing.TB, s *apitest.Server, key string, all ...*store.Log) {
	t.Helper()
	p, err := s.DB.FindProject(key)
	if err != nil {
		t.Fatal(err)
	}
	for some := range slices.Chunk(all, 100) {
		err := s.DB.Submit(func(tx *store.Tx) error {
			for _, l := range some {
				if err := tx.AddLog(p.ID, l); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestFeedbackList(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Project(t, "other")
	create(t, s, feedbackOf("other"), `{"content":"of another project"}`)
	list := feedbackOf("app")
	for _, body := range []string{
		`{"content":"a","rating":1,"platform":"windows","status":"open"}`,
		`{"content":"b","rating":5,"platform":"windows","status":"closed","is_hidden":true}`,
		`{"content":"c","rating":5,"platform":"linux","status":"in_progress"}`,
		`{"content":"d","platform":"others","status":"resolved"}`,
		`{"content":"e","rating":5,"status":"closed"}`,
		`{"content":"f","rating":3,"platform":"web","is_hidden":true}`,
	} {
		create(t, s, list, body)
	}
	for _, tc := range []struct{ name, query, want string }{
		{"newest first, hidden ones left out", "", "e d c a"},
		{"hidden ones included", "include_hidden=true", "f e d c b a"},
		{"as 1", "include_hidden=1", "f e d c b a"},
		{"not included", "include_hidden=false", "e d c a"},
		{"as 0", "include_hidden=0", "e d c a"},
		{"empty is no condition", "include_hidden=&status=&platform=&search=", "e d c a"},
		{"a platform, exactly", "platform=windows", "a"},
		{"in any case and with blanks", "platform=%20Windows%20&include_hidden=1", "b a"},
		{"others is one of them", "platform=others", "d"},
		{"no platform is none of them", "platform=macos&include_hidden=1", ""},
		{"a rating", "rating=5", "e c"},
		{"a rating nobody gave", "rating=2", ""},
		{"a state", "status=open", "a"},
		{"another state", "status=in_progress", "c"},
		{"a third", "status=resolved", "d"},
		{"the last", "status=closed&include_hidden=1", "e b"},
		{"all conditions together", "status=closed&rating=5&platform=windows&include_hidden=1&search=B", "b"},
		{"together to the last", "status=closed&rating=5&platform=windows&search=b", ""},
		{"a page of what passed", "include_hidden=1&limit=2&offset=3", "c b"},
		{"the last page", "include_hidden=1&limit=4&offset=4", "b a"},
		{"beyond the end", "offset=4", ""},
		{"far beyond it", "offset=9007199254740992", ""},
		{"unknown parameters are ignored", "is_hidden=true&level=3&start_time=x&colour=red", "e d c a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, answer := s.Ask(t, "GET", list+"?"+tc.query, "")
			if got := strings.Join(listed(t, answer, "content"), " "); status != 200 || got != tc.want {
				t.Errorf("got %d %q, want %q", status, got, tc.want)
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"total counts what passed", "GET", list + "?include_hidden=1&rating=5&limit=1&offset=1", "", 200, `{"total":3,"data":[{"content":"c"}]}`},
		{"total beyond the end", "GET", list + "?offset=99", "", 200, `{"total":4,"data":[]}`},
	})
	for _, bad := range []struct{ query, message string }{
		{"rating=0", "rating must be an integer of at least 1"},
		{"rating=6", "rating must be an integer of at most 5"},
		{"rating=", "rating must be an integer"},
		{"rating=x", "rating must be an integer"},
		{"rating=4.5", "rating must be an integer"},
		{"status=done", "status must be one of open, in_progress, resolved, closed"},
		{"status=Open", "status must be one of"},
		{"platform=beos", "platform must be one of"},
		{"platform=windows%2011", "platform must be one of"},
		{"include_hidden=yes", "include_hidden must be true, 1, false or 0"},
		{"include_hidden=%20", "include_hidden must be"},
		{"limit=0", "limit must be an integer of at least 1"},
		{"limit=101", "limit must be an integer of at most 100"},
		{"offset=-1", "offset must be an integer of at least 0"},
		{"search=" + apitest.Long(129), "search must have at most 128 characters"},
		{"rating=9&status=x&limit=0", "limit must be"},
	} {
		status, answer := s.Ask(t, "GET", list+"?"+bad.query, "")
		if status != 400 || !strings.Contains(apitest.Message(t, answer), bad.message) {
			t.Errorf("%.40s: got %d %s, want 400 with %q", bad.query, status, answer, bad.message)
		}
	}
}

func TestLogList(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Project(t, "other")
	create(t, s, apitest.LogsOf("other"), `{"level":3,"content":"of another project"}`)
	list := apitest.LogsOf("app")
	var at, last []int64 // creation times of a log and of a similar one, mostly in the same second
	for _, body := range []string{
		`{"level":0,"content":"a","platform":"windows"}`,
		`{"level":3,"content":"b","platform":"windows","is_hidden":true}`,
		`{"level":3,"content":"c","platform":"linux"}`,
		`{"level":1,"content":"d"}`,
		`{"level":2,"content":"e","platform":"others"}`,
	} {
		at = append(at, apitest.Field[int64](t, s.Must(t, 201, "POST", list, body), "created_at"))
		twin := s.Must(t, 201, "POST", list, strings.NewReplacer(`"content":"`, `"content":"twin-`).Replace(body))
		last = append(last, apitest.Field[int64](t, twin, "created_at"))
		s.Clock.Advance(10e9)
	}
	if at[1]-at[0] < 9 {
		t.Fatalf("created at %v, want steps of 10 s", at)
	}
	between := func(from, to int64) string { return fmt.Sprintf("start_time=%d&end_time=%d", from, to) }
	for _, tc := range []struct{ name, query, want string }{
		{"newest first, hidden ones left out", "", "e d c a"},
		{"hidden ones included", "include_hidden=true", "e d c b a"},
		{"a level", "level=3", "c"},
		{"the least level", "level=0", "a"},
		{"a level with hidden ones", "level=3&include_hidden=1", "c b"},
		{"a platform, exactly", "platform=WINDOWS&include_hidden=1", "b a"},
		{"others is one of them", "platform=others", "e"},
		{"from a second on, itself included", fmt.Sprintf("start_time=%d", at[2]), "e d c"},
		{"from the next second on", fmt.Sprintf("start_time=%d", at[2]+5), "e d"},
		{"up to a second, itself included", fmt.Sprintf("end_time=%d", last[2]), "c a"},
		{"up to the second before", fmt.Sprintf("end_time=%d", at[2]-1), "a"},
		{"one second", between(at[1], last[1]) + "&include_hidden=1", "b"},
		{"from one to another", between(at[1], last[3]), "d c"},
		{"before everything", between(0, at[0]-1), ""},
		{"after everything", between(at[4]+5, at[4]+500), ""},
		{"all of time", between(0, 9223372036854775807), "e d c a"},
		{"nearly all of time", between(1, 9223372036854775806), "e d c a"},
		{"all conditions together", between(at[1], last[2]) + "&level=3&platform=linux&search=C", "c"},
		{"together to the last", between(at[1], last[2]) + "&level=3&platform=windows&search=b", ""},
		{"unknown parameters are ignored", "rating=x&status=x", "e d c a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, answer := s.Ask(t, "GET", list+"?"+tc.query, "")
			var wanted []string // each log comes after the similar one, which was created later
			for name := range strings.FieldsSeq(tc.want) {
				wanted = append(wanted, "twin-"+name, name)
			}
			if got := strings.Join(listed(t, answer, "content"), " "); status != 200 || got != strings.Join(wanted, " ") || apitest.Field[int](t, answer, "total") != len(wanted) {
				t.Errorf("got %d %q of %d, want %q", status, got, apitest.Field[int](t, answer, "total"), wanted)
			}
		})
	}
	for _, bad := range []struct{ query, message string }{
		{"level=4", "level must be an integer of at most 3"},
		{"level=-1", "level must be an integer of at least 0"},
		{"level=", "level must be an integer"},
		{"level=ERROR", "level must be an integer"},
		{"start_time=-1", "start_time must be an integer of at least 0"},
		{"start_time=", "start_time must be an integer"},
		{"end_time=", "end_time must be an integer"},
		{"end_time=2026-01-01", "end_time must be an integer"},
		{"end_time=1.5", "end_time must be an integer"},
		{"end_time=9223372036854775808", "end_time must be an integer"},
		{"start_time=2&end_time=1", "start_time must not be after end_time"},
		{"platform=beos", "platform must be one of"},
		{"include_hidden=2", "include_hidden must be true, 1, false or 0"},
		{"limit=x", "limit must be an integer"},
		{"offset=", "offset must be an integer"},
		{"search=" + apitest.Long(129), "search must have at most 128 characters"},
	} {
		status, answer := s.Ask(t, "GET", list+"?"+bad.query, "")
		if status != 400 || !strings.Contains(apitest.Message(t, answer), bad.message) {
			t.Errorf("%.40s: got %d %s, want 400 with %q", bad.query, status, answer, bad.message)
		}
	}
}

// TestDeepPages checks pages at any depth of lists that consist of several blocks, the last of them
// incomplete. It covers lists with and without filters, and lists in which records have been
// deleted or hidden.
func TestDeepPages(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const many = 9*256 + 57
	var feedback []*store.Feedback
	var logs []*store.Log
	platforms := []platform.Platform{platform.Windows, platform.Linux, platform.Web}
	for i := range many {
		stars, on := i%5+1, platforms[i%3]
		feedback = append(feedback, &store.Feedback{Content: fmt.Sprint(i), Rating: &stars, Platform: &on, Hidden: i%7 == 0})
		logs = append(logs, &store.Log{Content: fmt.Sprint(i), Level: i % 4, Platform: &on, Hidden: i%7 == 0})
	}
	storeFeedback(t, s, "app", feedback...)
	storeLogs(t, s, "app", logs...)
	gone := map[int]bool{}
	for _, i := range []int{0, 255, 256, 257, 700, 701, 702, many - 1, many - 300} {
		s.Must(t, 200, "DELETE", feedbackOf("app")+"/"+feedback[i].ID.String(), "")
		gone[i] = true
	}
	for _, list := range []struct {
		path, query string
		has         func(i int) bool
	}{
		{apitest.LogsOf("app"), "include_hidden=1", func(int) bool { return true }},
		{apitest.LogsOf("app"), "", func(i int) bool { return i%7 != 0 }},
		{apitest.LogsOf("app"), "level=2&platform=linux&include_hidden=1", func(i int) bool { return i%4 == 2 && i%3 == 1 }},
		{apitest.LogsOf("app"), "level=3&search=9", func(i int) bool { return i%4 == 3 && i%7 != 0 && strings.Contains(fmt.Sprint(i), "9") }},
		{feedbackOf("app"), "include_hidden=1", func(i int) bool { return !gone[i] }},
		{feedbackOf("app"), "rating=1&platform=web", func(i int) bool { return !gone[i] && i%5 == 0 && i%3 == 2 && i%7 != 0 }},
		{feedbackOf("app"), "search=25&include_hidden=1", func(i int) bool { return !gone[i] && strings.Contains(fmt.Sprint(i), "25") }},
	} {
		var want []string
		for i := many - 1; i >= 0; i-- {
			if list.has(i) {
				want = append(want, fmt.Sprint(i))
			}
		}
		for _, offset := range []int{0, 1, 56, 57, 58, 255, 256, 257, 313, 511, 1000, len(want) - 101, len(want) - 100, len(want) - 1, len(want), many} {
			if offset < 0 {
				continue
			}
			path := fmt.Sprintf("%s?%s&limit=100&offset=%d", list.path, list.query, offset)
			answer := s.Must(t, 200, "GET", path, "")
			page := want[min(offset, len(want)):min(offset+100, len(want))]
			if got := listed(t, answer, "content"); strings.Join(got, " ") != strings.Join(page, " ") || apitest.Field[int](t, answer, "total") != len(want) {
				t.Errorf("%s: got %v of %d, want %v of %d", path, got, apitest.Field[int](t, answer, "total"), page, len(want))
			}
		}
	}
}
