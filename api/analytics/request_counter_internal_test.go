package analytics

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"svc/api/web"
	"svc/internal/geo"
	"svc/internal/requests"
	"svc/store"
)

// newCounter returns a counter for a store with one project.
func newCounter(t testing.TB) *RequestCounter {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "lighthouse"}) }); err != nil {
		t.Fatal(err)
	}
	c := NewRequestCounter(requests.NewCounter(db, slog.New(slog.DiscardHandler)), db, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = c.db.Close() })
	return c
}

// updateChecks returns typical update checks. They come from many addresses and a few kinds of
// clients. Their locations are looked up in the country table.
func updateChecks(t testing.TB, declared bool) []*web.Request {
	t.Helper()
	places, err := geo.Open(true, "")
	if err != nil {
		t.Fatal(err)
	}
	route := &web.Route{Clients: web.NewClients(places)}
	agents := []string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
		"Lighthouse/2.3.0 (iPhone; iOS 17.5.1; Scale/3.00)",
		"Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A.230803.041)",
	}
	var all []*web.Request
	for i := range 64 {
		hr := httptest.NewRequestWithContext(t.Context(), "POST", web.V1+"/public/lighthouse/versions/check-update", http.NoBody)
		hr.Header.Set("User-Agent", agents[i%len(agents)])
		hr.Header.Set("X-Svc-Client-Time", "2026-09-24T10:00:00.000+08:00")
		if declared {
			hr.Header.Set("X-Svc-Platform", "windows")
			hr.Header.Set("X-Svc-Platform-Version", fmt.Sprint(10+i%2))
		}
		all = append(all, &web.Request{
			Request: hr, Route: route, Params: web.Params{{Key: "k", Value: "lighthouse"}},
			Addr:     netip.AddrFrom4([4]byte{byte(20 + i%180), byte(i * 7), byte(i * 13), 1}),
			Received: time.Unix(1_764_604_800, 0),
		})
	}
	return all
}

var checkUpdate = CountedEndpoint("VERSION_CHECK_UPDATE")

// BenchmarkCount measures the time that it takes to count an answered request.
func BenchmarkCount(b *testing.B) {
	for _, declared := range []bool{false, true} {
		b.Run(map[bool]string{false: "user agent", true: "declared"}[declared], func(b *testing.B) {
			c := newCounter(b)
			requests, versions := updateChecks(b, declared), []string{"2.0.0", "2.1.0", "2.2.0", "2.3.0"}
			count := func(i int) {
				one := requests[i%len(requests)]
				r := &web.Request{Request: one.Request, Route: one.Route, Params: one.Params, Addr: one.Addr, Received: one.Received}
				r.Declare(web.Declaration{Version: versions[i%len(versions)]})
				c.Count(r, checkUpdate)
			}
			for i := range requests {
				count(i)
			}
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for i := 0; p.Next(); i++ {
					count(i)
				}
			})
		})
	}
}
