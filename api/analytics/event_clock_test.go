package analytics_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
)

// frozen returns a time in whole seconds and an option that stops the server's clock at that time.
func frozen() (time.Time, apitest.Option) {
	at := time.Now().Truncate(time.Second)
	now := func() time.Time { return at }
	return at, func(o *apitest.Options) { o.Config.Now, o.Store.Now = now, now }
}

// TestTimesAreCorrected checks how the server corrects client times. Times in the rows are in
// seconds, relative to the arrival of the request.
func TestTimesAreCorrected(t *testing.T) {
	t.Parallel()
	at, stopped := frozen()
	clock := func(d time.Duration, zone int) string {
		return at.Add(d).In(time.FixedZone("", zone*60)).Format("2006-01-02T15:04:05.999999999-07:00")
	}
	const week, absent = 604800, math.MinInt64
	s := apitest.NewServer(t, stopped, apitest.WithRateLimit(0))
	hour := apitest.NewServer(t, stopped, apitest.WithRateLimit(0), apitest.WithConfig(func(c *api.Config) { c.EventClockSkew = time.Hour }))
	for i, tc := range []struct {
		rule         string
		server       *apitest.Server
		header, body string // time on the client's clock; "" if not sent
		occurred     int64
		want         int64
	}{
		{"without a clock nothing is moved", s, "", "", -100, -100},
		{"no time is the time of arrival", s, "", "", absent, 0},
		{"nor is it moved", s, clock(-2*time.Hour, 0), "", absent, 0},
		{"a clock that is right moves nothing", s, clock(0, 480), "", -100, -100},
		{"two hours slow", s, clock(-2*time.Hour, 480), "", -7200 - 50, -50},
		{"two hours fast", s, clock(2*time.Hour, -420), "", 7200 - 50, -50},
		{"59 seconds are the way of the request", s, clock(-59*time.Second, 0), "", -59, -59},
		{"60 seconds are not", s, clock(-time.Minute, 0), "", -60, 0},
		{"nor are 60 seconds fast", s, clock(time.Minute, 0), "", 60, 0},
		{"59 seconds fast are", s, clock(59*time.Second, 0), "", 59, 59},
		{"59.5 seconds are 60", s, clock(-59500*time.Millisecond, 0), "", -60, 0},
		{"59.4 seconds are 59", s, clock(-59400*time.Millisecond, 0), "", -60, -60},
		{"an offset of 5:45", s, clock(-time.Hour, 345), "", -3600, 0},
		{"an offset that there is not: the header is ignored", s, clock(-time.Hour, 490), "", -3600, -3600},
		{"a date that there is not: no correction", s, "2025-02-30T00:00:00Z", "", -100, -100},
		{"no time at all: no correction", s, "yesterday", "", -100, -100},
		{"no offset: no correction", s, at.Add(-time.Hour).UTC().Format("2006-01-02T15:04:05"), "", -100, -100},

		{"a week ago is believed", s, "", "", -week, -week},
		{"a second more is not", s, "", "", -week - 1, 0},
		{"five minutes ahead are believed", s, "", "", 300, 300},
		{"a second more ahead is not", s, "", "", 301, 0},
		{"a week ago after correction", s, clock(-time.Hour, 0), "", -week - 3600, -week},
		{"a second more after correction", s, clock(-time.Hour, 0), "", -week - 3601, 0},
		{"believable only before correction", s, clock(time.Hour, 0), "", -week, 0},
		{"1970", s, "", "", -at.Unix(), 0},
		{"the end of all numbers", s, clock(-time.Hour, 0), "", math.MaxInt64 - at.Unix(), 0},
		{"the bound is a setting", hour, "", "", -3600, -3600},
		{"a second beyond it", hour, "", "", -3601, 0},

		{"a beacon has its clock in the body", s, "", clock(-2*time.Hour, 0), -7200, 0},
		{"the header wins", s, clock(-time.Hour, 0), clock(-2*time.Hour, 0), -7200, -3600},
		{"also one that cannot be used", s, "yesterday", clock(-2*time.Hour, 0), -7200, -7200},
		{"nonsense in the body never fails", s, "", "yesterday", -100, -100},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			project := fmt.Sprint("p", i)
			tc.server.Project(t, project)
			fields := map[string]any{"distinct_id": "u", "events": []map[string]any{
				{"event_id": "1", "name": "a"}, {"event_id": "2", "name": "a"}, // the correction applies to all events of a batch
			}}
			if tc.occurred != absent {
				for _, e := range fields["events"].([]map[string]any) {
					e["occurred_at"] = at.Unix() + tc.occurred
				}
			}
			if tc.body != "" {
				fields["client_time"] = tc.body
			}
			headers := map[string]string{}
			if tc.header != "" {
				headers["X-Svc-Client-Time"] = tc.header
			}
			body, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			if status, answer, _ := tc.server.Send(t, "POST", "/api/v1/public/"+project+"/events", headers, string(body)); status != http.StatusAccepted {
				t.Fatalf("got %d %s", status, answer)
			}
			occurred, received := at.Unix()+tc.want, at.Unix()
			want := fmt.Sprintf(`{"total":2,"data":[{"occurred_at":%d,"received_at":%d},{"occurred_at":%[1]d,"received_at":%d}]}`, occurred, received)
			if why := apitest.CompareJSON(t, stored(t, tc.server, project, "u"), want); why != "" {
				t.Errorf("%s, from the arrival at %d", why, received)
			}
		})
	}
}

// TestDoNotTrack checks that the events of a client that asks not to be tracked are not stored. The
// request is counted, but without a location.
func TestDoNotTrack(t *testing.T) {
	t.Parallel()
	at, stopped := frozen()
	s := apitest.NewServer(t, stopped, apitest.WithRateLimit(0), apitest.WithGeo(t))
	credential := statsKey(t, s)
	const tracked, untracked = `1 EVENT_INGEST, 1 WINDOWS "11", 1 US`, `1 EVENT_INGEST, 1 WINDOWS "11", 1 UNKNOWN`
	for i, tc := range []struct {
		rule, header string
		off          bool // event collection is switched off in the project
		suppressed   bool
		counted      string
	}{
		{"nothing is said", "-", false, false, tracked},
		{"1", "1", false, true, untracked},
		{"true", "true", false, true, untracked},
		{"yes, in any case", "YeS", false, true, untracked},
		{"blanks around it", " \tTRUE ", false, true, untracked},
		{"0 is a no", "0", false, false, tracked},
		{"empty is a no", "", false, false, tracked},
		{"what cannot be read is a no", "on, please", false, false, tracked},
		{"a project that collects none is counted as ever", "-", true, true, tracked},
		{"both", "1", true, true, untracked},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			project := fmt.Sprint("p", i)
			s.Furnish(t, project)
			path := "/admin/projects/" + project
			if tc.off {
				s.Must(t, 200, "PATCH", path, `{"event_collection_enabled":false}`)
			}
			headers := map[string]string{
				"User-Agent": "x", "X-Forwarded-For": "8.8.8.8", "X-Svc-Platform": "Windows 11",
				"X-Svc-Client-Time": at.UTC().Format("2006-01-02T15:04:05+00:00"),
			}
			if tc.header != "-" {
				headers["X-Svc-Do-Not-Track"] = tc.header
			}
			body := `{"distinct_id":"u","events":[{"event_id":"1","name":"a"},{"event_id":"2","name":"b"},{"event_id":"3"}]}`
			status, answer, _ := s.Send(t, "POST", "/api/v1/public/"+project+"/events", headers, body)
			want, stored := `{"accepted":2,"skipped":1,"suppressed":false,"rejected":[{"index":2}]}`, 2
			if tc.suppressed {
				want, stored = `{"accepted":0,"skipped":3,"suppressed":true,"rejected":[{"index":2}]}`, 0
			}
			if why := apitest.CompareJSON(t, answer, want); status != 202 || why != "" {
				t.Errorf("got %d %s: %s", status, answer, why)
			}
			if got := counted(t, s, credential, project); got != tc.counted {
				t.Errorf("counted: got %s, want %s", got, tc.counted)
			}
			s.Exchanges(t, []apitest.Exchange{
				{"details", "GET", path + "/events/stats/overview", "", 200, fmt.Sprintf(`{"total":%d,"event_types":%[1]d}`, stored)},
				{"definitions", "GET", path + "/events/definitions", "", 200, fmt.Sprintf(`{"total":%d}`, stored)},
			})
		})
	}
}

// TestDoNotTrackHasNoOffset checks that no time zone is stored for a request of a client that asks
// not to be tracked. A heatmap shows such a request in the time zone of the reader.
func TestDoNotTrackHasNoOffset(t *testing.T) {
	t.Parallel()
	at, stopped := frozen()
	s := apitest.NewServer(t, stopped)
	s.Project(t, "app")
	credential := statsKey(t, s)
	const body = `{"distinct_id":"u","client_time":"2026-01-01T00:00:00+05:00","events":[{"event_id":"1","name":"a"}]}`
	for _, tc := range []struct {
		header string
		offset int64 // UTC offset of the hour in which the heatmap shows the request, in hours
	}{{"0", 5}, {"1", -3}} {
		before := cells(t, s, credential)
		s.Send(t, "POST", "/api/v1/public/app/events", map[string]string{"X-Svc-Do-Not-Track": tc.header}, body)
		local := time.Unix(at.Unix()+tc.offset*3600, 0).UTC()
		after := cells(t, s, credential)
		if cell := int(local.Weekday())*24 + local.Hour(); after[cell] != before[cell]+1 {
			t.Errorf("do-not-track %s: the request is not in the cell of %s", tc.header, local.Format("Mon 15:04"))
		}
	}
}

// cells returns the counts in the request heatmap of the project "app" for a reader at UTC-3.
func cells(t *testing.T, s *apitest.Server, credential string) []int64 {
	t.Helper()
	_, answer, _ := s.Do(t, "GET", "/admin/projects/app/stats/requests/heatmap?tz_offset_minutes=-180", credential, "")
	var all []int64
	for _, cell := range apitest.Field[[]struct{ Count int64 }](t, answer, "data") {
		all = append(all, cell.Count)
	}
	return all
}
