package loadgen

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLengths(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, begin string
		whole, body int
		broken      string
	}{
		{"a whole answer", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 40, 2, ""},
		{"its body is still to come", "HTTP/1.1 200 OK\r\nDate: x\r\nContent-Length: 12\r\n\r\n", 60, 12, ""},
		{"the header is still to come", "HTTP/1.1 200 OK\r\nContent-Le", 0, 0, ""},
		{"an answer that has no body", "HTTP/1.1 204 No Content\r\n\r\n", 27, 0, ""},
		{"a refusal", "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\n\r\nno", 0, 0, "429"},
		{"no length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 0, 0, "without Content-Length"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			whole, body, err := lengths([]byte(tc.begin))
			if whole != tc.whole || body != tc.body || (err == nil) != (tc.broken == "") || err != nil && !strings.Contains(err.Error(), tc.broken) {
				t.Errorf("got %d, %d, %v, want %d, %d, error %q", whole, body, err, tc.whole, tc.body, tc.broken)
			}
		})
	}
}

// counter is a server that counts requests by path, and connections. The path of a request
// determines the length of the response body.
type counter struct {
	mu          sync.Mutex
	paths       map[string]int
	connections int
}

func (c *counter) start(t *testing.T) (addr string) {
	t.Helper()
	c.paths = map[string]int{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.paths[r.URL.Path]++
		c.mu.Unlock()
		var size int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &size); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Length", fmt.Sprint(size))
		_, _ = w.Write(make([]byte, size)) // the client may have disconnected
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			c.mu.Lock()
			c.connections++
			c.mu.Unlock()
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func gets(n int, size int) (requests [][]byte) {
	for i := range n {
		requests = append(requests, Get(fmt.Sprintf("/%d/%d", size, i), "test"))
	}
	return requests
}

func TestSendAsksEveryRequestOnce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		keep        bool
		connections int // number of connections that the server must have seen
	}{
		{"kept connections", true, 4},
		{"a connection for each", false, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var c counter
			target := Target{Name: "counter", Addr: c.start(t), Requests: gets(100, 200_000), NewConnections: !tc.keep}
			r, err := target.Send(4)
			if err != nil {
				t.Fatal(err)
			}
			if r.Answers != 100 || r.Bytes != 100*200_000 || r.Latency.Count() != 100 || len(c.paths) != 100 {
				t.Errorf("got %d answers with %d bytes, %d latencies, %d paths; want 100 of each, 200,000 bytes each", r.Answers, r.Bytes, r.Latency.Count(), len(c.paths))
			}
			for path, n := range c.paths {
				if n != 1 {
					t.Errorf("%s was asked %d times", path, n)
				}
			}
			if c.connections != tc.connections {
				t.Errorf("got %d connections, want %d", c.connections, tc.connections)
			}
		})
	}
}

func TestSendWithFewerRequestsThanConnections(t *testing.T) {
	t.Parallel()
	var c counter
	r, err := Target{Name: "counter", Addr: c.start(t), Requests: gets(2, 1)}.Send(128)
	if err != nil || r.Answers != 2 {
		t.Errorf("got %d answers, %v, want 2", r.Answers, err)
	}
}

func TestRunRepeatsRequests(t *testing.T) {
	t.Parallel()
	var c counter
	target := Target{Name: "counter", Addr: c.start(t), Requests: gets(3, 10)}
	r, err := target.Run(2, 0)
	if err != nil || r.Answers != 2 {
		t.Errorf("got %d answers, %v; every connection sends at least one, so want 2", r.Answers, err)
	}
	if r, err = target.Run(2, 50*time.Millisecond); err != nil || r.Answers < 4 || r.Took < 50*time.Millisecond || r.Rate() <= 0 {
		t.Errorf("got %d answers in %s, %v, want some in 50ms", r.Answers, r.Took, err)
	}
}

func TestRefusalEndsTheRun(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	_, err := Target{Name: "nobody", Addr: s.Listener.Addr().String(), Requests: gets(100, 1)}.Send(2)
	if err == nil || !strings.Contains(err.Error(), "nobody") || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v, want an error that names the target and the status", err)
	}
}

func TestPost(t *testing.T) {
	t.Parallel()
	want := "POST /a HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: app/1\r\nAccept: application/json\r\nX-Forwarded-For: 192.0.2.1\r\n" +
		"Content-Type: application/json\r\nContent-Length: 4\r\n\r\nnull"
	if got := string(Post("/a", "app/1", []byte("null"), "X-Forwarded-For: 192.0.2.1")); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
