package api_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/store"
)

// withExactBytes bounds the text that a search looks into to know its total.
func withExactBytes(n int64) option { return func(o *options) { o.store.ExactBytes = n } }

// TestSearchEstimate holds that a total which is an upper bound says so, and
// that no other one does. 10,000 records are always looked into.
func TestSearchEstimate(t *testing.T) {
	t.Parallel()
	s := newServer(t, quickly(), withExactBytes(1))
	s.project(t, "app")
	const records, looked, left = 40*256 + 512, 40 * 256, 512 // 40 blocks are more than 10,000 records
	p, err := s.db.FindProject("app")
	if err != nil {
		t.Fatal(err)
	}
	err = s.db.Update(func(tx *store.Tx) error {
		for i := range records {
			content := fmt.Sprint("line ", i%2)
			if i == records-1 {
				content = "newest of all"
			}
			if err := tx.AddLog(p.ID, &store.Log{Content: content, Level: i % 2}); err != nil {
				return err
			}
			if err := tx.AddFeedback(p.ID, &store.Feedback{Content: content}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	logs, feedback, all := logsOf("app")+"?limit=1&", feedbackOf("app")+"?limit=1&", "/admin/search?limit=1&"
	for _, tc := range []struct {
		name, path string
		total      int
		estimate   bool
	}{
		{"logs: what is left counts as if it matched", logs + "search=newest", 1 + left, true},
		{"logs: words in any order", logs + "search=all+newest", 1 + left, true},
		{"logs: half of them match", logs + "search=line+0", looked/2 + left, true},
		{"logs: found nowhere", logs + "search=nowhere", 0, false},
		{"logs: no search", logs, records, false},
		{"logs: less than 10,000 pass the filter", logs + "level=0&search=line+0", records / 2, false},
		{"logs: the page begins behind what was looked into", logs + "offset=" + fmt.Sprint(looked) + "&search=line", records - 1, false},
		{"feedback: what is left counts as if it matched", feedback + "search=newest", 1 + left, true},
		{"feedback: found nowhere", feedback + "search=nowhere", 0, false},
		{"everything: logs alone", all + "kind=log&q=newest", 1 + left, true},
		{"everything: logs and feedback", all + "q=newest", 2 + 2*left, true},
		{"everything: found nowhere", all + "q=nowhere", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			answer := s.must(t, 200, "GET", tc.path, "")
			if total := field[int](t, answer, "total"); total != tc.total {
				t.Errorf("got a total of %d, want %d", total, tc.total)
			}
			if estimate := strings.Contains(answer, `"total_is_estimate":true`); estimate != tc.estimate || !estimate && strings.Contains(answer, "total_is_estimate") {
				t.Errorf("got %.200s, want an estimate: %t", answer, tc.estimate)
			}
		})
	}
}
