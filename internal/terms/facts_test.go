package terms_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/bits"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"svc/api/apitest"
	"svc/internal/codehost"
	"svc/internal/event/submission"
	"svc/internal/placeholder"
	"svc/internal/proxy"
	"svc/internal/setting"
	"svc/internal/terms"
)

// TestFacts checks for each limit that a value at the limit is accepted and that a value
// beyond it is rejected.
func TestFacts(t *testing.T) {
	t.Parallel()
	prove := map[string]func(t *testing.T, s *apitest.Server, n int){
		"public_rate_limit":    defaultOf("public_rate_limit", 1),
		"dedup_window_seconds": defaultOf("dedup_window_seconds", 1),
		"forward_rate_limit":   defaultOf("codehost.forward_rate_limit", 1),
		"forward_rate_seconds": defaultOf("codehost.forward_rate_ttl", 1),
		"clock_behind_days":    defaultOf("event.clock_skew_seconds", apitest.Day),
		"forward_keep_hours":   constant("../forward/settle.go", "retryTime = %d * time.Hour"),
		"notice_feedback_kib":  constant("../notify/event.go", "maxFeedback = %d << 10"),
		"notice_keep_days":     constant("../../store/outbox.go", "deliveryRetention = %d * 24 * time.Hour"),
		"issue_title_max": func(t *testing.T, _ *apitest.Server, n int) {
			title, _ := codehost.BuiltinTemplate.Render(codehost.Feedback{Content: strings.Repeat("x", n+1)})
			if got := strings.Count(title, "x"); got != n {
				t.Errorf("the title has %d characters of the content", got)
			}
		},
		"public_body_mib": func(t *testing.T, s *apitest.Server, n int) {
			const around = `{"level":1,"content":"","x":""}`
			body := func(size int) string {
				return around[:len(around)-2] + strings.Repeat("x", size-len(around)) + around[len(around)-2:]
			}
			allowed(t, s, "/public/a/logs", body(n<<20), body(n<<20+1))
		},
		"subject_rate_limit": func(t *testing.T, s *apitest.Server, n int) {
			for _, method := range []string{"GET", "DELETE"} {
				for i := range n + 1 {
					status, answer := s.Ask(t, method, "/public/a/events/me?distinct_id=somebody", "")
					if want := map[bool]int{false: 200, true: 429}[i == n]; status != want {
						t.Errorf("%s number %d: got %d %s, want %d", method, i+1, status, answer, want)
					}
				}
			}
		},

		"user_agent_max": func(t *testing.T, s *apitest.Server, n int) {
			_, answer, _ := s.Send(t, "POST", "/api/v1/public/a/feedbacks", map[string]string{"User-Agent": strings.Repeat("x", n+1)}, `{"content":""}`)
			if got := apitest.Field[string](t, answer, "user_agent"); len(got) != n {
				t.Errorf("%d characters are stored", len(got))
			}
		},
		"system_version_max": func(t *testing.T, s *apitest.Server, n int) {
			for length, want := range map[int]bool{n: true, n + 1: false} {
				header := map[string]string{"x-svc-platform": "linux", "x-svc-platform-version": strings.Repeat("1", length)}
				_, answer, _ := s.Send(t, "POST", "/api/v1/public/a/logs", header, fmt.Sprintf(`{"level":1,"content":"%d"}`, length))
				if got := apitest.Field[*string](t, answer, "platform_version"); (got != nil) != want {
					t.Errorf("of %d characters: got %v", length, got)
				}
			}
			text("/public/a/feedbacks", `{"content":"","platform":"linux","platform_version":"%s"}`)(t, s, n)
		},
		"version_max": func(t *testing.T, s *apitest.Server, n int) {
			s.Publish(t, "a", "1.0")
			text("/public/a/versions/check-update", `{"current_comparable_version":"1.0","current_version":"%s"}`)(t, s, n)
			allowed(t, s, "/public/a/versions/check-update", fmt.Sprintf(`{"current_comparable_version":"%s"}`, strings.Repeat("1", n)), fmt.Sprintf(`{"current_comparable_version":"%s"}`, strings.Repeat("1", n+1)))
			for length, want := range map[int]int{n: 200, n + 1: 400} {
				if status, answer := s.Ask(t, "GET", "/public/a/announcements?version="+strings.Repeat("1", length), ""); status != want {
					t.Errorf("announcements for a version of %d characters: got %d %s, want %d", length, status, answer, want)
				}
			}
		},
		"search_max": func(t *testing.T, s *apitest.Server, n int) {
			for length, want := range map[int]int{n: 200, n + 1: 400} {
				if status, answer := s.Ask(t, "GET", "/public/a/versions?search="+strings.Repeat("x", length), ""); status != want {
					t.Errorf("%d characters: got %d %s, want %d", length, status, answer, want)
				}
			}
		},
		"content_max": func(t *testing.T, s *apitest.Server, n int) {
			text("/public/a/feedbacks", `{"content":"%s"}`)(t, s, n)
			text("/public/a/logs", `{"level":1,"content":"%s"}`)(t, s, n)
		},
		"user_id_max": text("/public/a/feedbacks", `{"content":"","user_id":"%s"}`),
		"contact_max": text("/public/a/feedbacks", `{"content":"","contact":"%s"}`),
		"source_max":  text("/public/a/logs", `{"level":1,"content":"","source":"%s"}`),
		"rating_min":  number("/public/a/feedbacks", `{"content":"","rating":%d}`, -1),
		"rating_max":  number("/public/a/feedbacks", `{"content":"","rating":%d}`, 1),

		"log_level_min": number("/public/a/logs", `{"content":"","level":%d}`, -1),
		"log_level_max": number("/public/a/logs", `{"content":"","level":%d}`, 1),

		"event_id_max": func(t *testing.T, s *apitest.Server, n int) {
			text("/public/a/events", `{"distinct_id":"%s","events":[{"event_id":"1","name":"x"}]}`)(t, s, n)
			text("/public/a/events", `{"distinct_id":"x","session_id":"%s","events":[{"event_id":"1","name":"x"}]}`)(t, s, n)
			text("/public/a/events", `{"distinct_id":"x","events":[{"event_id":"%s","name":"x"}]}`)(t, s, n)
		},
		"event_name_max": text("/public/a/events", `{"distinct_id":"x","events":[{"event_id":"1","name":"%s"}]}`),
		"event_batch_min": func(t *testing.T, s *apitest.Server, n int) {
			allowed(t, s, "/public/a/events", batch(n), batch(n-1))
		},
		"event_batch_max": func(t *testing.T, s *apitest.Server, n int) {
			defaultOf("event.batch_max", 1)(t, s, n)
			allowed(t, s, "/public/a/events", batch(n), batch(n+1))
		},
		"property_levels_max": func(t *testing.T, s *apitest.Server, n int) {
			levels := func(n int) string {
				return `{"distinct_id":"x","events":[{"event_id":"1","name":"x","properties":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + `}]}`
			}
			allowed(t, s, "/public/a/events", levels(n), levels(n+1))
		},
		"clock_skew_seconds": func(t *testing.T, _ *apitest.Server, n int) {
			for behind, want := range map[int]bool{n: true, n - 1: false, -n: true, 1 - n: false} {
				c := submission.Clock{Skew: time.Duration(behind) * time.Second, SkewKnown: true}
				if got := c.Correction() != 0; got != want {
					t.Errorf("a clock that is %d seconds behind is corrected: %t", behind, got)
				}
			}
		},
		"clock_ahead_seconds": func(t *testing.T, _ *apitest.Server, n int) {
			const now = 1_800_000_000
			for ahead, want := range map[int]bool{n: true, n + 1: false} {
				r := submission.Request{Items: []submission.SentItem{{Usable: true, HasTime: true, At: int64(now + ahead)}}}
				if got := r.Accept(now, submission.Clock{}, time.Hour)[0].At != now; got != want {
					t.Errorf("an event that is %d seconds ahead keeps its time: %t", ahead, got)
				}
			}
		},

		"ipv4_bits": func(t *testing.T, _ *apitest.Server, n int) { zeroBits(t, "255.255.255.255", n) },
		"ipv6_bits": func(t *testing.T, _ *apitest.Server, n int) {
			zeroBits(t, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", n)
		},

		"event_retention_days": ofProject("event_retention_days"),
		"stats_retention_days": ofProject("stats_retention_days"),
		"retention_min_days":   retention(-1),
		"retention_max_days":   retention(1),
	}
	for name, figure := range terms.Facts {
		if strings.HasPrefix(name, "client_") {
			continue
		}
		try, ok := prove[name]
		if !ok {
			t.Errorf("nobody tries %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := strconv.Atoi(figure)
			if err != nil {
				t.Fatal(err)
			}
			s := apitest.NewServer(t, apitest.WithRateLimit(0))
			s.Project(t, "a")
			try(t, s, n)
		})
	}
	for name := range prove {
		if terms.Facts[name] == "" {
			t.Errorf("%s is tried, but is not there", name)
		}
	}
}

// allowed fails the test unless the server accepts body and rejects beyond, which exceeds
// a limit.
func allowed(t *testing.T, s *apitest.Server, path, body, beyond string) {
	t.Helper()
	if status, answer := s.Ask(t, "POST", path, body); status >= 300 {
		t.Errorf("POST %s %.100s: got %d %.300s", path, body, status, answer)
	}
	if status, answer := s.Ask(t, "POST", path, beyond); status != 400 && status != 413 {
		t.Errorf("POST %s %.100s: got %d %.300s", path, beyond, status, answer)
	}
}

// text returns a check of the maximum length of a text field. The value of the field
// replaces %s in body.
func text(path, body string) func(*testing.T, *apitest.Server, int) {
	return func(t *testing.T, s *apitest.Server, n int) {
		t.Helper()
		allowed(t, s, path, fmt.Sprintf(body, strings.Repeat("x", n)), fmt.Sprintf(body, strings.Repeat("x", n+1)))
	}
}

// number returns a check of the limit of a numeric field. The value of the field replaces
// %d in body. The limit plus step must be rejected.
func number(path, body string, step int) func(*testing.T, *apitest.Server, int) {
	return func(t *testing.T, s *apitest.Server, n int) {
		allowed(t, s, path, fmt.Sprintf(body, n), fmt.Sprintf(body, n+step))
	}
}

// defaultOf returns a check that a figure, multiplied by unit, equals the default of a
// setting. If the figure is in seconds and the setting in milliseconds, for example, unit
// is 1000.
func defaultOf(key string, unit int) func(*testing.T, *apitest.Server, int) {
	return func(t *testing.T, _ *apitest.Server, n int) {
		t.Helper()
		for _, d := range setting.Definitions() {
			if d.Key == key {
				if d.Default != strconv.Itoa(n*unit) {
					t.Errorf("the default of %s is %s", key, d.Default)
				}
				return
			}
		}
		t.Errorf("there is no setting %s", key)
	}
}

// constant returns a check that a source file defines a constant with the figure. want contains %d
// in its place.
func constant(file, want string) func(*testing.T, *apitest.Server, int) {
	return func(t *testing.T, _ *apitest.Server, n int) {
		t.Helper()
		source := strings.Join(strings.Fields(read(t, file)), " ")
		if !strings.Contains(source, fmt.Sprintf(want, n)) {
			t.Errorf("%s does not have %q", file, fmt.Sprintf(want, n))
		}
	}
}

// ofProject returns a check that a figure equals a field of a new project.
func ofProject(field string) func(*testing.T, *apitest.Server, int) {
	return func(t *testing.T, s *apitest.Server, n int) {
		if got := apitest.Field[int](t, s.Must(t, 200, "GET", "/admin/projects/a", ""), field); got != n {
			t.Errorf("%s of a new project is %d", field, got)
		}
	}
}

// retention returns a check of a limit of both retention settings. The limit plus step
// must be rejected.
func retention(step int) func(*testing.T, *apitest.Server, int) {
	return func(t *testing.T, s *apitest.Server, n int) {
		for _, field := range []string{"stats_retention_days", "event_retention_days"} {
			for days, want := range map[int]int{n: 200, n + step: 400} {
				if status, answer := s.Ask(t, "PATCH", "/admin/projects/a", fmt.Sprintf(`{%q:%d}`, field, days)); status != want {
					t.Errorf("%s %d: got %d %s, want %d", field, days, status, answer, want)
				}
			}
		}
	}
}

// batch returns a batch of n events.
func batch(n int) string {
	events := make([]string, n)
	for i := range events {
		events[i] = fmt.Sprintf(`{"event_id":"%d","name":"x"}`, i)
	}
	return `{"distinct_id":"x","events":[` + strings.Join(events, ",") + `]}`
}

// zeroBits checks the number of trailing zero bits in the stored addresses of events.
func zeroBits(t *testing.T, address string, want int) {
	t.Helper()
	for _, d := range setting.Definitions() {
		if d.Key != "event.ip_storage" {
			continue
		}
		stored, got := netip.MustParseAddr(proxy.StoredAddress(netip.MustParseAddr(address), d.Default)), 0
		for _, b := range slices.Backward(stored.AsSlice()) {
			got += bits.TrailingZeros8(b)
			if b != 0 {
				break
			}
		}
		if got != want {
			t.Errorf("%s is stored as %s: %d bits are zero", address, stored, got)
		}
	}
}

// TestFields checks that the texts list exactly those fields that openapi.yaml describes
// as sent and stored.
func TestFields(t *testing.T) {
	t.Parallel()
	c := apitest.LoadContract(t)
	schema := func(name string) []string {
		return slices.Collect(maps.Keys(c.Doc.Components.Schemas[name].Value.Properties))
	}
	without := func(fields []string, others ...string) []string {
		return slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return slices.Contains(others, f) })
	}
	added := without(schema("Feedback"), append(schema("FeedbackInput"), "id", "is_hidden", "status", "result", "reply", "replied_at", "reply_token", "forwarded_to_codehost", "codehost_issue_number", "codehost_issue_url")...)
	addedToEvents := []string{"ip", "user_agent", "country_code", "country_name", "region_name", "city", "received_at"}
	var parameters []string
	for _, o := range c.Operations {
		if o.Method == "GET" && strings.HasPrefix(o.Path, "/api/v1/public/") && !strings.HasSuffix(o.Path, "/events/me") {
			parameters = append(parameters, queries(o.Parameters)...)
		}
	}
	want := map[string]map[string][]string{
		terms.PrivacyPolicy: {
			"2.1": append(headers(t), "User-Agent"),
			"2.2": schema("UpdateCheckInput"),
			"2.4": append(schema("FeedbackInput"), added...),
			"2.5": append(schema("LogInput"), added...),
			"2.6": append(schema("StoredEvent"), "distinct_id"),
		},
		terms.SDKCompliance: {
			"3.2": schema("UpdateCheckInput"),
			"3.3": parameters,
			"3.4": schema("FeedbackInput"),
			"3.5": schema("LogInput"),
			"3.6": append(schema("EventBatch"), schema("EventInput")...),
			"3.7": append(slices.Clone(added), "received_at"),
		},
	}
	for _, field := range addedToEvents {
		if !slices.Contains(schema("StoredEvent"), field) {
			t.Errorf("events are not stored with %s any more", field)
		}
	}
	eachText(t, func(t *testing.T, slug string, _ terms.Language, source string) {
		for section, fields := range want[slug] {
			wanted := slices.Compact(slices.Sorted(slices.Values(fields)))
			if named := fieldsIn(t, source, section); !slices.Equal(named, wanted) {
				t.Errorf("section %s names\n%q, want\n%q", section, named, wanted)
			}
		}
	})
}

// TestForwardedFields checks that an issue contains exactly what section 5.2 of the
// privacy policy and docs/security.md state. If the built-in template changes, both must
// change.
func TestForwardedFields(t *testing.T) {
	t.Parallel()
	template := codehost.BuiltinTemplate
	named := slices.Sorted(slices.Values(placeholder.Names(template.Title + template.Body)))
	want := []string{"contact", "content", "content_head", "created_at", "feedback_id", "platform", "platform_version", "project_key", "project_name", "user_id"}
	if !slices.Equal(named, want) {
		t.Errorf("the built-in template has %q; the texts know %q", named, want)
	}
}

// TestHeaders checks that the list of headers in the texts contains all client headers
// that the server reads.
func TestHeaders(t *testing.T) {
	t.Parallel()
	own := slices.Sorted(slices.Values(headers(t)))
	if want := []string{"x-svc-client-time", "x-svc-do-not-track", "x-svc-platform", "x-svc-platform-version"}; !slices.Equal(own, want) {
		t.Errorf("the server reads %q; the texts know %q", own, want)
	}
	eachText(t, func(t *testing.T, _ string, _ terms.Language, source string) {
		for _, name := range own {
			if !strings.Contains(source, "`"+name+"`") {
				t.Errorf("%s is missing", name)
			}
		}
		for _, name := range regexp.MustCompile("`(x-svc-[a-z-]+)`").FindAllStringSubmatch(source, -1) {
			if !slices.Contains(own, name[1]) {
				t.Errorf("the server does not read %s", name[1])
			}
		}
	})
}

// fieldsIn returns the fields that a section names in the first columns of its tables or,
// if it has no table, in its text.
func fieldsIn(t *testing.T, source, section string) (fields []string) {
	t.Helper()
	_, text, found := strings.Cut(source, "\n### "+section+" ")
	if !found {
		t.Fatalf("there is no section %s", section)
	}
	text, _, _ = strings.Cut(text, "\n### ")
	text, _, _ = strings.Cut(text, "\n## ")
	if rows := regexp.MustCompile(`(?m)^\|[^|]*(\|.*)?$`).FindAllString(text, -1); rows != nil && section[0] == '3' {
		for i, row := range rows {
			rows[i] = strings.SplitN(row, "|", 3)[1]
		}
		text = strings.Join(rows, "\n")
	}
	for _, m := range regexp.MustCompile("`([A-Za-z_-]+)`").FindAllStringSubmatch(text, -1) {
		fields = append(fields, m[1])
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// queries returns the names of those parameters that are query parameters.
func queries(parameters openapi3.Parameters) (names []string) {
	for _, p := range parameters {
		if p.Value.In == "query" {
			names = append(names, p.Value.Name)
		}
	}
	return names
}

// headers returns the names of the X-Svc-* headers that the program reads. It finds them
// in the source code of the program, and leaves out those that the program only sends.
func headers(t *testing.T) (names []string) {
	t.Helper()
	sent := []string{"x-svc-cache-status", "x-svc-outcome", "x-svc-standby", "x-svc-version"}
	own := regexp.MustCompile(`"(X-Svc-[A-Za-z-]+)"`)
	for _, root := range []string{"../../api", "../../internal"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range own.FindAllStringSubmatch(string(source), -1) {
				if name := strings.ToLower(m[1]); !slices.Contains(sent, name) && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}
