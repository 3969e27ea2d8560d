package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"svc/internal/geo"
	"svc/internal/platform"
	"svc/internal/useragent"
)

// askFrom returns a request with the given headers, in the form in which a handler receives it.
func askFrom(t *testing.T, clients *Clients, header http.Header) *Request {
	t.Helper()
	hr := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
	hr.Header = header
	return &Request{Request: hr, Route: &Route{Clients: clients}, Addr: netip.MustParseAddr("8.8.8.8"), Received: time.Unix(1_764_604_800, 0)}
}

// TestSystemsAreCached checks that the cache of systems does not exceed its limit, and that a
// cached system equals the detected one.
func TestSystemsAreCached(t *testing.T) {
	t.Parallel()
	c := NewClients(nil)
	for i := range 3 * maxSystems {
		version := fmt.Sprint(i % (2 * maxSystems))
		r := askFrom(t, c, http.Header{"X-Svc-Platform": {"windows"}, "X-Svc-Platform-Version": {version}})
		if got := r.Client().System(); got != (useragent.System{Platform: platform.Windows, Version: version}) {
			t.Fatalf("got %+v, want windows %s", got, version)
		}
	}
	if known := c.systems.Get().(map[description]useragent.System); len(known) > maxSystems {
		t.Errorf("%d systems are cached, want at most %d", len(known), maxSystems)
	}
	r := askFrom(t, c, http.Header{"User-Agent": {"Android 15" + strings.Repeat(" ", maxDescription)}})
	if got := r.Client().System(); got != (useragent.System{Platform: platform.Android, Version: "15"}) {
		t.Errorf("with a long User-Agent: got %+v, want android 15", got)
	}
}

// TestClientIsResolvedOnce checks that each fact about a client is resolved only once per request.
func TestClientIsResolvedOnce(t *testing.T) {
	t.Parallel()
	places, err := geo.Open(true, "")
	if err != nil {
		t.Fatal(err)
	}
	r := askFrom(t, NewClients(places), http.Header{"User-Agent": {"Android 15"}, "X-Svc-Client-Time": {"2025-12-01T16:00:00+08:00"}})
	r.Declare(Declaration{Version: "1.0.0"})
	check := func() {
		t.Helper()
		c := r.Client()
		if c.System().Version != "15" || c.FeedbackSystem().Version != "15" || c.Place().CountryCode != "US" || c.Clock().OffsetMinutes != 480 || c.Version != "1.0.0" {
			t.Errorf("got %+v, %+v, %+v", c.System(), c.Place(), c.Clock())
		}
	}
	check()
	r.Header, r.Addr = http.Header{}, netip.Addr{}
	check()
}
