package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/testutil"
	"svc/store"
)

// withExactBytes sets the maximum size in bytes of the text that a search scans to determine an
// exact total.
func withExactBytes(n int64) apitest.Option {
	return func(o *apitest.Options) { o.Store.ExactBytes = n }
}

// TestSearchEstimate checks that a total is marked as an estimate if it is only an upper bound, and
// not marked if it is exact. A search must always scan at least 10,000 records.
func TestSearchEstimate(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, withExactBytes(1))
	s.Project(t, "app")
	const records, looked, left = 40*256 + 512, 40 * 256, 512 // looked is the number of scanned records: 40 blocks are more than 10,000 records
	p, err := s.DB.FindProject("app")
	if err != nil {
		t.Fatal(err)
	}
	err = s.DB.Update(func(tx *store.Tx) error {
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
	logs, feedback, all := apitest.LogsOf("app")+"?limit=1&", feedbackOf("app")+"?limit=1&", "/admin/search?limit=1&"
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
			answer := s.Must(t, 200, "GET", tc.path, "")
			if total := apitest.Field[int](t, answer, "total"); total != tc.total {
				t.Errorf("got a total of %d, want %d", total, tc.total)
			}
			if estimate := strings.Contains(answer, `"total_is_estimate":true`); estimate != tc.estimate || !estimate && strings.Contains(answer, "total_is_estimate") {
				t.Errorf("got %.200s, want an estimate: %t", answer, tc.estimate)
			}
		})
	}
}

// TestSearchOfManyRecords checks that a search across all kinds of records scans announcements in
// batches, like logs. It must stop soon after the page is full.
func TestSearchOfManyRecords(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const records, looked = 12_000, 10_000
	p, err := s.DB.FindProject("app")
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < records; from += 1000 {
		s.Clock.Advance(1e9)
		err := s.DB.Update(func(tx *store.Tx) error {
			for i := from; i < from+1000; i++ {
				content := fmt.Sprint("half ", i%2)
				if i == 0 || i == records-1 {
					content = "both ends"
				}
				if err := tx.PutAnnouncement(p.ID, &store.Announcement{Title: fmt.Sprint("no. ", i), Content: content, Hidden: i == records-2}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		query    string
		total    int
		estimate bool
		newest   int
	}{
		{"limit=1&q=ends", 1 + records - looked, true, records - 1},
		{"limit=2&q=ends", 2, false, records - 1},
		{"limit=100&q=half+1", looked/2 - 1 + records - looked, true, records - 3},
		{"limit=3&q=half+0", looked/2 - 1 + records - looked, true, records - 4},
		{"limit=3&q=half+0&include_hidden=1", looked/2 + records - looked, true, records - 2},
		{"q=nowhere", 0, false, -1},
	} {
		answer := s.Must(t, 200, "GET", "/admin/search?kind=announcement&"+tc.query, "")
		if total, estimate := apitest.Field[int](t, answer, "total"), strings.Contains(answer, `"total_is_estimate":true`); total != tc.total || estimate != tc.estimate {
			t.Errorf("%s: got a total of %d, an estimate: %t; want %d, %t", tc.query, total, estimate, tc.total, tc.estimate)
		}
		data := apitest.Field[[]map[string]any](t, answer, "data")
		if tc.newest >= 0 && (len(data) == 0 || data[0]["title"] != fmt.Sprint("no. ", tc.newest)) {
			t.Errorf("%s: got %v, want no. %d first", tc.query, data[:min(1, len(data))], tc.newest)
		}
	}
}
