package resource_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api/apitest"
)

const (
	someFeedback = `{"user_id":"u","rating":3,"content":"c","contact":"k","custom_data":{"a":1,"b":{"c":[1,2],"d":"x"}}}`
	someLog      = `{"level":2,"content":"c","source":"s","device_info":{"a":1,"b":2},"custom_data":{"c":[{"d":1,"e":2}]}}`
)

func TestDuplicates(t *testing.T) {
	t.Parallel()
	const feedback, log = "/public/app/feedbacks", "/public/app/logs"
	for _, tc := range []struct {
		name         string
		path         string
		first, again string
		one          bool
	}{
		{"the same feedback", feedback, someFeedback, someFeedback, true},
		{"white space between fields and another order", feedback, someFeedback, ` { "content":"c", "contact":"k", "rating":3.0, "user_id":"u", "custom_data": {"b":{"d":"x","c":[1,2]},"a":1} }`, true},
		{"fields that are not compared", feedback, someFeedback, strings.Replace(someFeedback, "{", `{"platform":"windows","platform_version":"11","status":"closed","is_hidden":true,"x":1,`, 1), true},
		{"null is not sent", feedback, `{"content":"c"}`, `{"content":"c","user_id":null,"rating":null,"contact":null,"custom_data":null}`, true},
		{"forwarding is not asked for in either", feedback, `{"content":"c"}`, `{"content":"c","forward_to_codehost":false}`, true},
		{"escapes in a text", feedback, `{"content":"é"}`, `{"content":"\u00e9"}`, true},
		{"escapes in an object", feedback, `{"content":"c","custom_data":{"é":"<"}}`, `{"content":"c","custom_data":{"\u00e9":"\u003c"}}`, true},
		{"another user", feedback, someFeedback, strings.Replace(someFeedback, `"u"`, `"v"`, 1), false},
		{"another rating", feedback, someFeedback, strings.Replace(someFeedback, `:3`, `:4`, 1), false},
		{"another content", feedback, someFeedback, strings.Replace(someFeedback, `"content":"c"`, `"content":"C"`, 1), false},
		{"a blank more", feedback, `{"content":"c"}`, `{"content":"c "}`, false},
		{"another contact", feedback, someFeedback, strings.Replace(someFeedback, `"k"`, `"K"`, 1), false},
		{"other data", feedback, someFeedback, strings.Replace(someFeedback, `"a":1`, `"a":2`, 1), false},
		{"more data", feedback, someFeedback, strings.Replace(someFeedback, `"a":1`, `"a":1,"z":null`, 1), false},
		{"another order in a list", feedback, someFeedback, strings.Replace(someFeedback, `[1,2]`, `[2,1]`, 1), false},
		{"a number and its text", feedback, someFeedback, strings.Replace(someFeedback, `"a":1`, `"a":"1"`, 1), false},
		{"large numbers, to the digit", feedback, `{"content":"c","custom_data":{"n":9007199254740993}}`, `{"content":"c","custom_data":{"n":9007199254740992}}`, false},
		{"no data and empty data", feedback, `{"content":"c"}`, `{"content":"c","custom_data":{}}`, false},
		{"no text and an empty one", feedback, `{"content":"c"}`, `{"content":"c","contact":""}`, false},
		{"a text in another field", feedback, `{"content":"c","contact":"x"}`, `{"content":"c","user_id":"x"}`, false},
		{"the same log", log, someLog, someLog, true},
		{"a text that is escaped in another way", log, `{"level":2,"content":"c","device_info":{"a":"<","b":1.0}}`, `{"level":2,"content":"c","device_info":{"a":"\u003c","b":1.0}}`, true},
		{"another value in a short object", log, `{"level":2,"content":"c","device_info":{"a":"<","b":1.0}}`, `{"level":2,"content":"c","device_info":{"a":"<","b":1}}`, false},
		{"a field that comes twice", log, `{"level":2,"content":"c","device_info":{"a":2}}`, `{"level":2,"content":"c","device_info":{"a":1,"a":2}}`, true},
		{"another order of keys, at every depth", log, someLog, `{"custom_data":{"c":[{"e":2,"d":1}]},"device_info":{"b":2,"a":1},"source":"s","content":"c","level":2}`, true},
		{"other fields of a log", log, someLog, strings.Replace(someLog, "{", `{"platform":"ios","platform_version":"18","is_hidden":true,`, 1), true},
		{"another level", log, someLog, strings.Replace(someLog, `:2`, `:3`, 1), false},
		{"another line", log, someLog, strings.Replace(someLog, `"content":"c"`, `"content":""`, 1), false},
		{"another source", log, someLog, strings.Replace(someLog, `"source":"s"`, `"source":null`, 1), false},
		{"another device", log, someLog, strings.Replace(someLog, `"b":2`, `"b":3`, 1), false},
		{"other data of a log", log, someLog, strings.Replace(someLog, `"d":1`, `"d":true`, 1), false},
		{"device and data changed places", log, `{"level":0,"content":"","device_info":{"a":1}}`, `{"level":0,"content":"","custom_data":{"a":1}}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, apitest.WithWindow(time.Minute))
			s.Project(t, "app")
			first, again := create(t, s, tc.path, tc.first), create(t, s, tc.path, tc.again)
			if (first == again) != tc.one {
				t.Errorf("got records %s and %s, want one: %v", first, again, tc.one)
			}
			list := strings.Replace(tc.path, "/public", "/admin/projects", 1)
			total := apitest.Field[int](t, s.Must(t, 200, "GET", list+"?include_hidden=true", ""), "total")
			if total != len(slices.Compact([]string{first, again})) {
				t.Errorf("%d records, want those of the answers", total)
			}
		})
	}
}

// TestDuplicateScope checks which other properties must be equal for submissions with the same
// content to be duplicates.
func TestDuplicateScope(t *testing.T) {
	t.Parallel()
	for kind, body := range map[string]string{"feedbacks": someFeedback, "logs": someLog} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, apitest.WithWindow(time.Minute))
			s.Project(t, "app")
			s.Project(t, "other")
			s.Must(t, 200, "PATCH", "/admin/projects/app", `{"project_key":"new"}`)
			send := func(project, address string) string {
				t.Helper()
				return apitest.Field[string](t, sendFrom(t, s, "/public/"+project+"/"+kind, map[string]string{"X-Forwarded-For": address}, body), "id")
			}
			first := send("new", "198.51.100.1")
			for _, tc := range []struct {
				name, project, address string
				one                    bool
			}{
				{"the same", "new", "198.51.100.1", true},
				{"under a former key", "APP", "198.51.100.1", true},
				{"the address in another form", "new", "::ffff:198.51.100.1", true},
				{"with what the client wrote before it", "new", "203.0.113.1, 198.51.100.1", true},
				{"another address", "new", "198.51.100.2", false},
				{"another project", "other", "198.51.100.1", false},
			} {
				if got := send(tc.project, tc.address); (got == first) != tc.one {
					t.Errorf("%s: got record %s after %s, want one: %v", tc.name, got, first, tc.one)
				}
			}
			admin := "/admin/projects/new/" + kind
			if a, b := create(t, s, admin, body), create(t, s, admin, body); a == b || a == first || b == first {
				t.Errorf("additions of administrators: got records %s and %s after %s, want one each", a, b, first)
			}
			if got := send("new", "198.51.100.1"); got != first {
				t.Errorf("after the additions: got record %s, want %s", got, first)
			}
			if total := apitest.Field[int](t, s.Must(t, 200, "GET", admin, ""), "total"); total != 4 {
				t.Errorf("got %d records, want 4: one, one of another address, two added", total)
			}
			s.Must(t, 200, "DELETE", "/admin/projects/new", "")
			s.Project(t, "new")
			if got := send("new", "198.51.100.1"); got == first {
				t.Error("a new project of the same key has the record of the deleted one")
			}
		})
	}
}

func TestDuplicateWindow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		window time.Duration
		steps  map[time.Duration]bool // whether the first record is returned, by the time since the first submission
	}{
		{"a minute", time.Minute, map[time.Duration]bool{0: true, 59 * time.Second: true, 61 * time.Second: false}},
		{"an hour", time.Hour, map[time.Duration]bool{61 * time.Second: true, 59 * time.Minute: true, 61 * time.Minute: false}},
		{"0 switches it off", 0, map[time.Duration]bool{0: false}},
		{"less than 0, too", -time.Second, map[time.Duration]bool{0: false}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, after := range slices.Sorted(maps.Keys(tc.steps)) {
				s := apitest.NewServer(t, apitest.WithWindow(tc.window))
				s.Project(t, "app")
				for path, body := range map[string]string{"/public/app/feedbacks": someFeedback, "/public/app/logs": someLog} {
					first := create(t, s, path, body)
					s.Clock.Advance(after)
					if got := create(t, s, path, body); (got == first) != tc.steps[after] {
						t.Errorf("%s after %v: got record %s after %s, want one: %v", path, after, got, first, tc.steps[after])
					}
				}
			}
		})
	}
}

// TestDuplicateOfChangedRecord checks that the response to a duplicate contains the current state
// of the record.
func TestDuplicateOfChangedRecord(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithWindow(time.Minute))
	s.Project(t, "app")
	const list, public = "/admin/projects/app/feedbacks", "/public/app/feedbacks"
	id := create(t, s, public, someFeedback)
	s.Must(t, 200, "PATCH", list+"/"+id, `{"status":"closed","content":"edited","is_hidden":true}`)
	s.Exchanges(t, []apitest.Exchange{
		{"changed meanwhile", "POST", public, someFeedback, 201, fmt.Sprintf(`{"id":%q,"status":"closed","content":"edited","is_hidden":true}`, id)},
		{"what it was changed to is another", "POST", public, strings.Replace(someFeedback, `"content":"c"`, `"content":"edited"`, 1), 201, `{"status":"open","content":"edited"}`},
		{"deleted", "DELETE", list + "/" + id, "", 200, ``},
	})
	fresh := create(t, s, public, someFeedback)
	if fresh == id {
		t.Error("a deleted record came back")
	}
	if again := create(t, s, public, someFeedback); again != fresh {
		t.Errorf("after the deletion: got %s, want the new record %s", again, fresh)
	}
	line := create(t, s, "/public/app/logs", someLog)
	s.Must(t, 200, "PATCH", apitest.LogsOf("app")+"/"+line, `{"is_hidden":true}`)
	s.Exchanges(t, []apitest.Exchange{{"a hidden log", "POST", "/public/app/logs", someLog, 201, fmt.Sprintf(`{"id":%q,"is_hidden":true}`, line)}})
}

func TestDuplicatesAtOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithWindow(time.Minute))
	s.Project(t, "app")
	s.Project(t, "other")
	var lock sync.Mutex
	ids := map[string]map[string]int{}
	var sending sync.WaitGroup
	for i := range 50 {
		for path, body := range map[string]string{"/public/app/feedbacks": someFeedback, "/public/app/logs": someLog, "/public/other/logs": someLog} {
			sending.Go(func() {
				status, answer := s.Ask(t, "POST", path, body)
				if status != 201 {
					t.Errorf("%s, number %d: got %d %s", path, i, status, answer)
					return
				}
				id := apitest.Field[string](t, answer, "id")
				lock.Lock()
				defer lock.Unlock()
				if ids[path] == nil {
					ids[path] = map[string]int{}
				}
				ids[path][id]++
			})
		}
	}
	sending.Wait()
	for path, records := range ids {
		if len(records) != 1 {
			t.Errorf("%s: 50 of the same made %d records: %v", path, len(records), records)
		}
		list := strings.Replace(path, "/public", "/admin/projects", 1)
		if total := apitest.Field[int](t, s.Must(t, 200, "GET", list, ""), "total"); total != 1 {
			t.Errorf("%s: got %d records, want 1", list, total)
		}
	}
}

// TestDuplicatesAreLimited checks that a duplicate counts against the rate limit like any other
// request.
func TestDuplicatesAreLimited(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithWindow(time.Minute), apitest.WithRateLimit(3))
	s.Project(t, "app")
	for _, kind := range []string{"feedbacks", "logs"} {
		body := map[string]string{"feedbacks": someFeedback, "logs": someLog}[kind]
		for i, want := range []int{201, 201, 201, 429} {
			status, answer, header := s.Do(t, "POST", "/public/app/"+kind, "", body)
			if status != want || header.Get("X-RateLimit-Limit") != "3" || (header.Get("Retry-After") != "") != (want == 429) {
				t.Errorf("%s, number %d: got %d %s, Retry-After %q, want %d", kind, i+1, status, answer, header.Get("Retry-After"), want)
			}
		}
		list := "/admin/projects/app/" + kind
		if total := apitest.Field[int](t, s.Must(t, 200, "GET", list, ""), "total"); total != 1 {
			t.Errorf("%s: got %d records, want 1", kind, total)
		}
	}
}
