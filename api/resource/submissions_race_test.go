package resource_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/api/apitest"
)

// TestSubmissionsAtOnce checks that every acknowledged submission is stored exactly once,
// regardless of concurrent submissions and changes by administrators.
func TestSubmissionsAtOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex(), apitest.WithRateLimit(0))
	s.Project(t, "app")
	const clients, each = 8, 60
	var lock sync.Mutex
	sent, deleted := map[string][]string{}, map[string]bool{}
	var working sync.WaitGroup
	for client := range clients {
		working.Go(func() {
			for i := range each {
				for kind, body := range map[string]string{"feedbacks": `{"content":"%d-of-%d"}`, "logs": `{"level":1,"content":"%d-of-%d"}`} {
					status, answer := s.Ask(t, "POST", "/public/app/"+kind, fmt.Sprintf(body, i, client))
					if status != 201 {
						t.Errorf("%s: got %d %s, want 201", kind, status, answer)
						return
					}
					id := apitest.Field[string](t, answer, "id")
					lock.Lock()
					sent[kind] = append(sent[kind], id)
					lock.Unlock()
					if kind == "feedbacks" && i%10 == client {
						s.Must(t, 200, "DELETE", "/admin/feedbacks/"+id, "")
						lock.Lock()
						deleted[id] = true
						lock.Unlock()
					}
				}
				query := fmt.Sprintf("?include_hidden=1&limit=5&offset=%d&search=-of-%d", i, client)
				for _, list := range []string{feedbackOf("app"), apitest.LogsOf("app")} {
					if total := apitest.Field[int](t, s.Must(t, 200, "GET", list+query, ""), "total"); total > i+1 || total < i*8/10 {
						t.Errorf("%s%s: total is %d after %d", list, query, total, i+1)
					}
				}
			}
		})
	}
	working.Wait()
	for kind, ids := range sent {
		want := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return deleted[id] })
		var got []string
		for offset := 0; offset < len(want)+100; offset += 100 {
			answer := s.Must(t, 200, "GET", fmt.Sprintf("/admin/projects/app/%s?limit=100&offset=%d", kind, offset), "")
			if total := apitest.Field[int](t, answer, "total"); total != len(want) {
				t.Errorf("%s: total is %d, want %d", kind, total, len(want))
			}
			got = append(got, listed(t, answer, "id")...)
		}
		if !slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("%s: the list is not newest first", kind)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d records of %d acknowledged ones", kind, len(got), len(want))
		}
	}
}

// TestSubmissionsWhileProjectGoes checks that a project can be deleted, created again and renamed
// while clients are sending submissions to it.
func TestSubmissionsWhileProjectGoes(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex(), apitest.WithRateLimit(0))
	s.Project(t, "app")
	stop := make(chan struct{})
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				for _, r := range []struct{ method, path, body string }{
					{"POST", "/public/app/feedbacks", fmt.Sprintf(`{"content":"%d"}`, i)},
					{"POST", "/public/app/logs", fmt.Sprintf(`{"level":1,"content":"%d"}`, i)},
					{"POST", apitest.AnnouncementsOf("app"), apitest.Titled("t", "")},
					{"GET", feedbackOf("app") + "?search=1", ""},
					{"GET", apitest.LogsOf("app") + "?level=1", ""},
					{"GET", "/public/app/announcements", ""},
					{"GET", "/admin/projects/app/stats/logs", ""},
					{"GET", "/admin/search?q=1", ""},
				} {
					if status, answer := s.Ask(t, r.method, r.path, r.body); status != 200 && status != 201 && status != 404 {
						t.Errorf("%s %s: got %d %s, want 200, 201 or 404", r.method, r.path, status, answer)
					}
				}
			}
		})
	}
	for range 25 {
		s.Must(t, 200, "DELETE", "/admin/projects/app", "")
		if err := s.DB.Purge(); err != nil {
			t.Error(err)
		}
		s.Project(t, "app")
		s.Must(t, 200, "PATCH", "/admin/projects/app", `{"project_key":"new"}`)
		s.Must(t, 200, "PATCH", "/admin/projects/new", `{"project_key":"app"}`)
	}
	close(stop)
	working.Wait()
	for kind, totals := range map[string]string{"feedbacks": feedbackTotals, "logs": logTotals} {
		listed := apitest.Field[int](t, s.Must(t, 200, "GET", "/admin/projects/app/"+kind, ""), "total")
		if counted := apitest.Field[int](t, s.Must(t, 200, "GET", totals, ""), "count"); counted != listed {
			t.Errorf("%s: statistics count %d, the list has %d", kind, counted, listed)
		}
	}
}
