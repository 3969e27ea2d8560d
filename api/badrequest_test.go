package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/testutil"
)

// TestHostileQueries checks that no query string causes a server error.
func TestHostileQueries(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := apitest.NewServer(t)
	at := makeTarget(t, s, "a")
	values := []string{
		"", "%20", "0", "-1", "1", "+1", "%2B1", "1.0", "1e3", "0x10", "١", "99999999999999999999999", "9223372036854775807", "9223372036854775808", "9007199254740992", "9007199254740993",
		"-9223372036854775809", "NaN", "null", "true", "TRUE", "windows", "a,b", "%00", "%ff", "%zz", "%", "%u0041", "a;b", "%F0%9F%98%80", "%C3%28", "%E2%80%AE", "..%2f..", "*", "%25", "_",
		strings.Repeat("x", 10_000), strings.Repeat("%F0%9F%98%80", 129),
	}
	names := []string{"limit", "offset", "search", "platform", "is_preview", "is_deprecated", "is_milestone", "forced", "locale", "version", "distinct_id", "start_time", "granularity", "LIMIT", "%6cimit", "limit[]"}
	queries := []string{"%zz", ";", "&&&", "=", "==", "a=b=c", "?", "limit=5&limit=x", "limit=x&limit=5", "limit=5;offset=1", strings.Repeat("a=b&", 2000)}
	for _, name := range names {
		for _, value := range values {
			queries = append(queries, name+"="+value)
		}
	}
	for _, e := range api.Routes() {
		if e.Method != "GET" {
			continue
		}
		for _, query := range queries {
			status, answer, _ := s.Send(t, "GET", at.path(e.Path)+"?"+query, map[string]string{
				"Authorization": "Bearer " + s.Admin, "X-Forwarded-For": apitest.Stranger(), "X-Reply-Token": at.replyToken,
			}, "")
			if status != 200 && status != 400 {
				t.Errorf("GET %s?%.100s: got %d %s, want 200 or 400", e.Path, query, status, answer)
			}
		}
	}
}

// TestHostilePaths checks that no value of a path parameter causes a server error, and that a value
// that is not valid UTF-8 is refused.
func TestHostilePaths(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	makeTarget(t, s, "a")
	for _, value := range []string{
		"..", ".", "...", "%2e%2e", "%2E", "%2F", "%2f..%2f", "%5C", "..%5C..", "%00", "a%00b", "%0d%0aX-Header:%20x", "%20", "%09", "%C2%A0", "%ff", "%C3%28", "%ED%A0%80", "%E2%80%AE",
		"%F0%9F%98%80", "%25", "%252e", "%25zz", "a;b", "a,b", "a=b", "a+b", "~", "*", "$", "'", "%22", "%3Cscript%3E", "%3Ak", ":", "-1", "0", "nil", "null", "undefined", "_status", "statistics",
		"00000000-0000-0000-0000-000000000000", "%7B00000000-0000-7000-8000-000000000000%7D", "urn:uuid:00000000-0000-7000-8000-000000000000",
		strings.Repeat("a", 10_000), strings.Repeat("%2e", 3000), strings.Repeat("%F0%9F%98%80", 65), strings.Repeat("%ff", 64),
	} {
		// Each parameter in turn is hostile, the others are good.
		for _, e := range api.Routes() {
			for _, parameter := range []string{":k", ":id", ":v", ":locale", ":alias"} {
				if !strings.Contains(e.Path+"/", parameter+"/") {
					continue
				}
				path := unknownRecords.path(strings.ReplaceAll(e.Path, parameter, value))
				status, answer, _ := s.Send(t, e.Method, path, map[string]string{"Authorization": "Bearer " + s.Admin}, `{"comparable_version":"0.0.1"}`)
				if status < 200 || status >= 500 || status >= 300 && status < 400 {
					t.Errorf("%s %.200s: got %d %s", e.Method, path, status, answer)
				}
				if !json.Valid([]byte(answer)) {
					t.Errorf("%s %.200s: %d is no JSON: %q", e.Method, path, status, answer)
				}
			}
		}
	}
	for _, name := range []string{"%ff", "%C3%28", "1.0%ED%A0%80"} {
		s.Exchanges(t, []apitest.Exchange{
			{"not UTF-8: " + name, "PUT", "/admin/projects/a/versions/by-version/" + name, `{"comparable_version":"5.0"}`, 400, `{"message":["version must be UTF-8"]}`},
		})
	}
	readAll(t, s)
	if got := apitest.Field[int](t, s.InProcess(t, "/admin/projects/a/versions"), "total"); got < 30 {
		t.Errorf("%d versions are there, want those that were published under strange names", got)
	}
}

func TestHostileHeaders(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	makeTarget(t, s, "a")
	values := []string{
		"", "x", "Bearer", "Bearer  ", "bearer\tsvc_", "Bearer svc_" + strings.Repeat("0", 48), "Bearer " + strings.Repeat("a.", 5000), "Bearer eyJhbGciOiJub25lIn0.e30.", "Bearer ä\xff", "Basic Og==",
		"svc_", "svc_\xff", "-1", "0", "99999999999999999999", "bytes=0-", "bytes=9-1", "*/*", "*", ";;;", ",,,", `"`, `W/"x"`, "100-continue,", "gzip", "chunked", "null", "http://[::1", "ä", "\xff\xfe",
		"127.0.0.1", "1.2.3.4, , ,", "[::1]:99999", "::ffff:1.2.3.4%25eth0", "fe80::1%eth0", "999.1.1.1", "unknown, _hidden", strings.Repeat("1.1.1.1,", 2000), strings.Repeat("x", 20_000),
		"Mon, 32 Foo 2020 99:99:99 GMT", "../../etc/passwd", "${jndi:ldap://x}", "%00%0d%0a",
	}
	for _, name := range []string{
		"Authorization", "X-API-Key", "Content-Type", "Content-Encoding", "Accept", "Accept-Encoding", "Accept-Language", "Origin", "Referer", "Cookie", "Host", "X-Forwarded-For", "X-Real-IP",
		"X-Forwarded-Host", "X-Request-Id", "Range", "If-None-Match", "If-Modified-Since", "If-Match", "Upgrade", "TE", "User-Agent", "X-HTTP-Method-Override", "Access-Control-Request-Method",
		"Access-Control-Request-Headers", "X-Svc-Platform", "X-Svc-Platform-Version", "X-Svc-Client-Time",
	} {
		for _, value := range values {
			for _, to := range []struct{ method, path string }{{"GET", "/api/v1/public/a/versions"}, {"POST", "/api/v1/public/a/versions/check-update"}, {"GET", "/api/v1/auth/me"}, {"OPTIONS", "/api/v1/auth/me"}} {
				status, answer, _ := s.Send(t, to.method, to.path, map[string]string{name: value}, "{}")
				if status < 200 || status >= 500 || status >= 300 && status < 400 || to.path == "/api/v1/auth/me" && status < 300 && status != 204 {
					t.Errorf("%s %s with %s: %.100q: got %d %s", to.method, to.path, name, value, status, answer)
				}
			}
		}
	}
}

// TestHostileBytes sends bytes that no client library sends. net/http answers requests that do not
// reach the API, in plain text.
func TestHostileBytes(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	makeTarget(t, s, "a")
	s.Impatient(t)
	const host, end = " HTTP/1.1\r\nHost: x\r\n", "Connection: close\r\n\r\n"
	get := func(path string) string { return "GET " + path + host + end }
	post := func(headers, body string) string {
		return "POST /api/v1/public/a/versions/check-update" + host + headers + end + body
	}
	for _, tc := range []struct {
		name, text string
		status     int
	}{
		{"good", get("/api/v1/public/a"), 200},
		{"absolute address", get("http://other.example/api/v1/public/a"), 200},
		{"HTTP/1.0", "GET /api/v1/public/a HTTP/1.0\r\n\r\n", 200},
		{"escape that is none", get("/api/v1/public/%zz"), 400},
		{"escape cut off", get("/api/v1/public/a%"), 400},
		{"escape cut off after a digit", get("/api/v1/public/a%2"), 400},
		{"NUL, escaped", get("/api/v1/public/a%00"), 404},
		{"NUL as a byte", get("/api/v1/public/a\x00"), 400},
		{"dots", get("/api/v1/../../etc/passwd"), 404},
		{"dots that lead back", get("/api/v1/admin/../public/a"), 404},
		{"dots, escaped", get("/api/v1/%2e%2e/%2e%2e/etc/passwd"), 404},
		{"backslashes", get(`/api/v1\public\a`), 404},
		{"bytes above ASCII", get("/api/v1/public/\xff\xfe"), 404},
		{"control character", get("/api/v1/public/\x01"), 400},
		{"blank", get("/api/v1/public/a b"), 400},
		{"10 kB in one segment", get("/api/v1/public/" + strings.Repeat("a", 10_000)), 404},
		{"10 kB of slashes", get(strings.Repeat("/", 10_000)), 404},
		{"5,000 segments", get("/api/v1/public" + strings.Repeat("/a", 5_000)), 404},
		{"40 kB", get("/api/v1/public/" + strings.Repeat("a", 40_000)), 431},
		{"fragment", get("/api/v1/public/a#x"), 404},
		{"no slash", get("api/v1/public/a"), 400},
		{"no path, which is the start page", get("http://x"), 200},
		{"empty path", "GET  HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		{"star", get("*"), 404},
		{"tunnel", "CONNECT x:80" + host + end, 404},
		{"tunnel to a path", "CONNECT /api/v1/public/a" + host + end, 404},
		{"method in lower case", "get /api/v1/public/a" + host + end, 404},
		{"unknown method", "FROB /api/v1/public/a" + host + end, 404},
		{"method of strange characters", "G@T /api/v1/public/a" + host + end, 400},
		{"no host", "GET /api/v1/public/a HTTP/1.1\r\n\r\n", 400},
		{"two hosts", "GET /api/v1/public/a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
		{"no HTTP", "HELO x\r\n\r\n", 400},
		{"header without a colon", "GET /api/v1/public/a" + host + "nonsense\r\n\r\n", 400},
		{"header with a blank before the colon", "GET /api/v1/public/a" + host + "X-API-Key : x\r\n\r\n", 400},
		{"header with a NUL", "GET /api/v1/public/a" + host + "X-API-Key: a\x00b\r\n\r\n", 400},
		{"headers of 100 kB", "GET /api/v1/public/a" + host + "X: " + strings.Repeat("x", 100_000) + "\r\n\r\n", 431},
		{"10,000 headers", "GET /api/v1/public/a" + host + strings.Repeat("X: y\r\n", 10_000) + "\r\n", 431},
		{"two credentials", "GET /api/v1/auth/me" + host + "Authorization: x\r\nAuthorization: Bearer " + s.Admin + "\r\n" + end, 401},
		{"length below zero", post("Content-Length: -1\r\n", ""), 400},
		{"length that is no number", post("Content-Length: 2x\r\n", "{}"), 400},
		{"length with a sign", post("Content-Length: +2\r\n", "{}"), 400},
		{"two lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"), 400},
		{"length beyond all numbers", post("Content-Length: 99999999999999999999\r\n", "{}"), 400},
		{"length of all memory", post("Content-Length: 9223372036854775807\r\n", "{}"), 413},
		{"length and pieces", post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"), 400},
		{"pieces", post("Transfer-Encoding: chunked\r\n", "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"), 400},
		{"piece without a length", post("Transfer-Encoding: chunked\r\n", "\r\n{}"), 400},
		{"piece of a length that is none", post("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n"), 400},
		{"piece longer than all memory", post("Transfer-Encoding: chunked\r\n", "ffffffffffffffff\r\n{}"), 400},
		{"piece longer than it says", post("Transfer-Encoding: chunked\r\n", "1\r\n{}\r\n0\r\n\r\n"), 400},
		{"expects something else", post("Expect: coffee\r\nContent-Length: 2\r\n", "{}"), 417},
		{"wants another protocol", post("Upgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 2\r\n", "{}"), 400},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			status, header, body := exchangeRaw(t, s, tc.text)
			if status != tc.status {
				t.Errorf("got %d %s, want %d", status, body, tc.status)
			}
			if kind := header.Get("Content-Type"); strings.HasPrefix(kind, "application/json") && status >= 400 {
				if got := apitest.Field[int](t, body, "statusCode"); got != status || apitest.Field[string](t, body, "error") != http.StatusText(status) {
					t.Errorf("%s for status %d", body, status)
				}
			}
		})
	}
}

// TestHiddenRequest checks that a request hidden in the body of another request is not executed.
func TestHiddenRequest(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	makeTarget(t, s, "a")
	s.Impatient(t)
	hidden := "DELETE /api/v1/admin/projects/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.Admin + "\r\n\r\n"
	for _, path := range []string{"/api/v1/auth/login", "/api/v1/nothing", "/api/v1/admin/projects", "/api/v1/public/a/versions/check-update"} {
		for _, headers := range []string{
			"Content-Length: " + strconv.Itoa(len(hidden)),
			fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked", len(hidden)),
			fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding : chunked", len(hidden)),
			"Content-Length: 2000000",
		} {
			if status, _, body := exchangeRaw(t, s, "POST "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"+headers+"\r\n\r\n"+hidden); status < 400 || status >= 500 {
				t.Errorf("POST %s with %q: got %d %s", path, headers, status, body)
			}
		}
	}
	s.Must(t, 200, "GET", "/admin/projects/a", "")
}
