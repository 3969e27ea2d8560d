package replica_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/outbound"
	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
)

// TestBusyTarget obeys a server that says when to try again.
func TestBusyTarget(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "120")
		http.Error(w, "busy", http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	l, err := target.Parse("webdav+http://" + strings.TrimPrefix(server.URL, "http://") + "/replica")
	if err != nil {
		t.Fatal(err)
	}
	remote, err := target.Open(l, target.Credentials{}, outbound.New(outbound.Config{Profile: outbound.Operator, Version: "test"}))
	if err != nil {
		t.Fatal(err)
	}
	_, _, busy := remote.Open(t.Context(), "a")
	if wait := target.RetryAfter(busy); wait < 110*time.Second || wait > 2*time.Minute {
		t.Fatalf("%v: try again after %v, want two minutes", busy, wait)
	}
	synctest.Test(t, func(t *testing.T) {
		view := targettest.NewMemory().View()
		view.Before = func(context.Context, targettest.Call) error { return busy }
		s := start(t, t.TempDir(), "one", view, nil, positions{})
		time.Sleep(time.Hour + time.Minute) //nolint:forbidigo // by the fake clock of synctest
		if n := s.Counters().Requests["open"]; n < 30 || n > 34 {
			t.Errorf("%d requests in an hour, want one in about two minutes", n)
		}
		s.kill(t)
	})
}
