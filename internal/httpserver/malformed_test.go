package httpserver

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// What is malformed is shown as it came, also after other requests, and never out of
// the memory into which a handler has read: that has other uses by then.
func TestMalformedAfterOthers(t *testing.T) {
	t.Parallel()
	const put = "PUT /ordinary HTTP/1.1\r\nHost: x\r\nContent-Length: "
	for _, tc := range []struct {
		name, body, malformed, path string
	}{
		{"first", "", "GET /shown\r\nHost: x\r\n\r\n", "/shown"},
		{"after a small body", strings.Repeat("x", 10), "GET /shown\r\nHost: x\r\n\r\n", "/shown"},
		{"after a body as long as the buffer", strings.Repeat("x", bufferSize), "GET /shown\r\nHost: x\r\n\r\n", "/shown"},
		{"after a large body", strings.Repeat("x", 4*bufferSize), "GET /shown\r\nHost: x\r\n\r\n", "/shown"},
		{"empty lines byte by byte after a body as long as the buffer", strings.Repeat("x", bufferSize), "\n\n\n\n", ""},
		{"empty lines byte by byte after a large body", strings.Repeat("x", 4*bufferSize), "\n\n\n\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			started, shown := make(chan struct{}, 1), make(chan string, 1)
			c := wireRefusing(t, func(_ http.ResponseWriter, r *http.Request) {
				started <- struct{}{}
				pooled := make([]byte, len(tc.body))
				if _, err := io.ReadFull(r.Body, pooled); err != nil {
					t.Error(err)
				}
				copy(pooled, "GET /of-another\r\n\r\n")
			}, func(w http.ResponseWriter, r *http.Request) {
				shown <- r.URL.Path
				w.WriteHeader(http.StatusBadRequest)
			})
			from := bufio.NewReader(c)
			if tc.body != "" {
				_, err := io.WriteString(c, put+strconv.Itoa(len(tc.body))+"\r\n\r\n")
				must(t, err)
				<-started // so that the body comes alone
				_, err = io.WriteString(c, tc.body)
				must(t, err)
				answer, err := http.ReadResponse(from, nil)
				must(t, err)
				must(t, answer.Body.Close())
			}
			pieces := []string{tc.malformed}
			if tc.path == "" {
				pieces = strings.Split(tc.malformed, "") // what is read alone is not remembered
			}
			for _, piece := range pieces {
				_, err := io.WriteString(c, piece)
				must(t, err)
			}
			answer, err := http.ReadResponse(from, nil)
			must(t, err)
			must(t, answer.Body.Close())
			if got := <-shown; got != tc.path {
				t.Errorf("got path %q, want %q", got, tc.path)
			}
		})
	}
}
