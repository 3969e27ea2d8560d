package cmd_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestMalformedRequests checks that net/http rejects a request that it cannot parse and closes the
// connection, and that other requests are not affected. The server itself must reject an invalid
// query with a JSON error that has a request id and can be read by pages of other origins.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	s.ask(t, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201)
	const end = " HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\n\r\n"
	for _, tc := range []struct{ name, text, message string }{
		{"escape in the path", "GET /api/v1/public/%zz" + end, ""},
		{"escape cut off", "GET /api/v1/public/a%2" + end, ""},
		{"escape in the query", "GET /api/v1/public/app/versions?limit=%zz" + end, "limit must be an integer of at least 1"},
		{"before a good one", "GET /%zz" + end + strings.ReplaceAll(end, "app.", "other."), ""},
		{"no host", "GET /\x7f HTTP/1.1\r\nOrigin: https://app.example\r\n\r\n", ""},
		{"length that is none", "POST /api/v1/public/app/logs HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\nContent-Length: 2x\r\n\r\n{}", ""},
		{"after a good one", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /%zz" + end, ""},
	} {
		c := s.dial(t, tc.text)
		from := bufio.NewReader(c)
		answer, err := http.ReadResponse(from, nil)
		if err == nil && strings.HasPrefix(tc.name, "after") {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer, err = http.ReadResponse(from, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if answer.StatusCode != 400 || tc.message == "" && !answer.Close {
			t.Errorf("%s: got status %d, the connection is closed: %v", tc.name, answer.StatusCode, answer.Close)
		}
		if tc.message != "" {
			checkRefusal(t, tc.name, answer, tc.message)
		}
		_ = answer.Body.Close()
	}
	s.ask(t, "GET", "/public/app/versions", "", 200)
}

// checkRefusal checks an error response that comes from the server's own code, not from net/http.
func checkRefusal(t *testing.T, name string, answer *http.Response, message string) {
	t.Helper()
	var body struct {
		StatusCode int
		Message    any
		Error      string
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || body.StatusCode != 400 || body.Error != "Bad Request" || !strings.Contains(fmt.Sprint(body.Message), message) {
		t.Errorf("%s: got %+v, %v; want %q", name, body, err, message)
	}
	h := answer.Header
	if h.Get("X-Request-Id") == "" || h.Get("Access-Control-Allow-Origin") != "https://app.example" || !strings.HasPrefix(h.Get("Content-Type"), "application/json") || h.Get("Date") == "" {
		t.Errorf("%s: got %v", name, h)
	}
}
