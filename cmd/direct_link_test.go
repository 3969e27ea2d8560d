package cmd_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDirectLinkOverTCP checks the raw bytes of responses, on the host of direct links and on other
// hosts.
func TestDirectLinkOverTCP(t *testing.T) {
	t.Parallel()
	const links, site = "dl.example.org", "svc.example.org"
	content := strings.Repeat("0123456789", 1000)
	command := exec.Command("svc", "serve", "--data", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0")
	command.Env = []string{"SVC_DIST_BASE_URL=http://" + links, "SVC_SITE_URL=http://" + site}
	p := launch(t, command)
	p.ask(t, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201)
	f := p.ask(t, "PUT", "/admin/projects/app/files?filename=a%20b.zip", content, 201)
	link := f["path"].(string)
	if want := "http://" + links + link; f["url"] != want {
		t.Errorf("the link is %v, want %s", f["url"], want)
	}
	etag := fmt.Sprintf("%q", f["sha256"])
	for _, tc := range []struct {
		name, method, host, target, headers string

		status int
		body   string // body of the response; "" for a response without a body
		want   string // a header line that the response must have
	}{
		{"whole", "GET", links, link, "", 200, content, "Content-Length: 10000"},
		{"host in capitals with a port", "GET", "DL.Example.org:8443", link, "", 200, content, "Accept-Ranges: bytes"},
		{"query, cookie and credentials", "GET", links, link + "?token=x", "Cookie: a=b\r\nAuthorization: Bearer wrong\r\nOrigin: https://evil.example\r\n", 200, content, "Access-Control-Allow-Origin: *"},
		{"compression is not asked", "GET", links, link, "Accept-Encoding: gzip, br\r\n", 200, content, "Content-Type: application/zip"},
		{"head", "HEAD", links, link, "", 200, "", "Content-Length: 10000"},
		{"range", "GET", links, link, "Range: bytes=10-14\r\n", 206, "01234", "Content-Range: bytes 10-14/10000"},
		{"range to the end", "GET", links, link, "Range: bytes=9995-\r\n", 206, "56789", "Content-Range: bytes 9995-9999/10000"},
		{"range beyond the end", "GET", links, link, "Range: bytes=9995-99999\r\n", 206, "56789", "Content-Length: 5"},
		{"last bytes", "GET", links, link, "Range: bytes=-3\r\n", 206, "789", "Content-Range: bytes 9997-9999/10000"},
		{"head of a range", "HEAD", links, link, "Range: bytes=10-14\r\n", 206, "", "Content-Length: 5"},
		{"no such range", "GET", links, link, "Range: bytes=10000-\r\n", 416, "Range Not Satisfiable", "Content-Range: bytes */10000"},
		{"range of something else", "GET", links, link, "Range: bytes=0-1\r\nIf-Range: \"old\"\r\n", 200, content, "Etag: " + etag},
		{"range of this", "GET", links, link, "Range: bytes=0-1\r\nIf-Range: " + etag + "\r\n", 206, "01", "Etag: " + etag},
		{"known", "GET", links, link, "If-None-Match: " + etag + "\r\n", 304, "", "Etag: " + etag},
		{"another name", "GET", links, link + "x", "", 404, "Not Found", "Cache-Control: public, max-age=60"},
		{"head of nothing", "HEAD", links, link + "x", "", 404, "", "Content-Type: text/plain"},
		{"host of the site", "GET", site, link, "", 404, "Not Found", "Content-Type: text/plain"},
		{"address", "GET", p.address(), link, "", 404, "Not Found", "Cache-Control: public, max-age=60"},
		{"interface on the host of links", "GET", links, "/api/v1/public/app", "", 404, "any", "Content-Type: application/json"},
		{"page on the host of links", "GET", links, "/", "", 404, "any", "Content-Type: application/json"},
		{"health on the host of links", "GET", links, "/healthz", "", 404, "any", "Content-Type: application/json"},
		{"interface on the host of the site", "GET", site, "/api/v1/health", "", 200, "any", "Content-Type: application/json"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := p.dial(t, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n", tc.method, tc.target, tc.host, tc.headers))
			response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: tc.method})
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != tc.status || tc.body != "any" && string(body) != tc.body {
				t.Errorf("got %d and %d bytes, %.80q; want %d and %d, %.80q", response.StatusCode, len(body), body, tc.status, len(tc.body), tc.body)
			}
			name, value, _ := strings.Cut(tc.want, ": ")
			if got := response.Header.Get(name); got != value && !strings.HasPrefix(got, value+";") {
				t.Errorf("got %s: %q, want %q", name, got, value)
			}
			if !strings.HasPrefix(tc.target, "/f/") {
				return
			}
			for _, name := range []string{"Vary", "Set-Cookie", "Access-Control-Allow-Credentials", "Content-Encoding", "Location"} {
				if got := response.Header.Values(name); len(got) > 0 {
					t.Errorf("got %s: %q, want none", name, got)
				}
			}
			if got := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "sandbox") || response.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("the answer may be taken for a page of the site: %v", response.Header)
			}
		})
	}
	t.Run("several ranges", func(t *testing.T) {
		t.Parallel()
		c := p.dial(t, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nRange: bytes=9990-9994,5-7, 100-101\r\n\r\n", link, links))
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		kind, params, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
		if err != nil || kind != "multipart/byteranges" || response.StatusCode != 206 || response.ContentLength < 0 {
			t.Fatalf("got %s, %v", response.Status, response.Header)
		}
		var got []string
		for parts := multipart.NewReader(response.Body, params["boundary"]); ; {
			part, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(part)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, part.Header.Get("Content-Range")+" "+string(text))
		}
		if want := []string{"bytes 9990-9994/10000 01234", "bytes 5-7/10000 567", "bytes 100-101/10000 01"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
