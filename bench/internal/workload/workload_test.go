package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// sent holds the fields of a batch that a server reads.
type sent struct {
	DistinctID string `json:"distinct_id"`
	SessionID  string `json:"session_id"`
	Events     []struct {
		EventID    string         `json:"event_id"`
		Name       string         `json:"name"`
		OccurredAt int64          `json:"occurred_at"`
		Properties map[string]any `json:"properties"`
	} `json:"events"`
}

func TestBatches(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		plan Plan
		size int // events of a batch
		// share is the minimum share of the busiest of 1,000 users in 10,000 events.
		share float64
		// items is the minimum number of different texts in the events.
		items int
	}{
		{"sessions", Plan{Users: 1000, Names: 50, Days: 3, Start: 1_767_225_600, Count: 10_010}, 20, 0, 1500},
		{"visits", Plan{Users: 1000, Names: 50, Days: 3, Start: 1_767_225_600, Count: 10_010, SessionEvents: 8, Zipf: true}, 8, 0.08, 1500},
		{"long texts", Plan{Users: 1000, Names: 50, Days: 3, Start: 1_767_225_600, Count: 10_010, SessionEvents: 8, Zipf: true, LongTexts: true}, 8, 0.08, 8000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var batch Batch
			ids, sessions, items, users := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]int{}
			events := 0
			for source := New(tc.plan); source.Next(&batch); {
				var got sent
				if err := json.Unmarshal(batch.AppendJSON(nil), &got); err != nil {
					t.Fatal(err)
				}
				if want := min(tc.size, tc.plan.Count-events); len(got.Events) != want {
					t.Fatalf("after %d events: got a batch of %d, want %d", events, len(got.Events), want)
				}
				sessions[got.SessionID] = true
				users[got.DistinctID] += len(got.Events)
				for _, e := range got.Events {
					events++
					ids[e.EventID] = true
					item, _ := e.Properties["item"].(string)
					items[item] = true
					if len(e.Properties) != 5 || e.OccurredAt < tc.plan.Start || e.OccurredAt > tc.plan.Start+3*86400+300 {
						t.Fatalf("got event %+v", e)
					}
				}
			}
			if events != tc.plan.Count || len(ids) != events || len(sessions) != (events+tc.size-1)/tc.size {
				t.Errorf("got %d events, %d ids, %d sessions", events, len(ids), len(sessions))
			}
			most := slices.Max(slices.Collect(maps.Values(users)))
			if len(users) > 1000 || float64(most) < tc.share*float64(events) || len(items) < tc.items {
				t.Errorf("got %d users, of whom one has %d events, and %d items; want a share of %v and %d items", len(users), most, len(items), tc.share, tc.items)
			}
		})
	}
}

func TestSameNumbersMakeTheSameEvents(t *testing.T) {
	t.Parallel()
	bodies := func(seed uint64) (all []string) {
		var batch Batch
		for s := New(Plan{Seed: seed, Users: 10, Names: 5, Days: 1, Count: 100, LongTexts: true}); s.Next(&batch); {
			all = append(all, string(batch.AppendJSON(nil)))
		}
		return all
	}
	if !slices.Equal(bodies(1), bodies(1)) {
		t.Error("the same seed made different events")
	}
	if slices.Equal(bodies(1), bodies(2)) {
		t.Error("different seeds made the same events")
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	for name, unkind := range map[string]bool{"plain": false, "unkind": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			submissions := NewSubmissions(1, unkind)
			contents, longest, once := map[string]bool{}, 0, 0
			for range 5000 {
				body, content := submissions.Log()
				var got struct {
					Level           int
					Content, Source string
				}
				if err := json.Unmarshal(body, &got); err != nil {
					t.Fatalf("%v: %s", err, body)
				}
				if got.Level < 0 || got.Level > 3 || got.Source == "" || got.Content != content || !utf8.ValidString(content) {
					t.Fatalf("got %s with content %q", body, content)
				}
				contents[content], longest = true, max(longest, len(content))
				if strings.Contains(content, OnceText) {
					once++
				}
			}
			if len(contents) != 5000 {
				t.Errorf("got %d different contents, want 5000", len(contents))
			}
			if unkind != (longest > 3000) || longest > 4096 || unkind != (once == 0) || once > 1 {
				t.Errorf("the longest content has %d bytes, %d have %s", longest, once, OnceText)
			}
		})
	}
}

func TestSubmissionRequests(t *testing.T) {
	t.Parallel()
	submissions := NewSubmissions(1, false)
	addresses := map[string]bool{}
	for range 100 {
		log, _ := submissions.LogRequest("app")
		for path, text := range map[string][]byte{
			"/api/v1/public/app/logs":      log,
			"/api/v1/public/app/feedbacks": submissions.FeedbackRequest("app"),
		} {
			r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
			if err != nil {
				t.Fatal(err)
			}
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body["content"] == "" || r.URL.Path != path {
				t.Errorf("got %s with body %v, %v; want %s", r.URL, body, err, path)
			}
			addresses[r.Header.Get("X-Forwarded-For")] = true
		}
	}
	if len(addresses) < 190 {
		t.Errorf("200 requests are from %d addresses", len(addresses))
	}
}
