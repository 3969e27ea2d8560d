package resource_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/platform"
	"svc/store"
)

// logsKey returns an API key. Unlike a login, it stays valid when the test advances the clock.
func logsKey(t *testing.T, s *apitest.Server) string {
	t.Helper()
	return s.Key(t, `{"name":"x","scopes":["logs:read"],"never_expires":true}`)
}

// readSeries requests a path with an API key and returns the response.
func readSeries(t *testing.T, s *apitest.Server, key, path string) string {
	t.Helper()
	status, body, _ := s.Do(t, "GET", "/admin/projects/a/"+path, key, "")
	if status != 200 {
		t.Fatalf("%s: got %d %s", path, status, body)
	}
	return body
}

// TestLogSeries checks the counts of logs by hour and day, with each filter of the list.
func TestLogSeries(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "a")
	s.Project(t, "b")
	key := logsKey(t, s)
	start := s.Clock.Now().Unix()/apitest.Day*apitest.Day + apitest.Day // the next midnight in UTC
	linux := platform.Linux
	add := func(at int64, logs ...*store.Log) {
		s.Clock.Advance(time.Unix(start+at, 0).Sub(s.Clock.Now()))
		storeLogs(t, s, "a", logs...)
	}
	add(0, &store.Log{Level: 3, Content: "disk full"}, &store.Log{Level: 1, Content: "started", Platform: &linux})
	add(3599, &store.Log{Level: 3, Content: "disk slow", Hidden: true})
	add(3600, &store.Log{Level: 0, Content: "disk ok"})
	add(apitest.Day, &store.Log{Level: 3, Content: "disk full"})
	storeLogs(t, s, "b", &store.Log{Level: 3, Content: "disk full"})

	for _, tc := range []struct {
		query string
		want  string // for each bucket with logs: its start in hours after the beginning, all logs, and errors
	}{
		{"", "0:2,1 1:1,0"},
		{"&include_hidden=true", "0:3,2 1:1,0"},
		{"&level=3", "0:1,1"},
		{"&level=3&include_hidden=1", "0:2,2"},
		{"&platform=linux", "0:1,0"},
		{"&search=disk", "0:1,1 1:1,0"},
		{"&search=disk&level=0", "1:1,0"},
		{"&search=nothing", ""},
		{"&interval=day", "0:3,1 24:1,1"},
		{"&interval=day&tz_offset_minutes=-60", "-23:2,1 1:2,1"},
	} {
		end := start + 7200
		if strings.Contains(tc.query, "day") {
			end = start + apitest.Day
		}
		body := readSeries(t, s, key, fmt.Sprintf("logs/timeseries?start_time=%d&end_time=%d%s", start, end, tc.query))
		var got struct {
			Truncated bool
			Data      []struct {
				Time   int64
				Total  int
				Levels map[string]int
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, b := range got.Data {
			if b.Total > 0 {
				words = append(words, fmt.Sprintf("%d:%d,%d", (b.Time-start)/3600, b.Total, b.Levels["3"]))
			}
		}
		if line := strings.Join(words, " "); line != tc.want || got.Truncated {
			t.Errorf("%s: got %s (truncated %v), want %s", tc.query, line, got.Truncated, tc.want)
		}
	}
}

// TestLogSeriesOfManyLogs checks counts over several blocks, some of them pruned, against the list.
func TestLogSeriesOfManyLogs(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "a")
	key := logsKey(t, s)
	start := s.Clock.Now().Unix()/3600*3600 + 3600
	const hours, perHour = 12, 130
	for hour := range hours {
		s.Clock.Advance(time.Unix(start+int64(hour)*3600+1800, 0).Sub(s.Clock.Now()))
		var logs []*store.Log
		for i := range perHour {
			logs = append(logs, &store.Log{Level: i % 4, Content: fmt.Sprintf("line %d of hour %d", i, hour)})
		}
		storeLogs(t, s, "a", logs...)
	}
	p, err := s.DB.FindProject("a")
	if err != nil {
		t.Fatal(err)
	}
	before := start + 3*3600
	if _, _, err := s.DB.PruneLogs(t.Context(), p.ID, store.LogRange{Before: &before}, false); err != nil {
		t.Fatal(err)
	}
	for _, search := range []string{"", "&search=line"} {
		body := readSeries(t, s, key, fmt.Sprintf("logs/timeseries?start_time=%d&end_time=%d%s", start, start+hours*3600-1, search))
		var got struct {
			Data []struct {
				Total  int
				Levels map[string]int
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Data) != hours {
			t.Fatalf("got %d hours, want %d", len(got.Data), hours)
		}
		for hour, b := range got.Data {
			want := perHour
			if hour < 3 {
				want = 0
			}
			if b.Total != want || b.Levels["0"] != (want+3)/4 {
				t.Errorf("hour %d%s: got %+v, want %d", hour, search, b, want)
			}
		}
	}
}

// TestFeedbackSeries checks the counts and the ratings of feedback by hour.
func TestFeedbackSeries(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "a")
	start := s.Clock.Now().Unix() / 3600 * 3600
	stars := func(n int) *int { return &n }
	storeFeedback(t, s, "a", &store.Feedback{Content: "good", Rating: stars(5)}, &store.Feedback{Content: "bad", Rating: stars(1)},
		&store.Feedback{Content: "hm"}, &store.Feedback{Content: "bad", Rating: stars(2), Status: store.StatusClosed})
	for _, tc := range []struct{ query, want string }{
		{"", `{"time":%d,"count":4,"rating_sum":8,"rating_count":3}`},
		{"&rating=1", `{"time":%d,"count":1,"rating_sum":1,"rating_count":1}`},
		{"&status=open", `{"time":%d,"count":3,"rating_sum":6,"rating_count":2}`},
		{"&search=bad", `{"time":%d,"count":2,"rating_sum":3,"rating_count":2}`},
	} {
		body := s.Must(t, 200, "GET", fmt.Sprintf("/admin/projects/a/feedbacks/timeseries?start_time=%d%s", start, tc.query), "")
		if want := fmt.Sprintf(`"data":[`+tc.want+`]}`, start); !strings.HasSuffix(body, want) {
			t.Errorf("%s: got %s, want it to end in %s", tc.query, body, want)
		}
	}
}

// TestSeriesRefuse checks access to the series of logs and feedback, and the limits of their parameters.
func TestSeriesRefuse(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	s.Project(t, "b")
	right := s.Key(t, `{"name":"x","scopes":["logs:read","feedbacks:read"]}`)
	scopeless := s.Key(t, `{"name":"x","scopes":["projects:read","stats:read"]}`)
	elsewhere := s.Key(t, `{"name":"x","scopes":["logs:read","feedbacks:read"],"project_ids":["b"]}`)
	for _, kind := range []string{"logs", "feedbacks"} {
		for _, tc := range []struct {
			name, credential, project, query string
			status                           int
			message                          string
		}{
			{"no credential", "", "a", "", 401, "credential"},
			{"another scope", scopeless, "a", "", 401, kind + ":read"},
			{"another project", elsewhere, "a", "", 401, "does not reach"},
			{"no such project", right, "nothing", "", 404, "not found"},
			{"an empty project", right, "a", "", 200, `"truncated":false`},
			{"another interval", right, "a", "?interval=week", 400, "interval must be one of hour, day"},
			{"too many hours", right, "a", "?start_time=0&end_time=72000000", 400, "20001 buckets of one hour, at most 20000"},
			{"the wrong order", right, "a", "?start_time=2&end_time=1", 400, "start_time must not be after end_time"},
			{"a wrong filter", right, "a", "?include_hidden=x", 400, "include_hidden must be"},
			{"a search of nothing", right, "a", "?search=x", 200, `"truncated":false`},
		} {
			t.Run(kind+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				status, body, _ := s.Do(t, "GET", "/admin/projects/"+tc.project+"/"+kind+"/timeseries"+tc.query, tc.credential, "")
				if status != tc.status || !strings.Contains(body, tc.message) {
					t.Errorf("got %d %.300s, want %d with %q", status, body, tc.status, tc.message)
				}
			})
		}
	}
}
