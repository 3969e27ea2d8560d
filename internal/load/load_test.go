package load

import (
	"net/http"
	"net/http/httptest"
	"strings"
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

func TestOnceSendsEveryRequest(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{"/a": "a", "/b": strings.Repeat("b", 200_000)}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Length"] = []string{r.Header.Get("Want")}
		_, _ = w.Write([]byte(bodies[r.URL.Path]))
	}))
	t.Cleanup(s.Close)
	target := Target{Name: "two", Addr: s.Listener.Addr().String(), Requests: [][]byte{
		[]byte("GET /a HTTP/1.1\r\nHost: x\r\nWant: 1\r\n\r\n"),
		[]byte("GET /b HTTP/1.1\r\nHost: x\r\nWant: 200000\r\n\r\n"),
	}}
	got, err := target.Once()
	if err != nil || got.Answers != 2 || got.Bytes != 200_001 {
		t.Errorf("got %+v, %v, want 2 answers with 200001 bytes", got, err)
	}
	if got, err = target.Run(3, 10*time.Millisecond); err != nil || got.Answers == 0 {
		t.Errorf("got %+v, %v, want answers", got, err)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(tc.values); got != tc.want {
			t.Errorf("median of %v: got %v, want %v", tc.values, got, tc.want)
		}
	}
}
