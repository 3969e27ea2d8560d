package control_test

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/doctor"
	"svc/internal/proxy"
)

// facts requests the facts for svc doctor from the server.
func facts(t *testing.T, s *apitest.Server) (f doctor.Facts) {
	t.Helper()
	status, answer := s.Owner(t, "GET", "/control/doctor", "")
	if err := json.Unmarshal([]byte(answer), &f); err != nil || status != 200 {
		t.Fatalf("got %d %s: %v", status, answer, err)
	}
	return f
}

// TestForwardingIsSeen checks that svc doctor gets the forwarding headers of the last request, and
// that the server logs a likely mistake once.
func TestForwardingIsSeen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		proxies proxy.Proxies
		headers map[string]string
		counts  bool
		lines   []string // expected lines; nil for none
	}{
		{"no header", proxy.Proxies{Count: 1}, nil, false, nil},
		{"an empty header", proxy.Proxies{Count: 1}, map[string]string{"X-Forwarded-For": " "}, false, nil},
		{"one that counts", proxy.Proxies{Count: 1}, map[string]string{"X-Forwarded-For": "203.0.113.7"}, true, []string{"X-Forwarded-For: 203.0.113.7"}},
		{"beside others", proxy.Proxies{Count: 1}, map[string]string{"X-Real-IP": "203.0.113.7", "Forwarded": "for=1"}, true, []string{"X-Real-Ip: 203.0.113.7", "Forwarded: for=1"}},
		{"no proxy", proxy.Proxies{}, map[string]string{"X-Forwarded-For": "203.0.113.7"}, false, []string{"X-Forwarded-For: 203.0.113.7"}},
		{"one that is not read", proxy.Proxies{Count: 1}, map[string]string{"Cf-Connecting-Ip": "203.0.113.7"}, false, []string{"Cf-Connecting-Ip: 203.0.113.7"}},
		{"one of the settings", proxy.Proxies{Count: 1, Headers: []string{"x-mine"}}, map[string]string{"X-Mine": "203.0.113.7"}, true, []string{"X-Mine: 203.0.113.7"}},
		{"not that of the settings", proxy.Proxies{Count: 1, Headers: []string{"x-mine"}}, map[string]string{"X-Forwarded-For": "203.0.113.7"}, false, []string{"X-Forwarded-For: 203.0.113.7"}},
		{"one without an address", proxy.Proxies{Count: 1}, map[string]string{"X-Forwarded-For": "unknown"}, false, []string{"X-Forwarded-For: unknown"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var log apitest.Journal
			s := apitest.NewServer(t, apitest.WithLog(&log), apitest.WithProxies(tc.proxies))
			for range 3 {
				s.Send(t, "GET", "/healthz", tc.headers, "")
			}
			f := facts(t, s).Forwarding
			if f.Count != tc.proxies.Count || !slices.Equal(f.Headers, tc.proxies.Headers) {
				t.Errorf("got settings %d %q, want those of the server", f.Count, f.Headers)
			}
			if tc.lines == nil {
				if f.Last != nil || f.Ignored != nil {
					t.Fatalf("got %v and %v, want nothing", f.Last, f.Ignored)
				}
				return
			}
			if f.Last == nil || !slices.Equal(f.Last.Headers, tc.lines) || f.Last.Peer != "127.0.0.1" {
				t.Fatalf("got %+v, want %q from 127.0.0.1", f.Last, tc.lines)
			}
			said := len(log.Lines(t, "forwarding header ignored, so its sender counts as the client; see svc doctor"))
			if tc.counts && (f.Ignored != nil || said != 0 || f.Last.Client != "203.0.113.7") {
				t.Errorf("got %+v ignored, %d lines, client %s; want none, and 203.0.113.7", f.Ignored, said, f.Last.Client)
			}
			if !tc.counts && (f.Ignored == nil || said != 1 || f.Last.Client != "127.0.0.1") {
				t.Errorf("got %+v ignored, %d lines, client %s; want one line, and 127.0.0.1", f.Ignored, said, f.Last.Client)
			}
		})
	}
}

// TestForwardingIsLookedAtNowAndThen checks that the server only examines the first requests of
// each second.
func TestForwardingIsLookedAtNowAndThen(t *testing.T) {
	t.Parallel()
	var second atomic.Int64
	second.Store(time.Now().Unix())
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) { c.Now = func() time.Time { return time.Unix(second.Load(), 0) } }))
	seen := func() *doctor.Chain { return facts(t, s).Forwarding.Last }
	for range 40 {
		s.Send(t, "GET", "/healthz", nil, "")
	}
	s.Send(t, "GET", "/healthz", map[string]string{"X-Forwarded-For": "203.0.113.7"}, "")
	if got := seen(); got != nil {
		t.Errorf("after many requests in one second: got %+v, want that it was not looked at", got)
	}
	second.Add(1)
	s.Send(t, "GET", "/healthz", map[string]string{"X-Forwarded-For": "203.0.113.8"}, "")
	if got := seen(); got == nil || got.Client != "203.0.113.8" {
		t.Errorf("in the next second: got %+v, want 203.0.113.8", got)
	}
}

// TestGatewayIsSeen checks that a server in a container detects requests that arrive from the
// gateway of the container.
func TestGatewayIsSeen(t *testing.T) {
	t.Parallel()
	for gateway, want := range map[string]int{"127.0.0.1": 1, "172.17.0.1": 0} {
		var log apitest.Journal
		s := apitest.NewServer(t, apitest.WithLog(&log), apitest.WithConfig(func(c *api.Config) { c.Gateway = netip.MustParseAddr(gateway) }))
		for range 2 {
			s.Send(t, "GET", "/healthz", nil, "")
		}
		got := len(log.Lines(t, "requests come from the gateway of the container: clients that reach the published port directly can forge an address; see svc doctor"))
		shown := facts(t, s).Forwarding.Gateway
		if got != want || (shown == gateway) != (want == 1) {
			t.Errorf("gateway %s: got %d lines and %q, want %d", gateway, got, shown, want)
		}
	}
}

func TestDoctorFacts(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex())
	if f := facts(t, s); f.Keys != (doctor.Keys{}) {
		t.Errorf("a new server: got %+v, want no keys", f.Keys)
	}
	s.Clock.Advance(time.Hour)
	s.Key(t, `{"name":"one","scopes":["projects:write"]}`)
	revoked := apitest.Field[string](t, s.Must(t, 201, "POST", "/auth/api-keys", `{"name":"two"}`), "id")
	s.Must(t, 200, "DELETE", "/auth/api-keys/"+revoked, "")
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"a","name":"A"}`)
	f := facts(t, s)
	if f.Keys != (doctor.Keys{Active: 1}) {
		t.Errorf("got %+v, want one key, with this salt", f.Keys)
	}
	if ahead := time.Until(time.UnixMilli(f.LastID)); ahead < 50*time.Minute || ahead > time.Hour {
		t.Errorf("the last id is %s ahead, want about an hour, as the clock was", ahead)
	}
	if f.Index.Last == 0 {
		t.Errorf("got %+v, want the change that was made", f.Index)
	}
}

// TestUnpublishedTerms checks that a terms document is reported until its text contains no
// placeholders.
func TestUnpublishedTerms(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex())
	for _, step := range []struct{ body, want string }{
		{"", "privacy-policy sdk-compliance"},
		{`{"custom":true,"content":"By {{ operator_name }}"}`, "privacy-policy sdk-compliance"},
		{`{"content":"By Ada"}`, "sdk-compliance"},
		{`{"custom":false}`, "privacy-policy sdk-compliance"},
	} {
		if step.body != "" {
			s.Must(t, 200, "PUT", "/admin/terms/documents/privacy-policy", step.body)
		}
		if got := strings.Join(facts(t, s).UnpublishedTerms, " "); got != step.want {
			t.Errorf("after %s: got %q, want %q", step.body, got, step.want)
		}
	}
}

// TestPagesOfCopies checks that damage in the data files is found in copies of them, and that the
// copies are removed afterwards.
func TestPagesOfCopies(t *testing.T) {
	t.Parallel()
	var staging string
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) {
		staging = filepath.Join(filepath.Dir(c.BootstrapFile), "copies")
		c.Staging = staging
	}))
	status, answer := s.Owner(t, "POST", "/control/doctor/pages", "")
	if why := apitest.CompareJSON(t, answer, `{"data":[{"name":"svc.db","error":""},{"name":"events.db","error":""}]}`); status != 200 || why != "" {
		t.Errorf("got %d %s: %s", status, answer, why)
	}
	left, err := os.ReadDir(staging)
	if err != nil || len(left) > 0 {
		t.Errorf("got %v left over, %v; want nothing", left, err)
	}
}

// TestDoctorCountsEventNames checks the number of event names per project.
func TestDoctorCountsEventNames(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "none")
	s.Project(t, "app")
	s.Must(t, 202, "POST", "/public/app/events", `{"distinct_id":"u","events":[{"event_id":"1","name":"a"},{"event_id":"2","name":"b"},{"event_id":"3","name":"a"}]}`)
	if got, want := facts(t, s).EventNames, []doctor.EventNames{{Project: "app", Names: 2}}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
