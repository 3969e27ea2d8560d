package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

// TestSlowClients checks that clients that send part of a request and then stop do not delay the
// responses to other clients. The server must close their connections.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	s.Impatient(t)
	const post = "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n"
	put := "PUT /api/v1/admin/projects/a/versions/by-version/1.0.0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.Admin + "\r\n"
	const stranger = "HTTP/1.1 (400|503) " // only eight bodies of an address may be in progress
	for _, tc := range []struct{ name, beginning, answer string }{
		{"nothing", "", ""},
		{"a byte of the request", "G", ""},
		{"a byte of a header", "GET /api/v1/health HTTP/1.1\r\nH", ""},
		{"headers without an end", "GET /api/v1/health HTTP/1.1\r\nHost: x\r\n", ""},
		{"a byte of the body", post + "Content-Length: 1000\r\n\r\n{", stranger},
		{"a byte of a body in pieces", post + "Transfer-Encoding: chunked\r\n\r\n1\r\n{", stranger},
		{"a byte of the length of a piece", post + "Transfer-Encoding: chunked\r\n\r\n1", stranger},
		{"a byte of a body of the administrator", put + "Content-Length: 40000\r\n\r\n{", "HTTP/1.1 400 "},
	} {
		want := regexp.MustCompile("^" + tc.answer)
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var slow []net.Conn
			for range 50 {
				slow = append(slow, s.Dial(t, tc.beginning))
			}
			for range 10 {
				if status, answer, _ := s.Do(t, "GET", "/public/a", "", ""); status != 200 {
					t.Errorf("another client gets %d %s", status, answer)
				}
			}
			s.Must(t, 200, "PATCH", "/admin/projects/a", `{"author":"b"}`)
			for _, conn := range slow {
				answer, err := io.ReadAll(conn) // ends when the server has closed the connection
				if err != nil || !want.Match(answer) {
					t.Fatalf("the slow client gets %q, error %v, want %q and the end of the connection", answer, err, want)
				}
			}
		})
	}
	t.Cleanup(func() {
		if got := s.InProcess(t, "/admin/projects/a/versions"); got != `{"total":0,"data":[]}` {
			t.Errorf("half a request did something: %s", got)
		}
	})
}

// TestClientsThatDoNotRead checks that clients that do not read their responses do not prevent other
// clients from reading and writing.
func TestClientsThatDoNotRead(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	s.Must(t, 201, "PUT", "/admin/projects/a/versions/by-version/1.0.0", `{"content":"`+strings.Repeat("-", 500<<10)+`"}`)
	s.Impatient(t)
	for range 20 {
		s.Dial(t, "GET /api/v1/public/a/versions?limit=100 HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	for range 10 {
		s.Must(t, 200, "PATCH", "/admin/projects/a", `{"author":"b"}`)
		if status, _, _ := s.Do(t, "GET", "/public/a", "", ""); status != 200 {
			t.Errorf("another client gets %d", status)
		}
	}
}

// TestSlowUpload checks that the server accepts a large body even if sending it takes longer than
// the timeout for small bodies.
func TestSlowUpload(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	s.Impatient(t)
	body := `{"content":"` + strings.Repeat("-", 100<<10) + `"}`
	conn := s.Dial(t, fmt.Sprintf("PUT /api/v1/admin/projects/a/versions/by-version/1.0.0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		s.Admin, len(body), body[:len(body)/2]))
	for begin := time.Now(); time.Since(begin) < 2500*time.Millisecond; { // until both limits have passed
		s.Must(t, 200, "GET", "/admin/projects/a", "")
	}
	if _, err := io.WriteString(conn, body[len(body)/2:]); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 201 {
		t.Errorf("got %d, want 201", answer.StatusCode)
	}
}

// TestSlowExport checks that a response may take longer than all time limits without being cut off.
func TestSlowExport(t *testing.T) {
	t.Parallel()
	const events = 12
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "a")
	text := strings.Repeat("x", 20_000)
	for i := range events {
		s.Do(t, "POST", "/public/a/events", "", fmt.Sprintf(`{"distinct_id":"u","events":[{"event_id":"%d","name":"a","properties":{"text":%q}}]}`, i, text))
	}
	s.Impatient(t)
	conn := s.Dial(t, "GET /api/v1/public/a/events/me?distinct_id=u HTTP/1.1\r\nHost: x\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	for begin := time.Now(); time.Since(begin) < 2500*time.Millisecond; { // until both limits have passed
		s.Must(t, 200, "GET", "/admin/projects/a", "")
	}
	body, err := io.ReadAll(answer.Body)
	if want := fmt.Sprintf(`"total":%d}`, events); err != nil || !strings.HasSuffix(string(body), want) {
		t.Errorf("got %d bytes, error %v, want them to end in %s", len(body), err, want)
	}
}

// TestClientGoesAway checks that a request has no effect if the client disconnects before the end
// of its body.
func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, length, body string }{
		{"in the middle of its body", "Content-Length: 1000", `{"title":"half`},
		{"before its body", "Content-Length: 1000", ``},
		{"where the body looks complete", "Content-Length: 1000", `{"title":"half"}`},
		{"between pieces", "Transfer-Encoding: chunked", "2\r\n{}\r\n"},
		{"in the middle of a piece", "Transfer-Encoding: chunked", "ff\r\n{}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var log apitest.Journal
			s := apitest.NewServer(t, apitest.WithLog(&log))
			s.Project(t, "a")
			conn := s.Dial(t, fmt.Sprintf("PUT /api/v1/admin/projects/a/versions/by-version/1.0.0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n%s", s.Admin, tc.length, tc.body))
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			if line := log.Take(t, "method", "PUT"); line["status"] != float64(400) {
				t.Errorf("the log has %v, want status 400", line)
			}
			if strings.Contains(log.String(), `"level":"ERROR"`) {
				t.Errorf("the log has an error:\n%s", &log)
			}
			if got := s.InProcess(t, "/admin/projects/a/versions"); got != `{"total":0,"data":[]}` {
				t.Errorf("half a request did something: %s", got)
			}
		})
	}
}

// TestClientGivesUp checks that a client that disconnects while its password is being checked
// causes no error in the log.
func TestClientGivesUp(t *testing.T) {
	t.Parallel()
	var log apitest.Journal
	s := apitest.NewServer(t, apitest.WithLog(&log))
	for _, tc := range []struct{ method, path, body string }{
		{"POST", "/auth/login", apitest.Credentials("admin", apitest.Password)},
		{"POST", "/auth/login", apitest.Credentials("nobody", apitest.Password)},
		{"PATCH", "/auth/password", `{"current_password":"correct horse","new_password":"battery staple"}`},
	} {
		gone, leave := context.WithCancel(t.Context())
		leave()
		r := httptest.NewRequestWithContext(gone, tc.method, "/api/v1"+tc.path, strings.NewReader(tc.body))
		r.Header.Set("Authorization", "Bearer "+s.Admin)
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code < 400 {
			t.Errorf("%s %s: got %d %s", tc.method, tc.path, w.Code, w.Body)
		}
	}
	if strings.Contains(log.String(), `"level":"ERROR"`) {
		t.Errorf("the log has an error:\n%s", &log)
	}
	if status, token := s.LogIn(t, "admin", apitest.Password); status != 201 || !s.Works(t, token) {
		t.Errorf("login afterwards: got %d", status)
	}
}

// exchangeRaw sends bytes unchanged and returns the response.
func exchangeRaw(t *testing.T, s *apitest.Server, text string) (status int, header http.Header, body string) {
	t.Helper()
	conn := s.Dial(t, text)
	defer conn.Close()
	method, _, _ := strings.Cut(text, " ")
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%.200q: %v", text, err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%.200q: %v", text, err)
	}
	return answer.StatusCode, answer.Header, string(b)
}
