package outbound_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/outbound"
	"svc/internal/testutil"
)

// TestIdle checks for both directions that a transfer may take an hour as long as it makes
// progress, and that it is canceled after a minute without progress.
func TestIdle(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pause time.Duration
		want  string
	}{
		"slow":  {50 * time.Second, ""},
		"stuck": {70 * time.Second, "the transfer stalled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const pieces = 72
				p := make(testutil.Pipes)
				server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if n, _ := io.Copy(io.Discard, r.Body); r.Method == http.MethodPut && n != pieces {
						return // the request was cancelled
					}
					for range pieces {
						if _, err := w.Write([]byte("x")); err != nil || http.NewResponseController(w).Flush() != nil {
							return
						}
						time.Sleep(tc.pause) //nolint:forbidigo // by the fake clock of synctest
					}
				})}
				go func() { _ = server.Serve(p) }() // returns when the server is closed
				transport := &http.Transport{DialContext: p.Dial}
				c := &http.Client{Transport: outbound.Idle(transport, outbound.IdleTime)}

				answer, err := c.Get("http://server/")
				if err == nil {
					_, err = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close() // the body has been read
				}
				check(t, "receive", err, tc.want)

				body, writer := io.Pipe()
				go func() {
					for range pieces {
						if _, err := writer.Write([]byte("x")); err != nil {
							return
						}
						time.Sleep(tc.pause) //nolint:forbidigo // by the fake clock of synctest
					}
					_ = writer.Close() // never fails
				}()
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://server/", body)
				if err != nil {
					t.Fatal(err)
				}
				answer, err = c.Do(r)
				if err == nil {
					_ = answer.Body.Close() // the body is not used
				}
				check(t, "send", err, tc.want)
				_ = server.Close() // closes connections and makes Serve return
				transport.CloseIdleConnections()
				time.Sleep(24 * time.Hour) //nolint:forbidigo // by the fake clock of synctest, so that handlers end
			})
		})
	}
}

func check(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err = outbound.Explain(err); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
		t.Errorf("%s: got %v; want %q", what, err, want)
	}
}
