package analytics_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/proxy"
)

// sendEvent sends one event of the sender "u" with the given headers. fields are additional fields
// of the batch. It returns the stored event.
func sendEvent(t *testing.T, s *apitest.Server, project string, headers map[string]string, fields string) string {
	t.Helper()
	s.Project(t, project)
	all := map[string]string{"User-Agent": "", "Content-Type": "application/json"}
	maps.Copy(all, headers)
	body := `{"distinct_id":"u","events":[{"event_id":"1","name":"a"}]` + fields + `}`
	if status, answer, _ := s.Send(t, "POST", "/api/v1/public/"+project+"/events", all, body); status != http.StatusAccepted {
		t.Fatalf("%s: got %d %s", body, status, answer)
	}
	return stored(t, s, project, "u")
}

// TestStoredAddress checks the form in which an address is stored for each setting.
func TestStoredAddress(t *testing.T) {
	t.Parallel()
	servers := map[string]*apitest.Server{}
	for _, storage := range []string{"", proxy.IPAnonymized, proxy.IPFull, proxy.IPNone} {
		servers[storage] = apitest.NewServer(t, apitest.WithRateLimit(0), apitest.WithConfig(func(c *api.Config) { c.EventIPStorage = storage }))
	}
	for i, tc := range []struct{ rule, storage, address, want string }{
		{"anonymised is the default", "", "203.0.113.77", `"203.0.113.0"`},
		{"IPv4 loses its last part", proxy.IPAnonymized, "203.0.113.77", `"203.0.113.0"`},
		{"also with a port", proxy.IPAnonymized, "203.0.113.77:4711", `"203.0.113.0"`},
		{"IPv4 in IPv6 is IPv4", proxy.IPAnonymized, "::ffff:203.0.113.77", `"203.0.113.0"`},
		{"IPv6 keeps 48 bits, written in full", proxy.IPAnonymized, "2001:db8:1::9", `"2001:db8:1:0:0:0:0:0"`},
		{"in lower case, without leading zeros", proxy.IPAnonymized, "2001:0DB8:00AB:1:2:3:4:5", `"2001:db8:ab:0:0:0:0:0"`},
		{"zeros are not left out", proxy.IPAnonymized, "2001::1", `"2001:0:0:0:0:0:0:0"`},
		{"brackets and port", proxy.IPAnonymized, "[2001:db8:1::9]:443", `"2001:db8:1:0:0:0:0:0"`},
		{"a zone is stripped", proxy.IPAnonymized, "fe80::1%eth0", `"fe80:0:0:0:0:0:0:0"`},
		{"a private address, too", proxy.IPAnonymized, "192.168.7.9", `"192.168.7.0"`},
		{"what is no address leaves the connection's", proxy.IPAnonymized, "unknown", `"127.0.0.0"`},
		{"full", proxy.IPFull, "203.0.113.77", `"203.0.113.77"`},
		{"full IPv6 in its usual form", proxy.IPFull, "2001:0DB8:1::0:9", `"2001:db8:1::9"`},
		{"none", proxy.IPNone, "203.0.113.77", `null`},
		{"none of IPv6", proxy.IPNone, "2001:db8:1::9", `null`},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			answer := sendEvent(t, servers[tc.storage], fmt.Sprint("p", i), map[string]string{"X-Forwarded-For": tc.address}, "")
			if why := apitest.CompareJSON(t, answer, `{"data":[{"ip":`+tc.want+`}]}`); why != "" {
				t.Errorf("%s: %s", tc.address, why)
			}
		})
	}
}

// TestStoredClient checks which properties of a client are stored.
func TestStoredClient(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0), apitest.WithGeo(t))
	type headers = map[string]string
	for i, tc := range []struct {
		rule    string
		headers headers
		fields  string
		want    string
	}{
		{
			"nothing is known",
			headers{"X-Forwarded-For": "203.0.113.9"},
			"",
			`{"session_id":null,"properties":null,"user_agent":null,"country_code":null,"country_name":null,"region_name":null,"city":null,"platform":null,"platform_version":null}`,
		},
		{"the place of the full address", headers{"X-Forwarded-For": "8.8.8.8"}, "", `{"ip":"8.8.8.0","country_code":"US","country_name":"United States"}`},
		{"a private network is LOCAL", headers{"X-Forwarded-For": "10.1.2.3"}, "", `{"country_code":"LOCAL","country_name":null}`},
		{"the User-Agent", headers{"User-Agent": "App/1.0 (tester)"}, "", `{"user_agent":"App/1.0 (tester)"}`},
		{"512 characters of it", headers{"User-Agent": strings.Repeat("a", 600)}, "", `{"user_agent":"` + strings.Repeat("a", 512) + `"}`},
		{"a blank one is none", headers{"User-Agent": "  "}, "", `{"user_agent":null}`},
		{"platform of the header", headers{"X-Svc-Platform": "Windows 11"}, `,"platform":"ios"`, `{"platform":"windows","platform_version":"11"}`},
		{"platform of the body", headers{}, `,"platform":"MacOS26"`, `{"platform":"macos","platform_version":"26"}`},
		{"version of the body", headers{}, `,"platform":"windows 10","platform_version":"11"`, `{"platform":"windows","platform_version":"11"}`},
		{
			"platform of the User-Agent",
			headers{"User-Agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"},
			`,"platform":"playstation"`,
			`{"platform":"macos","platform_version":"10.15.7"}`,
		},
		{"others with a version", headers{}, `,"platform":"HarmonyOS 4"`, `{"platform":"others","platform_version":"harmonyos 4"}`},
		{"others without a version says nothing", headers{"User-Agent": "curl/8.4.0"}, `,"platform":"others"`, `{"platform":null,"platform_version":null}`},
		{"a session", headers{}, `,"session_id":" S1 "`, `{"session_id":" S1 "}`},
		{"an empty session is none", headers{}, `,"session_id":""`, `{"session_id":null}`},
		{
			"a beacon: text/plain, platform in the body",
			headers{"Content-Type": "text/plain;charset=UTF-8", "Origin": "https://a.example"},
			`,"platform":"web"`,
			`{"platform":"web","event_name":"a"}`,
		},
		{"a form is JSON all the same", headers{"Content-Type": "application/x-www-form-urlencoded"}, "", `{"event_name":"a"}`},
		{"no content type", headers{"Content-Type": ""}, "", `{"event_name":"a"}`},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			answer := sendEvent(t, s, fmt.Sprint("p", i), tc.headers, tc.fields)
			if why := apitest.CompareJSON(t, answer, `{"distinct_id":"u","total":1,"data":[`+tc.want+`]}`); why != "" {
				t.Errorf("%s in %s", why, answer)
			}
		})
	}
}

// TestStoredProperties checks that stored properties of events are returned unchanged.
func TestStoredProperties(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	levels := strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat("}", 100)
	for i, tc := range []struct{ rule, sent, want string }{
		{
			"all kinds of values",
			`{"s":"x","n":1.50,"e":1e3,"t":true,"f":false,"z":null,"o":{"a":[1,{}]},"l":[]}`,
			`{"s":"x","n":1.50,"e":1e3,"t":true,"f":false,"z":null,"o":{"a":[1,{}]},"l":[]}`,
		},
		{"numbers beyond all bounds", `{"n":1e400,"m":123456789012345678901234567890.5}`, `{"n":1e400,"m":123456789012345678901234567890.5}`},
		{"none is not null", `{}`, `{}`},
		{"null is none", `null`, `null`},
		{"white space goes", "{ \"a\" :\n1 }", `{"a":1}`},
		{"the last of a key that comes twice", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{"an empty key, dots, escapes", `{"":1,"a.b":2,"\u0041\n":"\u00e4\ud83d\ude00<&>"}`, `{"":1,"a.b":2,"A\n":"ä😀<&>"}`},
		{"100 levels", levels, levels},
		{"a long text", `{"a":"` + apitest.Long(70_000) + `"}`, `{"a":"` + apitest.Long(70_000) + `"}`},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			project := fmt.Sprint("p", i)
			s.Project(t, project)
			body := `{"distinct_id":"u","events":[{"event_id":"1","name":"a","properties":` + tc.sent + `}]}`
			if status, answer, _ := s.Do(t, "POST", "/public/"+project+"/events", "", body); status != 202 {
				t.Fatalf("got %d %s", status, answer)
			}
			answer := stored(t, s, project, "u")
			if why := apitest.CompareJSON(t, answer, `{"data":[{"properties":`+tc.want+`}]}`); why != "" {
				t.Errorf("%s in %.1000s", why, answer)
			}
		})
	}
}
