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

// TestMalformedRequests checks that requests that net/http cannot parse are rejected like any other
// request: in JSON, with a request id and with the CORS headers that let a page of another origin
// read the answer.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	s.ask(t, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201)
	const end = " HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\n\r\n"
	for _, tc := range []struct{ name, text, message string }{
		{"escape in the path", "GET /api/v1/public/%zz" + end, "the request is malformed"},
		{"escape cut off", "GET /api/v1/public/a%2" + end, "the request is malformed"},
		{"escape in the query", "GET /api/v1/public/app/versions?limit=%zz" + end, "limit must be an integer of at least 1"},
		{"before a good one", "GET /%zz" + end + strings.ReplaceAll(end, "app.", "other."), "the request is malformed"},
		{"no host", "GET /\x7f HTTP/1.1\r\nOrigin: https://app.example\r\n\r\n", "the request is malformed"},
		{"length that is none", "POST /api/v1/public/app/logs HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\nContent-Length: 2x\r\n\r\n{}", "the request is malformed"},
		{"after a good one", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /%zz" + end, "the request is malformed"},
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
		var body struct {
			StatusCode int
			Message    any
			Error      string
		}
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || body.StatusCode != 400 || body.Error != "Bad Request" || !strings.Contains(fmt.Sprint(body.Message), tc.message) {
			t.Errorf("%s: got %+v, %v; want %q", tc.name, body, err, tc.message)
		}
		h := answer.Header
		if answer.StatusCode != 400 || h.Get("X-Request-Id") == "" || h.Get("Access-Control-Allow-Origin") != "https://app.example" || !strings.HasPrefix(h.Get("Content-Type"), "application/json") || h.Get("Date") == "" {
			t.Errorf("%s: got %d %v", tc.name, answer.StatusCode, h)
		}
		_ = answer.Body.Close()
	}
}
