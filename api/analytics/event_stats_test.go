package analytics_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

// eventStats requests paths below events/stats and compares the responses byte for byte, except for
// white space between lines. The project "demo" contains the worked example and some events from
// abroad. All requests are made once while the events are in memory and once after they have been
// written to blocks.
func eventStats(t *testing.T, rows []answer) {
	t.Helper()
	for _, place := range []string{"in memory", "in blocks"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, apitest.Decades(), apitest.WithRateLimit(0), apitest.WithGeo(t))
			s.Project(t, "demo")
			s.Project(t, "empty")
			s.Track(t, "demo", apitest.Example()...)
			type headers = map[string]string
			for i, h := range []headers{
				{"X-Svc-Platform": "windows", "X-Forwarded-For": "8.8.8.8", "X-Svc-Client-Time": "2026-13-01T00:00:00+05:30"},
				{"X-Svc-Platform": "windows", "X-Forwarded-For": "8.8.8.8"},
				{"X-Svc-Platform": "web", "X-Forwarded-For": "203.0.113.9"},
			} {
				h["User-Agent"] = "x"
				body := fmt.Sprintf(`{"distinct_id":"abroad","events":[{"event_id":"abroad-%d","name":"visit","occurred_at":%d}]}`, i, apitest.Monday+30*24*apitest.Hour)
				if status, answer, _ := s.Send(t, "POST", "/api/v1/public/demo/events", h, body); status != 202 {
					t.Fatalf("got %d %s", status, answer)
				}
			}
			if place == "in blocks" {
				if err := s.Events.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			for _, row := range rows {
				t.Run(row.name, func(t *testing.T) {
					project, question, _ := strings.Cut(row.path, "/")
					body := s.Must(t, 200, "GET", "/admin/projects/"+project+"/events/stats/"+question, "")
					if want := strings.NewReplacer("\n", "", "\t", "").Replace(row.want); body != want && !strings.Contains(body, strings.TrimPrefix(want, "…")) {
						t.Errorf("got  %s\nwant %s", body, want)
					}
				})
			}
		})
	}
}

func TestEventOverview(t *testing.T) {
	t.Parallel()
	eventStats(t, []answer{
		{
			"the worked example", "demo/overview?" + apitest.Within(apitest.Monday, apitest.Monday+10*24*apitest.Hour),
			`{"start_time":1764547200,"end_time":1765411200,"total":12,"unique_users":4,"unique_sessions":5,"event_types":3}`,
		},
		{
			"totals count hours whole, users by the second", "demo/overview?" + apitest.Within(apitest.Monday+3660, apitest.Monday+3660),
			`{"start_time":1764550860,"end_time":1764550860,"total":3,"unique_users":1,"unique_sessions":1,"event_types":3}`,
		},
		{
			"events without a session have none", "demo/overview?" + apitest.Within(apitest.Monday+24*apitest.Hour+50, apitest.Monday+24*apitest.Hour+50),
			`{"start_time":1764633650,"end_time":1764633650,"total":1,"unique_users":1,"unique_sessions":0,"event_types":1}`,
		},
		{"nothing", "empty/overview?" + apitest.Within(0, 10), `{"start_time":0,"end_time":10,"total":0,"unique_users":0,"unique_sessions":0,"event_types":0}`},
	})
}

func TestEventSeries(t *testing.T) {
	t.Parallel()
	const abroad = apitest.Monday + 30*24*apitest.Hour // start of the hour with three visits
	eventStats(t, []answer{
		{
			"days, empty ones included", "demo/timeseries?" + apitest.Within(apitest.Monday, apitest.Monday+3*24*apitest.Hour),
			`{"start_time":1764547200,"end_time":1764806400,"granularity":"day","tz_offset_minutes":0,"event_name":null,"group_by":null,
			"data":[{"bucket":1764547200,"count":8},{"bucket":1764633600,"count":2},{"bucket":1764720000,"count":1},{"bucket":1764806400,"count":0}],"series":null}`,
		},
		{
			"hours are those of UTC, whatever the offset", "demo/timeseries?granularity=hour&tz_offset_minutes=330&" + apitest.Within(apitest.Monday+apitest.Hour+1, apitest.Monday+2*apitest.Hour),
			`{"start_time":1764550801,"end_time":1764554400,"granularity":"hour","tz_offset_minutes":330,"event_name":null,"group_by":null,
			"data":[{"bucket":1764550800,"count":3},{"bucket":1764554400,"count":5}],"series":null}`,
		},
		{
			"local days", "demo/timeseries?tz_offset_minutes=-120&" + apitest.Within(apitest.Monday, apitest.Monday+24*apitest.Hour),
			`…"data":[{"bucket":1764468000,"count":3},{"bucket":1764554400,"count":6}],"series":null}`,
		},
		{
			"an hour belongs to the day in which it starts", "demo/timeseries?tz_offset_minutes=-90&" + apitest.Within(apitest.Monday+90*60, apitest.Monday+2*apitest.Hour),
			`…"data":[{"bucket":1764552600,"count":5}],"series":null}`,
		},
		{
			"one name", "demo/timeseries?event_name=buy&" + apitest.Within(apitest.Monday, apitest.Monday+24*apitest.Hour),
			`…"event_name":"buy","group_by":null,"data":[{"bucket":1764547200,"count":2},{"bucket":1764633600,"count":0}],"series":null}`,
		},
		{
			"a name is compared exactly", "demo/timeseries?event_name=BUY&" + apitest.Within(apitest.Monday, apitest.Monday),
			`…"event_name":"BUY","group_by":null,"data":[{"bucket":1764547200,"count":0}],"series":null}`,
		},
		{
			"by name, the greatest first, ties by name", "demo/timeseries?group_by=event&" + apitest.Within(apitest.Monday, apitest.Monday+24*apitest.Hour-1),
			`…"data":[{"bucket":1764547200,"count":8}],"series":[{"key":"open","data":[{"bucket":1764547200,"count":3}]},
			{"key":"view","data":[{"bucket":1764547200,"count":3}]},{"key":"buy","data":[{"bucket":1764547200,"count":2}]}]}`,
		},
		{
			"the limit cuts series, not the total", "demo/timeseries?group_by=event&limit=1&" + apitest.Within(apitest.Monday, apitest.Monday+24*apitest.Hour-1),
			`…"data":[{"bucket":1764547200,"count":8}],"series":[{"key":"open","data":[{"bucket":1764547200,"count":3}]}]}`,
		},
		{
			"by platform, in upper case", "demo/timeseries?granularity=hour&group_by=platform&" + apitest.Within(abroad, abroad),
			`…"group_by":"platform","data":[{"bucket":1767139200,"count":3}],"series":[{"key":"WINDOWS","data":[{"bucket":1767139200,"count":2}]},{"key":"WEB","data":[{"bucket":1767139200,"count":1}]}]}`,
		},
		{
			"by region", "demo/timeseries?granularity=hour&group_by=region&" + apitest.Within(abroad, abroad),
			`…"series":[{"key":"US","data":[{"bucket":1767139200,"count":2}]},{"key":"UNKNOWN","data":[{"bucket":1767139200,"count":1}]}]}`,
		},
		{
			"a private network is LOCAL", "demo/timeseries?group_by=region&" + apitest.Within(apitest.Monday+apitest.Hour, apitest.Monday+apitest.Hour),
			`…"series":[{"key":"LOCAL","data":[{"bucket":1764547200,"count":3}]}]}`,
		},
		{
			"distinct senders of each day", "demo/timeseries?measure=unique_users&" + apitest.Within(apitest.Monday, apitest.Monday+3*24*apitest.Hour),
			`…"event_name":null,"group_by":null,"data":[{"bucket":1764547200,"count":3},{"bucket":1764633600,"count":2},{"bucket":1764720000,"count":1},{"bucket":1764806400,"count":0}],"series":null}`,
		},
		{
			"distinct senders of a name", "demo/timeseries?measure=unique_users&event_name=buy&" + apitest.Within(apitest.Monday, apitest.Monday+24*apitest.Hour),
			`…"event_name":"buy","group_by":null,"data":[{"bucket":1764547200,"count":2},{"bucket":1764633600,"count":0}],"series":null}`,
		},
		{
			"no senders", "empty/timeseries?measure=unique_users&" + apitest.Within(0, 0),
			`…"data":[{"bucket":0,"count":0}],"series":null}`,
		},
		{
			"groups of nothing", "empty/timeseries?group_by=event&" + apitest.Within(0, 0),
			`{"start_time":0,"end_time":0,"granularity":"day","tz_offset_minutes":0,"event_name":null,"group_by":"event","data":[{"bucket":0,"count":0}],"series":[]}`,
		},
	})
}

func TestEventBreakdown(t *testing.T) {
	t.Parallel()
	const all, abroad = "&start_time=1764547200&end_time=1765411200", "&start_time=1767139200&end_time=1767139200"
	eventStats(t, []answer{
		{
			"by name is the default", "demo/breakdown?" + all,
			`{"start_time":1764547200,"end_time":1765411200,"dimension":"event","property_key":null,"total":12,
			"data":[{"key":"open","label":"open","count":6},{"key":"buy","label":"buy","count":3},{"key":"view","label":"view","count":3}]}`,
		},
		{"the limit cuts the list, not the total", "demo/breakdown?limit=1" + all, `…"total":12,"data":[{"key":"open","label":"open","count":6}]}`},
		{
			"by a property, the worked example", "demo/breakdown?dimension=property&property_key=plan&event_name=buy" + all,
			`…"dimension":"property","property_key":"plan","total":3,
			"data":[{"key":"","label":"(not reported)","count":1},{"key":"free","label":"free","count":1},{"key":"pro","label":"pro","count":1}]}`,
		},
		{
			"values are compared as text", "demo/breakdown?dimension=property&property_key=amount&event_name=buy" + all,
			`…"total":3,"data":[{"key":"12.5","label":"12.5","count":1},{"key":"30","label":"30","count":1},{"key":"7","label":"7","count":1}]}`,
		},
		{"details are exact", "demo/breakdown?dimension=property&property_key=plan&" + apitest.Within(apitest.Monday+3660, apitest.Monday+3719), `…"total":1,"data":[{"key":"free","label":"free","count":1}]}`},
		{"by platform", "demo/breakdown?dimension=platform" + abroad, `…"data":[{"key":"WINDOWS","label":"WINDOWS","count":2},{"key":"WEB","label":"WEB","count":1}]}`},
		{"by platform, the others", "demo/breakdown?dimension=platform" + all, `…"data":[{"key":"OTHERS","label":"Others","count":12}]}`},
		{"by region", "demo/breakdown?dimension=region" + abroad, `…"data":[{"key":"US","label":"US","count":2},{"key":"UNKNOWN","label":"UNKNOWN","count":1}]}`},
		{"the key of a property that is not used is shown", "demo/breakdown?property_key=plan&event_name=none" + all, `…"property_key":"plan","total":0,"data":[]}`},
		{"nothing", "empty/breakdown?dimension=property&property_key=x&" + apitest.Within(0, 1), `…"total":0,"data":[]}`},
	})
}

// TestMissingProperty checks that a property with an empty text is counted separately from a
// missing property.
func TestMissingProperty(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.Decades())
	s.Project(t, "app")
	for i, p := range []string{`{"v":""}`, `{"v":""}`, `{"v":null}`, `{}`, `null`, `{"v":{"b":1, "a":[true]}}`, `{"v":1.0}`, `{"v":"1"}`, `{"v":1e3}`, `{"v":true}`, `{"V":"x"}`} {
		s.Track(t, "app", apitest.SentEvent{fmt.Sprint("u", i), "", "a", apitest.Monday, p})
	}
	const want = `{"total":11,"data":[{"key":"","label":"(not reported)","count":4},{"key":"","label":"","count":2},{"key":"1","label":"1","count":2},
		{"key":"1000","label":"1000","count":1},{"key":"true","label":"true","count":1},{"key":"{\"b\":1,\"a\":[true]}","count":1}]}`
	s.Exchanges(t, []apitest.Exchange{
		{"status of the module", "GET", "/events/_status", "", 200, `{"module":"events","implemented":true}`},
		{"in memory", "GET", "/admin/projects/app/events/stats/breakdown?dimension=property&property_key=v&" + apitest.Within(apitest.Monday, apitest.Monday), "", 200, want},
	})
}

// TestEventHeatmap checks the local time at which an event is shown. The local time is derived from
// the client's clock, otherwise from the client's country, and otherwise from the time zone of the
// reader.
func TestEventHeatmap(t *testing.T) {
	t.Parallel()
	abroad := "&" + apitest.Within(apitest.Monday+30*24*apitest.Hour, apitest.Monday+30*24*apitest.Hour)
	// The hour begins on Wednesday at midnight UTC. The first visit's clock is at +5:30, so its
	// local time is 5:00 on Wednesday. The United States count as -5:00. The third visit uses the
	// offset of the request, -2:00.
	eventStats(t, []answer{
		{"by the client's clock", "demo/heatmap?tz_offset_minutes=-120" + abroad, `…{"weekday":3,"hour":5,"count":1}`},
		{"by its country", "demo/heatmap?tz_offset_minutes=-120" + abroad, `…{"weekday":2,"hour":19,"count":1}`},
		{"by the question", "demo/heatmap?tz_offset_minutes=-120" + abroad, `…{"weekday":2,"hour":22,"count":1}`},
		{"only one name", "demo/heatmap?event_name=none" + abroad, `…{"weekday":3,"hour":5,"count":0}`},
		{"from Sunday", "empty/heatmap?" + apitest.Within(0, 1), `…{"start_time":0,"end_time":1,"tz_offset_minutes":0,"data":[{"weekday":0,"hour":0,"count":0},`},
	})
}

// TestEventStatsParameters checks the validation of the parameters. An empty message means that the
// request is valid.
func TestEventStatsParameters(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	reader := s.Key(t, `{"name":"x","scopes":["events:read"]}`)
	writer := s.Key(t, `{"name":"x","scopes":["events:write","stats:read"]}`)
	for _, path := range []string{"overview", "timeseries", "breakdown", "heatmap", "property-keys"} {
		for query, message := range map[string]string{
			"": "",
			"?start_time=&end_time=&tz_offset_minutes=&granularity=&event_name=&group_by=&limit=&dimension=": "",
			"?start_time=2&end_time=1":   "start_time must not be after end_time",
			"?end_time=1.5":              "end_time must be an integer",
			"?tz_offset_minutes=901":     "tz_offset_minutes must be an integer from -840 to 900",
			"?tz_offset_minutes=-840":    "",
			"?start_time=99999999999999": "start_time must not be after end_time",
		} {
			status, body, _ := s.Do(t, "GET", "/admin/projects/a/events/stats/"+path+query, reader, "")
			if (status == 200) != (message == "") || !strings.Contains(body, message) {
				t.Errorf("%s%s: got %d %s, want %q", path, query, status, body, message)
			}
		}
		if status, body, _ := s.Do(t, "GET", "/admin/projects/none/events/stats/"+path, reader, ""); status != 404 {
			t.Errorf("%s of no project: got %d %s", path, status, body)
		}
		if status, body, _ := s.Do(t, "GET", "/admin/projects/a/events/stats/"+path, writer, ""); status != 401 || !strings.Contains(body, "events:read") {
			t.Errorf("%s by a key without the scope: got %d %s", path, status, body)
		}
	}
	for query, message := range map[string]string{
		"timeseries?granularity=hour":                                           "",
		"timeseries?granularity=week":                                           "granularity must be one of hour, day",
		"timeseries?group_by=property":                                          "group_by must be one of event, platform, region",
		"timeseries?measure=users":                                              "measure must be one of count, unique_users",
		"timeseries?measure=unique_users&group_by=event":                        "group_by cannot be combined with measure unique_users",
		"timeseries?limit=20":                                                   "",
		"timeseries?limit=21":                                                   "limit must be an integer from 1 to 20",
		"timeseries?limit=0":                                                    "limit must be an integer from 1 to 20",
		"timeseries?event_name=" + strings.Repeat("n", 64):                      "",
		"timeseries?event_name=" + strings.Repeat("n", 65):                      "event_name must have at most 64 characters",
		"timeseries?granularity=hour&start_time=0&end_time=71999999":            "",
		"timeseries?granularity=hour&start_time=0&end_time=72000000":            "20001 buckets of one hour, at most 20000",
		"timeseries?start_time=0&end_time=1728000000":                           "20001 buckets of one day, at most 20000",
		"breakdown?dimension=city":                                              "dimension must be one of event, platform, region, property",
		"breakdown?dimension=property":                                          "property_key is required for dimension property",
		"breakdown?dimension=property&property_key=" + strings.Repeat("k", 128): "",
		"breakdown?dimension=property&property_key=" + strings.Repeat("k", 129): "property_key must have at most 128 characters",
		"breakdown?limit=200":                                                   "",
		"breakdown?limit=201":                                                   "limit must be an integer from 1 to 200",
		"breakdown?event_name=" + strings.Repeat("n", 65):                       "event_name must have at most 64 characters",
		"heatmap?event_name=" + strings.Repeat("n", 65):                         "event_name must have at most 64 characters",
	} {
		status, body, _ := s.Do(t, "GET", "/admin/projects/a/events/stats/"+query, reader, "")
		if (status == 200) != (message == "") || !strings.Contains(body, message) {
			t.Errorf("%s: got %d %.300s, want %q", query, status, body, message)
		}
	}
}

func TestPropertyKeys(t *testing.T) {
	t.Parallel()
	all := apitest.Within(apitest.Monday, apitest.Monday+10*24*apitest.Hour)
	eventStats(t, []answer{
		{
			"of all events", "demo/property-keys?" + all,
			`{"start_time":1764547200,"end_time":1765411200,"total":2,"data":[{"key":"amount","hours":3,"last_seen_time":1765238400},
			{"key":"plan","hours":2,"last_seen_time":1764554400}]}`,
		},
		{"of one event", "demo/property-keys?event_name=view&" + all, `…"total":1,"data":[{"key":"plan","hours":2,"last_seen_time":1764554400}]}`},
		{"the limit cuts the list, not the total", "demo/property-keys?limit=1&" + all, `…"total":2,"data":[{"key":"amount",`},
		{"of an event without properties", "demo/property-keys?event_name=open&" + all, `…"total":0,"data":[]}`},
		{"of an unknown event", "demo/property-keys?event_name=nothing&" + all, `…"total":0,"data":[]}`},
		{"before the first event", "demo/property-keys?end_time=1764547200", `…"total":0,"data":[]}`},
		{"of a project without events", "empty/property-keys?" + all, `…"total":0,"data":[]}`},
	})
}
