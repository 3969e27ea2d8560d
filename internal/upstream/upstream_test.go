package upstream_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/outbound"
	"svc/internal/upstream"
)

// world contains a fake other instance, for which a test sets the responses, and a client
// for it.
type world struct {
	*upstream.Client
	asked  atomic.Int64 // number of update checks that the instance has received
	now    time.Time
	log    bytes.Buffer
	answer func(w http.ResponseWriter, r *http.Request, body string)
}

func newWorld(t *testing.T, version string) *world {
	t.Helper()
	w := &world{now: time.Unix(1_700_000_000, 0)}
	host := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if strings.HasSuffix(r.URL.Path, "/check-update") {
			w.asked.Add(1)
		}
		w.answer(out, r, string(body))
	}))
	t.Cleanup(host.Close)
	w.Client = upstream.New(upstream.Config{
		HTTP: outbound.New(outbound.Config{Profile: outbound.Fixed, Version: version}), Origin: host.URL, Version: version,
		Now: func() time.Time { return w.now }, Log: slog.New(slog.NewTextHandler(&w.log, nil)),
	})
	return w
}

func TestCheckAsksAsAnAppDoes(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"1.2.0":      `{"current_comparable_version":"1.2.0","current_version":"1.2.0","include_preview":false}`,
		"1.3.0-rc.1": `{"current_comparable_version":"1.3.0-rc.1","current_version":"1.3.0-rc.1","include_preview":true}`,
		"dev/1 %":    `{"current_version":"dev/1 %"}`,
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, version)
			var seen []string
			w.answer = func(out http.ResponseWriter, r *http.Request, body string) {
				seen = append(seen, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+body))
				if r.Method == http.MethodGet {
					_, _ = fmt.Fprint(out, `{"version":"this","title":null,"published_at":5}`)
					return
				}
				_, _ = fmt.Fprint(out, `{"should_update":true,"required":true,"reason_codes":["milestone_guard"],"latest_version":{"version":"9"},"target_version":{"version":"8"},"unknown":1}`)
			}
			got := w.Check(t.Context(), false)
			if got.Failure != "" || !got.ShouldUpdate || !got.Required || len(got.Reasons) != 1 || got.Latest.Version != "9" || got.Target.Version != "8" || got.Running.Version != "this" || !got.At.Equal(w.now) {
				t.Errorf("got %+v", got)
			}
			const at = "/api/v1/public/svc/versions/"
			if len(seen) != 2 || seen[0] != "POST "+at+"check-update "+want || seen[1] != "GET "+at+"by-version/"+version {
				t.Errorf("got requests %q", seen)
			}
			if page := w.Page("1 &"); page != w.Origin+"/projects/svc?version=1+%26" {
				t.Errorf("got the page %s", page)
			}
		})
	}
}

func TestFailuresAreSaid(t *testing.T) {
	t.Parallel()
	const good = `{"latest_version":{"version":"9"}}`
	for _, tc := range []struct {
		name            string
		status          int
		body            string
		byVersion       int
		want, mustnotbe string
	}{
		{"no such project", 404, `{"message":"secret of the other side"}`, 0, "it publishes no version of svc", "secret"},
		{"a version it does not know", 400, ``, 0, "it does not know version 1.0.0", ""},
		{"an error", 500, ``, 0, "it answered with status 500", ""},
		{"a redirect to another host", 302, ``, 0, "it answered with status 302", ""},
		{"something else than JSON", 200, `<html>`, 0, "its answer has an unexpected form", "html"},
		{"other JSON", 200, `{}`, 0, "its answer has an unexpected form", ""},
		{"fields of other types", 200, `{"latest_version":"9"}`, 0, "its answer has an unexpected form", ""},
		{"without end", 200, `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, 0, "its answer has an unexpected form", ""},
		{"an error of the second question", 200, good, 503, "it answered with status 503", ""},
		{"what runs is not published", 200, good, 404, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "1.0.0")
			w.answer = func(out http.ResponseWriter, r *http.Request, _ string) {
				if r.Method == http.MethodGet {
					out.WriteHeader(tc.byVersion)
					return
				}
				out.Header().Set("Location", "https://elsewhere.example/")
				out.WriteHeader(tc.status)
				_, _ = fmt.Fprint(out, tc.body)
			}
			got := w.Check(t.Context(), false)
			if got.Failure != tc.want || (tc.want != "") != (w.log.Len() > 0) || got.Running != nil || (got.Latest != nil) != (tc.want == "") {
				t.Errorf("got %+v and the log %q, want %q", got, &w.log, tc.want)
			}
			if tc.mustnotbe != "" && strings.Contains(got.Failure, tc.mustnotbe) {
				t.Errorf("%q shows what the other side has said", got.Failure)
			}
		})
	}
	t.Run("nobody is there", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "1.0.0")
		w.Origin = "http://127.0.0.1:1"
		if got := w.Check(t.Context(), false); got.Failure != "the connection was refused" {
			t.Errorf("got %q", got.Failure)
		}
	})
	t.Run("this very server", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "1.0.0")
		w.HTTP = outbound.New(outbound.Config{Profile: outbound.Fixed, Ports: []uint16{1}})
		w.Origin = "http://127.0.0.1:1"
		if got := w.Check(t.Context(), false); got.Failure != "the address is that of this server" {
			t.Errorf("got %q", got.Failure)
		}
	})
}

// TestChecksAreKept checks that callers share the result of a check while it is recent.
func TestChecksAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "1.0.0")
	status := 200
	w.answer = func(out http.ResponseWriter, _ *http.Request, _ string) {
		out.WriteHeader(status)
		_, _ = fmt.Fprint(out, `{"latest_version":{"version":"9"}}`)
	}
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() { w.Check(t.Context(), true) })
	}
	callers.Wait()
	for i, step := range []struct {
		later  time.Duration
		again  bool
		status int
		asked  int64
	}{
		{0, false, 200, 1},
		{59 * time.Minute, false, 200, 1},
		{time.Minute, false, 500, 2},
		{59 * time.Second, false, 200, 2},
		{time.Second, false, 200, 3},
		{9 * time.Second, true, 200, 3},
		{time.Second, true, 200, 4},
		{-time.Minute, false, 200, 5}, // after the clock was set back
	} {
		w.now, status = w.now.Add(step.later), step.status
		w.Check(t.Context(), step.again)
		if got := w.asked.Load(); got != step.asked {
			t.Errorf("step %d: asked %d times, want %d", i, got, step.asked)
		}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if got := w.Check(gone, false); got.Failure != "" {
		t.Errorf("for a caller who has left: got %q", got.Failure)
	}
	w.now = w.now.Add(2 * time.Hour)
	if got := w.Check(gone, false); got.Failure != "" {
		t.Errorf("asked for a caller who has left: got %q", got.Failure)
	}
}
