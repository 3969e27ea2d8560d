package pages_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"svc/api/apitest"
	library "svc/clients/browser"
)

// TestSDK checks that each file is served under two names and in three encodings, according to the
// client's preference. Each encoding must have its own entity tag.
func TestSDK(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, f := range library.Files() {
		for name, caching := range map[string]string{f.Name: "public, max-age=300", f.PinnedName(): "public, max-age=31536000, immutable"} {
			tags := map[string]bool{}
			for _, tc := range []struct{ accept, encoding string }{
				{"identity", ""}, {"gzip", "gzip"}, {"gzip, deflate, br, zstd", "br"}, {"BR;q=0.1, gzip;q=1.0", "br"}, {"br;q=0, gzip", "gzip"},
				{"br; Q=0.000", ""}, {"*", ""}, {"gzippo, xbr", ""},
			} {
				headers := map[string]string{"Accept-Encoding": tc.accept, "Origin": "https://app.example"}
				status, body, header := s.Send(t, "GET", "/sdk/"+name, headers, "")
				if text := decoded(t, f, tc.encoding, body); status != 200 || text != f.Text {
					t.Errorf("%s, %q: got %d with %d characters, want 200 with %d", name, tc.accept, status, len(text), len(f.Text))
				}
				for key, want := range map[string]string{
					"Content-Encoding": tc.encoding, "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": caching, "Vary": "Accept-Encoding",
					"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Credentials": "", "Cross-Origin-Resource-Policy": "cross-origin", "X-Content-Type-Options": "nosniff",
				} {
					if got := header.Get(key); got != want {
						t.Errorf("%s, %q: %s is %q, want %q", name, tc.accept, key, got, want)
					}
				}
				tag := header.Get("ETag")
				tags[tag] = true
				for known, want := range map[string]int{tag: 304, `"x", W/` + tag: 304, `"x"`: 200, strings.Trim(tag, `"`): 200} {
					headers["If-None-Match"] = known
					got, body, header := s.Send(t, "GET", "/sdk/"+name, headers, "")
					if got != want || (body == "") != (want == 304) || header.Get("ETag") != tag || header.Get("Cache-Control") != caching {
						t.Errorf("%s, known is %s: got %d with %d bytes, %v, want %d", name, known, got, len(body), header, want)
					}
				}
			}
			if len(tags) != 3 {
				t.Errorf("%s: entity tags are %v, want one for each encoding", name, tags)
			}
		}
	}
}

// decoded returns a body without its content encoding.
func decoded(t *testing.T, f library.File, encoding, body string) string {
	t.Helper()
	switch encoding {
	case "br": // a test of clients/browser checks the compressed text
		if body == f.Brotli {
			return f.Text
		}
		return ""
	case "gzip":
		r, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := io.Copy(&text, r); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	return body
}

func TestSDKHasNoOtherFiles(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	module := library.Files()[0]
	for _, path := range []string{
		"/sdk/", "/sdk", "/sdk/svc-sdk", "/sdk/svc-sdk.js.br", "/sdk/SVC-SDK.js", "/sdk/browser.go", "/sdk/..%2fbrowser.go", "/sdk/svc-sdk-0123456789abcdef.js",
		"/sdk/" + strings.Replace(module.PinnedName(), ".js", ".global.js", 1), "/sdk/svc-sdk.js/x", "/sdk//svc-sdk.js",
	} {
		status, answer, header := s.Send(t, "GET", path, nil, "")
		if status != 404 || !strings.Contains(answer, "no such path") || header.Get("Cache-Control") != "" {
			t.Errorf("%s: got %d %s, %v, want a 404 that nobody keeps", path, status, answer, header)
		}
	}
}

func TestSDKPreflight(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	status, body, header := s.Send(t, "OPTIONS", "/sdk/svc-sdk.js", map[string]string{"Origin": "https://x.example", "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "x-y"}, "")
	if status != 204 || body != "" || header.Get("Access-Control-Allow-Origin") != "*" || header.Get("Access-Control-Allow-Methods") != "GET, HEAD" || header.Get("Access-Control-Allow-Headers") != "*" {
		t.Errorf("got %d %q, %v", status, body, header)
	}
}
