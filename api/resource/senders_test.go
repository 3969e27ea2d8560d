package resource_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/proxy"
)

// sendFrom sends a submission with the given headers and returns the response.
func sendFrom(t *testing.T, s *apitest.Server, path string, headers map[string]string, body string) string {
	t.Helper()
	if _, given := headers["User-Agent"]; !given {
		headers["User-Agent"] = "" // without this, the test client would send its own
	}
	status, answer, _ := s.Send(t, "POST", "/api/v1"+path, headers, body)
	if status != 201 {
		t.Fatalf("%s %v %.200s: got %d %s, want 201", path, headers, body, status, answer)
	}
	return answer
}

// TestSender checks what information about the client is stored with a submission.
func TestSender(t *testing.T) {
	t.Parallel()
	one, none := apitest.NewServer(t, apitest.WithGeo(t)), apitest.NewServer(t, apitest.WithGeo(t), apitest.WithProxies(proxy.Proxies{}))
	own := apitest.NewServer(t, apitest.WithProxies(proxy.Proxies{Count: 1, Headers: []string{"CF-Connecting-IP"}}))
	const unknown = `"country_code":null,"country_name":null,"region_name":null,"city":null`
	const local = `"country_code":"LOCAL","country_name":null,"region_name":null,"city":null`
	for _, s := range []*apitest.Server{one, none, own} {
		s.Project(t, "app")
	}
	for _, tc := range []struct {
		name    string
		server  *apitest.Server
		headers map[string]string
		want    string
	}{
		{"without headers, the connection", one, map[string]string{}, `{"ip":"127.0.0.1","user_agent":null,` + local + `}`},
		{"behind a proxy", one, map[string]string{"X-Forwarded-For": "8.8.8.8"}, `{"ip":"8.8.8.8","country_code":"US","country_name":"United States","region_name":null,"city":null}`},
		{"only the entry of the trusted proxy counts", one, map[string]string{"X-Forwarded-For": "1.1.1.1, 8.8.8.8"}, `{"ip":"8.8.8.8"}`},
		{"before a private entry the nearest public one", one, map[string]string{"X-Forwarded-For": "1.1.1.1, 8.8.8.8, 10.0.0.7"}, `{"ip":"8.8.8.8"}`},
		{"a private network is LOCAL", one, map[string]string{"X-Forwarded-For": "192.168.7.9"}, `{"ip":"192.168.7.9",` + local + `}`},
		{"carrier-grade, too", one, map[string]string{"X-Forwarded-For": "100.64.0.1"}, `{"ip":"100.64.0.1",` + local + `}`},
		{"an address for documents is nowhere", one, map[string]string{"X-Forwarded-For": "203.0.113.9"}, `{"ip":"203.0.113.9",` + unknown + `}`},
		{"brackets and port", one, map[string]string{"X-Forwarded-For": "[2001:DB8::1]:4711"}, `{"ip":"2001:db8::1",` + unknown + `}`},
		{"IPv4 in IPv6", one, map[string]string{"X-Forwarded-For": "::ffff:8.8.8.8"}, `{"ip":"8.8.8.8","country_code":"US"}`},
		{"the second header", one, map[string]string{"X-Real-IP": "8.8.4.4"}, `{"ip":"8.8.4.4"}`},
		{"what is no address counts for nothing", one, map[string]string{"X-Forwarded-For": "unknown"}, `{"ip":"127.0.0.1"}`},
		{"without a trusted proxy no header counts", none, map[string]string{"X-Forwarded-For": "8.8.8.8", "X-Real-IP": "8.8.8.8"}, `{"ip":"127.0.0.1",` + local + `}`},
		{"only the header that is set", own, map[string]string{"X-Forwarded-For": "1.1.1.1", "CF-Connecting-IP": "8.8.8.8"}, `{"ip":"8.8.8.8",` + unknown + `}`},
		{"look-ups switched off, a private network is LOCAL", own, map[string]string{}, `{"ip":"127.0.0.1",` + local + `}`},
		{"the User-Agent", one, map[string]string{"User-Agent": "App/1.0 (tester)"}, `{"user_agent":"App/1.0 (tester)"}`},
		{"512 characters of it", one, map[string]string{"User-Agent": strings.Repeat("a", 600)}, `{"user_agent":"` + strings.Repeat("a", 512) + `"}`},
		{"characters, not bytes", one, map[string]string{"User-Agent": apitest.Long(513)}, `{"user_agent":"` + apitest.Long(512) + `"}`},
		{"a blank one is none", one, map[string]string{"User-Agent": "  "}, `{"user_agent":null}`},
		{"bytes that are no text", one, map[string]string{"User-Agent": "a\xffb"}, `{"user_agent":"a\ufffdb"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for path, body := range map[string]string{"/public/app/feedbacks": `{"content":"c"}`, "/public/app/logs": `{"level":0,"content":"c"}`} {
				if answer := sendFrom(t, tc.server, path, tc.headers, body); apitest.CompareJSON(t, answer, tc.want) != "" {
					t.Errorf("%s: got %s, want %s", path, answer, tc.want)
				}
			}
		})
	}
	stored := one.Must(t, 200, "GET", apitest.LogsOf("app")+"?search=8.8.4.4", "")
	if why := apitest.CompareJSON(t, stored, `{"total":1,"data":[{"ip":"8.8.4.4","user_agent":null,"country_code":"US"}]}`); why != "" {
		t.Errorf("as it was stored: %s", why)
	}
}

// declared holds the platform and version that each part of a request declares, in the form
// "platform/version". "-" means not sent.
type declared struct{ header, query, body, agent string }

func (d declared) send(t *testing.T, s *apitest.Server, path string, fields map[string]any) string {
	t.Helper()
	headers, query := map[string]string{"User-Agent": d.agent}, url.Values{}
	set := func(source string, set func(name, value string)) {
		if source == "" {
			return
		}
		platform, version, _ := strings.Cut(source, "/")
		for name, value := range map[string]string{"platform": platform, "platform_version": version} {
			if value != "-" {
				set(name, value)
			}
		}
	}
	set(d.header, func(name, value string) { headers["X-Svc-"+strings.ReplaceAll(name, "_", "-")] = value })
	set(d.query, query.Set)
	set(d.body, func(name, value string) { fields[name] = value })
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return sendFrom(t, s, path+"?"+query.Encode(), headers, string(body))
}

// shownOrigin returns the platform and version of a record in the form "platform/version".
func shownOrigin(t *testing.T, answer string) string {
	t.Helper()
	show := func(name string) string {
		if v := apitest.Field[*string](t, answer, name); v != nil {
			return *v
		}
		return "-"
	}
	return show("platform") + "/" + show("platform_version")
}

const (
	iPhone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15"
	windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
)

// TestDetectedPlatform checks that the platform is detected in the same way for feedback and logs
// if the body does not contain it.
func TestDetectedPlatform(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	for _, tc := range []struct {
		name string
		declared
		want string
	}{
		{"nothing at all", declared{}, "-/-"},
		{"the User-Agent", declared{agent: iPhone}, "ios/17.5.1"},
		{"a User-Agent without a system", declared{agent: "curl/8.4.0"}, "-/-"},
		{"the header before the query", declared{header: "Windows 11/-", query: "linux/-"}, "windows/11"},
		{"the query", declared{query: "MacOS26/-"}, "macos/26"},
		{"the version in the header", declared{header: "android/ 15. "}, "android/15"},
		{"a declared version wins over the one in the text", declared{header: "windows 10/11"}, "windows/11"},
		{"versions come from the first source that has one", declared{header: "windows/-", query: "-/11"}, "windows/11"},
		{"a distribution is the version", declared{header: "Ubuntu  24.04/-"}, "linux/ubuntu 24.04"},
		{"the User-Agent's version of the same platform", declared{header: "windows/-", agent: windows}, "windows/10"},
		{"not that of another", declared{header: "android/-", agent: windows}, "android/-"},
		{"what is not recognised leaves it to the User-Agent", declared{header: "playstation/-", agent: windows}, "windows/10"},
		{"and not to the next source", declared{header: "playstation/-", query: "linux/-"}, "others/playstation"},
		{"not recognised at all", declared{header: "HarmonyOS 4/-"}, "others/harmonyos 4"},
		{"others without a version is nothing", declared{header: "others/-"}, "-/-"},
		{"a token must end", declared{header: "androidx/-"}, "others/androidx"},
		{"an empty header is sent all the same", declared{header: "/-", query: "linux/-"}, "-/-"},
		{"an empty query is not", declared{query: "/-", agent: windows}, "windows/10"},
		{"web must be said", declared{header: "web/-", agent: windows}, "web/-"},
		{"a long version is dropped, not cut", declared{header: "windows/" + strings.Repeat("1", 33)}, "windows/-"},
		{"32 characters are not long", declared{header: "windows/" + strings.Repeat("1", 32)}, "windows/" + strings.Repeat("1", 32)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := tc.send(t, s, "/public/app/logs", map[string]any{"level": 0, "content": "c"})
			if got := shownOrigin(t, answer); got != tc.want {
				t.Errorf("log: got %s, want %s", got, tc.want)
			}
			answer = tc.send(t, s, "/public/app/feedbacks", map[string]any{"content": "c"})
			if got := shownOrigin(t, answer); got != tc.want {
				t.Errorf("feedback: got %s, want %s", got, tc.want)
			}
		})
	}
}

// TestPlatformInBody checks that the platform in the body has the highest priority for feedback and
// the lowest priority for logs.
func TestPlatformInBody(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	for _, tc := range []struct {
		name string
		declared
		feedback, log string
	}{
		{"alone", declared{body: "windows/11"}, "windows/11", "windows/11"},
		{"in any case", declared{body: " WINDOWS /-"}, "windows/-", "windows/-"},
		{"against a header", declared{body: "windows/11", header: "linux/6.8"}, "windows/11", "linux/6.8"},
		{"the version of a header that names another platform is not used", declared{body: "windows/-", header: "linux/6.8"}, "windows/-", "linux/6.8"},
		{"that of one that names the same is", declared{body: "windows/-", header: "Windows 10/-"}, "windows/10", "windows/10"},
		{"that of one that names none is", declared{body: "windows/-", header: "-/10"}, "windows/10", "windows/10"},
		{"the query likewise", declared{body: "windows/-", query: "-/8.1"}, "windows/8.1", "windows/8.1"},
		{"where the header names another", declared{body: "windows/-", header: "linux/6.8", query: "windows/7"}, "windows/7", "linux/6.8"},
		{"the body's version before that of the header", declared{body: "windows/11", header: "windows/10"}, "windows/11", "windows/10"},
		{"the User-Agent has no say in feedback", declared{body: "windows/-", agent: iPhone}, "windows/-", "windows/-"},
		{"others without a version is nothing", declared{body: "others/-"}, "-/-", "-/-"},
		{"others with a version", declared{body: "others/Haiku R1"}, "others/haiku r1", "others/haiku r1"},
		{"a version alone", declared{body: "-/11", header: "windows/-"}, "windows/11", "windows/11"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := tc.send(t, s, "/public/app/feedbacks", map[string]any{"content": "c"})
			if got := shownOrigin(t, answer); got != tc.feedback {
				t.Errorf("feedback: got %s, want %s", got, tc.feedback)
			}
			answer = tc.send(t, s, "/public/app/logs", map[string]any{"level": 0, "content": "c"})
			if got := shownOrigin(t, answer); got != tc.log {
				t.Errorf("log: got %s, want %s", got, tc.log)
			}
		})
	}
	for _, tc := range []struct{ name, body, want string }{
		{"a platform that is none", "beos 5/-", "others/beos 5"},
		{"with its version", "Windows 11/-", "windows/11"},
		{"a distribution", "ubuntu/-", "linux/ubuntu"},
		{"an empty one", "/", "-/-"},
		{"a long one", strings.Repeat("x", 4000) + "/-", "-/-"},
		{"a long version", "linux/" + strings.Repeat("1", 33), "linux/-"},
	} {
		t.Run("log from "+tc.name, func(t *testing.T) {
			answer := declared{body: tc.body}.send(t, s, "/public/app/logs", map[string]any{"level": 0, "content": "c"})
			if got := shownOrigin(t, answer); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestClientTimeChangesNothing(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	var times []int64
	for i, clock := range []string{"", "1999-12-31T23:59:59Z", "2999-01-01T00:00:00+05:45"} {
		answer := sendFrom(t, s, "/public/app/logs", map[string]string{"X-Svc-Client-Time": clock}, fmt.Sprintf(`{"level":0,"content":"%d"}`, i))
		times = append(times, apitest.Field[int64](t, answer, "created_at"))
	}
	if times[2]-times[0] > 60 || times[1]-times[0] > 60 {
		t.Errorf("created_at: got %v, want the server's time in each", times)
	}
}
