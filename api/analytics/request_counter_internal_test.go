package analytics

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/api/web"
	"svc/internal/geo"
	"svc/internal/platform"
	"svc/internal/requests"
	"svc/internal/useragent"
	"svc/store"
)

// newCounter returns a counter with the country table for a store with one project.
func newCounter(t testing.TB) *RequestCounter {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "lighthouse"}) }); err != nil {
		t.Fatal(err)
	}
	places, err := geo.Open(true, "")
	if err != nil {
		t.Fatal(err)
	}
	c := NewRequestCounter(requests.NewCounter(db, slog.New(slog.DiscardHandler)), db, places, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = c.db.Close() })
	return c
}

// answered is a request with the facts that its handler has read about the client.
type answered struct {
	web.Request
	client web.Client
}

// updateChecks returns typical update checks: from many addresses and a few kinds of clients. Their
// bodies have been decoded.
func updateChecks(t testing.TB, declared bool) []*answered {
	t.Helper()
	agents := []string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
		"Lighthouse/2.3.0 (iPhone; iOS 17.5.1; Scale/3.00)",
		"Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A.230803.041)",
	}
	var all []*answered
	for i := range 64 {
		hr := httptest.NewRequestWithContext(t.Context(), "POST", web.V1+"/public/lighthouse/versions/check-update", http.NoBody)
		hr.Header.Set("User-Agent", agents[i%len(agents)])
		hr.Header.Set("X-Svc-Client-Time", "2026-09-24T10:00:00.000+08:00")
		if declared {
			hr.Header.Set("X-Svc-Platform", "windows")
			hr.Header.Set("X-Svc-Platform-Version", fmt.Sprint(10+i%2))
		}
		all = append(all, &answered{web.Request{
			Request: hr, Route: &web.Route{}, Params: web.Params{{Key: "k", Value: "lighthouse"}},
			Addr:     netip.AddrFrom4([4]byte{byte(20 + i%180), byte(i * 7), byte(i * 13), 1}),
			Received: time.Unix(1_764_604_800, 0),
		}, web.Client{Version: fmt.Sprintf("2.%d.0", i%20)}})
	}
	return all
}

var checkUpdate = CountedEndpoint("VERSION_CHECK_UPDATE")

// TestSystemsAreRemembered checks that the cache of systems stays within its limit, and that a
// cached system equals a detected one.
func TestSystemsAreRemembered(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	one := updateChecks(t, true)[0]
	for i := range 3 * maxSystems {
		version := fmt.Sprint(i % (2 * maxSystems))
		one.Header.Set("X-Svc-Platform-Version", version)
		if got := c.system(&one.Request, useragent.Source{}); got.Version != version || got.Platform != platform.Windows {
			t.Fatalf("got %+v, want windows %s", got, version)
		}
	}
	if known := c.systems.Get().(map[description]useragent.System); len(known) > maxSystems {
		t.Errorf("got %d remembered, want at most %d", len(known), maxSystems)
	}
	one.Header.Set("User-Agent", "Android 15"+strings.Repeat(" ", maxDescription))
	one.Header.Del("X-Svc-Platform")
	one.Header.Del("X-Svc-Platform-Version")
	if got := c.system(&one.Request, useragent.Source{}); got.Version != "15" || got.Platform != platform.Android {
		t.Errorf("with a long User-Agent: got %+v, want android 15", got)
	}
}

// BenchmarkCount measures the time that counting adds to an answered request.
func BenchmarkCount(b *testing.B) {
	for _, declared := range []bool{false, true} {
		b.Run(map[bool]string{false: "user agent", true: "declared"}[declared], func(b *testing.B) {
			c := newCounter(b)
			requests := updateChecks(b, declared)
			for _, r := range requests {
				c.Count(&r.Request, checkUpdate, r.client)
			}
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for i := 0; p.Next(); i++ {
					c.Count(&requests[i%len(requests)].Request, checkUpdate, requests[i%len(requests)].client)
				}
			})
		})
	}
}
