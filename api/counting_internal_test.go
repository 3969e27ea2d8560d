package api

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

	"svc/internal/origin"
	"svc/internal/platform"
	"svc/store"
)

// countingServer is a server with one project and the country table in it, and
// the path of its store.
func countingServer(t testing.TB) (*Server, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "lighthouse"}) }); err != nil {
		t.Fatal(err)
	}
	geo, err := origin.OpenGeo(true, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{DB: db, Log: slog.New(slog.DiscardHandler), JWTSecret: make([]byte, 32), JWTLife: time.Hour, Geo: geo})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	return s, path
}

// updateChecks are update checks as they arrive: from many addresses, of some
// kinds of clients. Bodies are decoded already.
func updateChecks(t testing.TB, s *Server, declared bool) []*request {
	t.Helper()
	agents := []string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
		"Lighthouse/2.3.0 (iPhone; iOS 17.5.1; Scale/3.00)",
		"Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A.230803.041)",
	}
	var all []*request
	for i := range 64 {
		hr := httptest.NewRequestWithContext(t.Context(), "POST", v1+"/public/lighthouse/versions/check-update", http.NoBody)
		hr.Header.Set("User-Agent", agents[i%len(agents)])
		hr.Header.Set("X-Svc-Client-Time", "2026-09-24T10:00:00.000+08:00")
		if declared {
			hr.Header.Set("X-Svc-Platform", "windows")
			hr.Header.Set("X-Svc-Platform-Version", fmt.Sprint(10+i%2))
		}
		at, params, ok := s.router.lookup(hr.Method, hr.URL.EscapedPath())
		if !ok {
			t.Fatal("no route")
		}
		all = append(all, &request{
			Request: hr, route: &s.routes[at], params: params,
			addr:   netip.AddrFrom4([4]byte{byte(20 + i%180), byte(i * 7), byte(i * 13), 1}),
			client: fmt.Sprintf("2.%d.0", i%20), received: time.Unix(1_764_604_800, 0),
		})
	}
	return all
}

// What a flush could not write is written by the next one, with what came in
// between.
func TestFlushIsTriedAgain(t *testing.T) {
	t.Parallel()
	s, path := countingServer(t)
	requests := updateChecks(t, s, true)
	count := func() {
		for _, r := range requests {
			s.count(r, http.StatusOK)
		}
	}
	count()
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.FlushRequests(); err == nil {
			t.Fatal("a flush into a closed store did not fail")
		}
	}
	count()
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.db = db
	for range 2 { // the second has nothing to add
		if err := s.FlushRequests(); err != nil {
			t.Fatal(err)
		}
		var total int64
		err := db.View(func(tx *store.Tx) error {
			return tx.EachRequest(1, 0, 1<<32-1, func(_ store.Hour, _ store.Request, n int64) { total += n })
		})
		if want := int64(2 * len(requests)); err != nil || total != want {
			t.Errorf("got %d requests (%v), want %d", total, err, want)
		}
	}
}

// What is remembered of clients cannot grow beyond its bound, and a system that
// is remembered is the one that would be found.
func TestSystemsAreRemembered(t *testing.T) {
	t.Parallel()
	s, _ := countingServer(t)
	one := updateChecks(t, s, true)[0]
	for i := range 3 * mostKnown {
		version := fmt.Sprint(i % (2 * mostKnown))
		one.Header.Set("X-Svc-Platform-Version", version)
		if got := s.counts.system(one); got.Version != version || got.Platform != platform.Windows {
			t.Fatalf("got %+v, want windows %s", got, version)
		}
	}
	if known := s.counts.systems.Get().(map[description]origin.Origin); len(known) > mostKnown {
		t.Errorf("got %d remembered, want at most %d", len(known), mostKnown)
	}
	one.Header.Set("User-Agent", "Android 15"+strings.Repeat(" ", longestKnown))
	one.Header.Del("X-Svc-Platform")
	one.Header.Del("X-Svc-Platform-Version")
	if got := s.counts.system(one); got.Version != "15" || got.Platform != platform.Android {
		t.Errorf("with a long User-Agent: got %+v, want android 15", got)
	}
}

// BenchmarkCount is what counting adds to an answered request.
func BenchmarkCount(b *testing.B) {
	for _, declared := range []bool{false, true} {
		b.Run(map[bool]string{false: "user agent", true: "declared"}[declared], func(b *testing.B) {
			s, _ := countingServer(b)
			requests := updateChecks(b, s, declared)
			for _, r := range requests {
				s.count(r, http.StatusOK)
			}
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for i := 0; p.Next(); i++ {
					s.count(requests[i%len(requests)], http.StatusOK)
				}
			})
		})
	}
}
