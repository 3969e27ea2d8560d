package distribution_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/files"
	"svc/internal/httpserver"
	"svc/store"
)

const contentSecurityPolicy = "sandbox; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"

func TestDownload(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	f := place(t, s, "a", "Größe \"1\" 的.dmg", alphabet(100))
	status, body, header := s.Send(t, "GET", f.path+"?utm_source=x", map[string]string{
		"Cookie": "a=b", "Authorization": "Bearer wrong", "X-API-Key": "wrong", "Origin": "https://page.example",
	}, "")
	if status != 200 || body != f.content {
		t.Errorf("got %d %q", status, body)
	}
	for name, want := range map[string]string{
		"Content-Length": "100", "Content-Type": "application/x-apple-diskimage", "Accept-Ranges": "bytes", "Etag": f.etag(),
		"Last-Modified":       time.Unix(f.CreatedAt, 0).UTC().Format(http.TimeFormat),
		"Cache-Control":       "public, max-age=31536000, immutable",
		"Content-Disposition": `attachment; filename="Gr__e _1_ _.dmg"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%20%E7%9A%84.dmg`,
		"X-Svc-Cache-Status":  "BYPASS", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": contentSecurityPolicy,
		"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*", "Access-Control-Allow-Credentials": "", "Vary": "", "Set-Cookie": "", "Location": "", "Content-Range": "",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	image := place(t, s, "a", "icon.svg", "<svg/>")
	if _, _, header := s.Send(t, "GET", image.path, nil, ""); header.Get("Content-Disposition") != `inline; filename="icon.svg"; filename*=UTF-8''icon.svg` {
		t.Errorf("image: Content-Disposition is %q", header.Get("Content-Disposition"))
	}
	empty := place(t, s, "a", "empty.txt", "")
	if status, body, header := s.Send(t, "GET", empty.path, nil, ""); status != 200 || body != "" || header.Get("Content-Length") != "0" {
		t.Errorf("empty file: got %d %q, Content-Length %q", status, body, header.Get("Content-Length"))
	}
}

// TestLinkConditions checks conditional and range requests. It also checks that the response to
// HEAD has the status and the headers of GET, and that the server does not access the storage for
// it.
func TestLinkConditions(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	f := place(t, s, "a", "a.zip", alphabet(100))
	gone := place(t, s, "a", "a.zip", alphabet(100))
	if err := os.Remove(object(s, gone)); err != nil {
		t.Fatal(err)
	}
	other := `"` + strings.Repeat("0", 64) + `"`
	later, before := time.Unix(f.CreatedAt+1, 0).UTC().Format(http.TimeFormat), time.Unix(f.CreatedAt-1, 0).UTC().Format(http.TimeFormat)
	for _, tc := range []struct {
		name     string
		header   map[string]string
		status   int
		from, to int // the part of the content that must be sent
	}{
		{"nothing", nil, 200, 0, 100},
		{"its entity tag", map[string]string{"If-None-Match": f.etag()}, 304, 0, 0},
		{"its entity tag, weak", map[string]string{"If-None-Match": "W/" + f.etag()}, 304, 0, 0},
		{"its entity tag in a list", map[string]string{"If-None-Match": other + ` , W/"x",` + f.etag()}, 304, 0, 0},
		{"any entity tag", map[string]string{"If-None-Match": "*"}, 304, 0, 0},
		{"another entity tag", map[string]string{"If-None-Match": other}, 200, 0, 100},
		{"its entity tag without quotes", map[string]string{"If-None-Match": f.SHA256}, 200, 0, 100},
		{"no entity tag", map[string]string{"If-None-Match": ""}, 200, 0, 100},
		{"its entity tag and a range", map[string]string{"If-None-Match": f.etag(), "Range": "bytes=0-1"}, 304, 0, 0},
		{"its age", map[string]string{"If-Modified-Since": later}, 304, 0, 0},
		{"older", map[string]string{"If-Modified-Since": before}, 200, 0, 100},
		{"no date", map[string]string{"If-Modified-Since": "yesterday"}, 200, 0, 100},
		{"its age, another entity tag", map[string]string{"If-Modified-Since": later, "If-None-Match": other}, 200, 0, 100},

		{"the first bytes", map[string]string{"Range": "bytes=0-9"}, 206, 0, 10},
		{"the rest", map[string]string{"Range": "bytes=90-"}, 206, 90, 100},
		{"the last bytes", map[string]string{"Range": "bytes=-5"}, 206, 95, 100},
		{"all bytes", map[string]string{"Range": "bytes=0-"}, 206, 0, 100},
		{"an end behind the end", map[string]string{"Range": "bytes=95-1000"}, 206, 95, 100},
		{"behind the end", map[string]string{"Range": "bytes=100-"}, 416, 0, 0},
		{"end before start", map[string]string{"Range": "bytes=5-4"}, 416, 0, 0},
		{"no last byte", map[string]string{"Range": "bytes=-0"}, 416, 0, 0},
		{"what overlaps", map[string]string{"Range": "bytes=0-9,5-14"}, 200, 0, 100},
		{"as much as all", map[string]string{"Range": "bytes=0-49,50-99"}, 200, 0, 100},
		{"other units", map[string]string{"Range": "pages=1-2"}, 200, 0, 100},
		{"a range of this file", map[string]string{"Range": "bytes=0-9", "If-Range": f.etag()}, 206, 0, 10},
		{"a range of another file", map[string]string{"Range": "bytes=0-9", "If-Range": other}, 200, 0, 100},
		{"a range, weak", map[string]string{"Range": "bytes=0-9", "If-Range": "W/" + f.etag()}, 200, 0, 100},
		{"a range since", map[string]string{"Range": "bytes=0-9", "If-Range": later}, 200, 0, 100},
		{"a bad range of another file", map[string]string{"Range": "bytes=100-", "If-Range": other}, 200, 0, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, body, header := s.Send(t, "GET", f.path, tc.header, "")
			want := f.content[tc.from:tc.to]
			if status == 416 {
				want = "Range Not Satisfiable"
			}
			if status != tc.status || body != want {
				t.Fatalf("got %d %q, want %d %q", status, body, tc.status, want)
			}
			wantRange := ""
			switch status {
			case 206:
				wantRange = fmt.Sprintf("bytes %d-%d/100", tc.from, tc.to-1)
			case 416:
				wantRange = "bytes */100"
			}
			if got := header.Get("Content-Range"); got != wantRange {
				t.Errorf("Content-Range: got %q, want %q", got, wantRange)
			}
			if caches := header.Get("Cache-Control") == "public, max-age=31536000, immutable"; caches != (status != 416) || (header.Get("Etag") == f.etag()) != caches {
				t.Errorf("Cache-Control is %q, ETag %q", header.Get("Cache-Control"), header.Get("Etag"))
			}
			if got := header.Get("Content-Type"); status != 416 && got != "application/zip" {
				t.Errorf("Content-Type: got %q", got)
			}
			got, nothing, head := s.Send(t, "HEAD", f.path, tc.header, "")
			if got != status || nothing != "" || !sameHeaders(head, header) {
				t.Errorf("HEAD: got %d %q\n%v, want %d\n%v", got, nothing, head, status, header)
			}
			// Compare with a file that has lost its content. Both files had the same content and
			// therefore have the same entity tag.
			if got, _, head := s.Send(t, "HEAD", gone.path, tc.header, ""); got != status || head.Get("Content-Length") != header.Get("Content-Length") {
				t.Errorf("HEAD without the object: got %d, want %d", got, status)
			}
			if got, _, _ := s.Send(t, "GET", gone.path, tc.header, ""); status == 304 && got != 304 {
				t.Errorf("without the object: got %d, want 304", got)
			}
		})
	}
}

// TestUnchangedHasOneType checks that the content type is sent only once over HTTP/2, which sends
// every header name that the handler has set.
func TestUnchangedHasOneType(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	f := place(t, s, "a", "a.zip", "12345")
	r := httptest.NewRequestWithContext(t.Context(), "GET", f.path, http.NoBody)
	r.Header.Set("If-None-Match", f.etag())
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	var types []string
	for name, values := range w.Header() {
		if strings.EqualFold(name, "Content-Type") {
			types = append(types, values...)
		}
	}
	if w.Code != 304 || len(types) != 1 || types[0] != "application/zip" {
		t.Errorf("got %d, types %q", w.Code, types)
	}
}

// sameHeaders reports whether two headers are equal. It ignores the fields that differ in every
// response.
func sameHeaders(a, b http.Header) bool {
	a, b = a.Clone(), b.Clone()
	for _, h := range []http.Header{a, b} {
		h.Del("Date")
		h.Del("X-Request-Id")
	}
	return maps.EqualFunc(a, b, func(x, y []string) bool { return strings.Join(x, ",") == strings.Join(y, ",") })
}

// TestLinkAnswersAsNetHTTP compares responses with those of net/http. They must be equal in all
// cases in which the API follows the same rules as net/http.
func TestLinkAnswersAsNetHTTP(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	f := place(t, s, "a", "a.bin", alphabet(1000))
	reference := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", f.etag())
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Unix(f.CreatedAt, 0), strings.NewReader(f.content))
	}))
	t.Cleanup(reference.Close)
	for _, header := range []map[string]string{
		{}, {"Range": "bytes=0-0"}, {"Range": "bytes=10-19"}, {"Range": "bytes=999-"}, {"Range": "bytes=1000-"}, {"Range": "bytes=-1"}, {"Range": "bytes=-5000"}, {"Range": "bytes=5-5000"},
		{"If-None-Match": f.etag()}, {"If-None-Match": `"x", W/` + f.etag()}, {"If-None-Match": `"x"`, "Range": "bytes=1-2"}, {"If-Range": f.etag(), "Range": "bytes=1-2"}, {"If-Range": `"x"`, "Range": "bytes=1-2"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", reference.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range header {
			r.Header.Set(name, value)
		}
		theirs, err := reference.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(theirs.Body)
		if err = errors.Join(err, theirs.Body.Close()); err != nil {
			t.Fatal(err)
		}
		status, body, ours := s.Send(t, "GET", f.path, header, "")
		if status != theirs.StatusCode || ours.Get("Content-Range") != theirs.Header.Get("Content-Range") || status < 400 && body != string(want) {
			t.Errorf("%v: got %d %q, want %d %q", header, status, ours.Get("Content-Range"), theirs.StatusCode, theirs.Header.Get("Content-Range"))
		}
	}
}

// TestMultipleRanges checks that several ranges are sent as parts of one body, in the requested
// order.
func TestMultipleRanges(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	f := place(t, s, "a", "a.yml", alphabet(5000))
	status, body, header := s.Send(t, "GET", f.path, map[string]string{"Range": "bytes=4000-4002, 0-0,-1"}, "")
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	boundary := params["boundary"]
	if err != nil || status != 206 || kind != "multipart/byteranges" || !regexp.MustCompile(`^[0-9A-Za-z]{24}$`).MatchString(boundary) || header.Get("Content-Range") != "" {
		t.Fatalf("got %d, %v %v", status, header, err)
	}
	part := func(content, of string) string {
		return "--" + boundary + "\r\nContent-Type: text/yaml; charset=utf-8\r\nContent-Range: bytes " + of + "/5000\r\n\r\n" + content + "\r\n"
	}
	want := part(f.content[4000:4003], "4000-4002") + part(f.content[:1], "0-0") + part(f.content[4999:], "4999-4999") + "--" + boundary + "--\r\n"
	if body != want || header.Get("Content-Length") != fmt.Sprint(len(want)) {
		t.Errorf("got %q of %s bytes, want %q", body, header.Get("Content-Length"), want)
	}
	if got, _, head := s.Send(t, "HEAD", f.path, map[string]string{"Range": "bytes=4000-4002, 0-0,-1"}, ""); got != 206 || head.Get("Content-Length") != fmt.Sprint(len(want)) {
		t.Errorf("HEAD: got %d %v", got, head)
	}

	// A request with the maximum number of ranges. Its header line is longer than 8 KiB.
	var list strings.Builder
	for i := range 1024 {
		fmt.Fprintf(&list, ",%d-%d", 4*i, 4*i+1)
	}
	status, body, header = s.Send(t, "GET", f.path, map[string]string{"Range": "bytes=" + list.String()[1:]}, "")
	_, params, _ = mime.ParseMediaType(header.Get("Content-Type"))
	parts := multipart.NewReader(strings.NewReader(body), params["boundary"])
	for i := range 1024 {
		p, err := parts.NextPart()
		if err != nil {
			t.Fatalf("%d, part %d: %v", status, i, err)
		}
		if got, err := io.ReadAll(p); err != nil || string(got) != f.content[4*i:4*i+2] {
			t.Fatalf("part %d: got %q, %v", i, got, err)
		}
	}
	if _, err := parts.NextPart(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last part: %v", err)
	}
	list.WriteString(",4999-4999")
	if status, body, _ := s.Send(t, "GET", f.path, map[string]string{"Range": "bytes=" + list.String()[1:]}, ""); status != 200 || body != f.content {
		t.Errorf("1,025 ranges: got %d of %d bytes, want the whole file", status, len(body))
	}
}

// TestUnknownLinks checks that only the exact object key of a file is a valid link.
func TestUnknownLinks(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "former")
	f := place(t, s, "former", "a b.zip", "content")
	pending := &store.File{
		ID: "pending00000", Filename: "p", ObjectKey: "f/former/pending00000/p", Status: store.FilePending,
		Source: store.FileMirrored, SourceURL: "https://code.example/o/r/releases/download/1/p", Backend: store.LocalStorage,
	}
	create(t, s, "former", pending)
	s.Must(t, 200, "PATCH", "/admin/projects/former", `{"project_key":"present"}`)
	id := string(f.ID)
	for _, path := range []string{f.path, "/f/%66ormer/" + id + "/a%20b.zip", "/f/former/" + id + "/%61%20b%2Ezip"} {
		if status, body, _ := s.Send(t, "GET", path, nil, ""); status != 200 || body != f.content {
			t.Errorf("%s: got %d %s, want the file: a link never changes", path, status, body)
		}
	}
	for _, path := range []string{
		"/f/present/" + id + "/a%20b.zip", "/f/FORMER/" + id + "/a%20b.zip", "/f/former/" + id + "/A%20b.zip", "/f/former/" + id + "/a+b.zip", "/f/former/" + id + "/a%2520b.zip",
		"/f/former/" + id + "/", "/f/former/" + id, "/f/former/" + id + "/a%20b.zip/", "/f/former/" + id + "/x/a%20b.zip", "/f//former/" + id + "/a%20b.zip", "/f/former/000000000000/a%20b.zip",
		"/f/former%2F" + id + "/a%20b.zip", "/f/former/" + id + "%2Fa%20b.zip", "/f/former%2F" + id + "%2Fa%20b.zip/x/y", "/f/x/..%2Fformer/" + id, "/f/former/" + id + "/a%20b.zip%00",
		"/f/former/pending00000/p", "/f/", "/f/x", "/f/%2e%2e/%2e%2e/svc.db", "/f/a/..%2f..%2f..%2fsvc.db/x", "/f/former/" + strings.ToUpper(id) + "/a%20b.zip",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			status, body, header := s.Send(t, method, path, map[string]string{"Authorization": "Bearer " + s.Admin}, "")
			if status != 404 || method == "GET" && body != "Not Found" {
				t.Errorf("%s %s: got %d %q", method, path, status, body)
			}
			if header.Get("Cache-Control") != "public, max-age=60" || header.Get("Content-Type") != "text/plain" || header.Get("Content-Security-Policy") != contentSecurityPolicy ||
				header.Get("Access-Control-Allow-Origin") != "*" || header.Get("Vary") != "" || header.Get("Etag") != "" {
				t.Errorf("%s %s: header %v", method, path, header)
			}
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"} {
		if status, body, _ := s.Send(t, method, f.path, nil, ""); status != 404 || body != "Not Found" {
			t.Errorf("%s: got %d %q, want 404", method, status, body)
		}
	}
	s.Must(t, 200, "DELETE", "/admin/projects/present", "")
	if status, _, _ := s.Send(t, "GET", f.path, nil, ""); status != 404 {
		t.Errorf("of a deleted project: got %d, want 404", status)
	}
}

// TestLinkPreflight checks that pages from other origins may send any header to a direct link.
func TestLinkPreflight(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	status, body, header := s.Send(t, "OPTIONS", "/f/a/b/c", map[string]string{"Origin": "https://x.example", "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range, x-y"}, "")
	if status != 204 || body != "" || header.Get("Access-Control-Allow-Origin") != "*" || header.Get("Access-Control-Allow-Headers") != "*" ||
		header.Get("Access-Control-Allow-Methods") != "GET, HEAD" || header.Get("Access-Control-Allow-Credentials") != "" || header.Get("Vary") != "" {
		t.Errorf("got %d %q %v", status, body, header)
	}
}

// TestLostObject checks that a missing object is reported before the first byte of the content is
// sent, and that caches must not keep the response.
func TestLostObject(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	for name, lose := range map[string]func(path string) error{
		"gone":      os.Remove,
		"truncated": func(path string) error { return os.Truncate(path, 99) },
		"longer":    func(path string) error { return os.Truncate(path, 101) },
		"a folder":  func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		f := place(t, s, "a", "a.zip", alphabet(100))
		if err := lose(object(s, f)); err != nil {
			t.Fatal(err)
		}
		for _, ranges := range []string{"", "bytes=0-9", "bytes=0-9,20-29"} {
			status, body, header := s.Send(t, "GET", f.path, map[string]string{"Range": ranges}, "")
			if status != 502 || body != "Storage Unavailable" || header.Get("Cache-Control") != "no-store" || header.Get("Content-Type") != "text/plain" ||
				header.Get("Etag") != "" || header.Get("Content-Disposition") != "" || header.Get("Content-Security-Policy") != contentSecurityPolicy {
				t.Errorf("%s, range %q: got %d %q %v", name, ranges, status, body, header)
			}
		}
	}
}

// TestObjectEndsDuringDownload checks that a download never appears complete if the file is
// truncated in the meantime.
func TestObjectEndsDuringDownload(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	f := place(t, s, "a", "a.zip", strings.Repeat("x", 64<<20)) // more than the buffers hold
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+f.path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := os.Truncate(object(s, f), 1); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, answer.Body); !errors.Is(err, io.ErrUnexpectedEOF) || n >= f.Size {
		t.Errorf("got %d bytes and %v, want an end of the connection", n, err)
	}
}

// counted is a listener. It counts the bytes sent over its connections, separately for each way of
// writing them.
type counted struct {
	net.Listener
	byKernel, written *atomic.Int64
	closed            chan struct{}
}

// Accept waits for a connection and returns it with counters.
func (l counted) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countedConn{conn.(*net.TCPConn), l}, nil
}

type countedConn struct {
	*net.TCPConn
	to counted
}

// Close closes the connection and signals that all bytes have been counted.
func (c countedConn) Close() error {
	err := c.TCPConn.Close()
	if err == nil {
		c.to.closed <- struct{}{}
	}
	return err
}

// Write counts bytes that this process writes itself.
func (c countedConn) Write(b []byte) (int, error) {
	n, err := c.TCPConn.Write(b)
	c.to.written.Add(int64(n))
	return n, err
}

// ReadFrom counts bytes of a file that the kernel copies.
func (c countedConn) ReadFrom(r io.Reader) (int64, error) {
	n, err := c.TCPConn.ReadFrom(r)
	if limited, ok := r.(*io.LimitedReader); ok {
		if _, ok := limited.R.(*os.File); ok {
			c.to.byKernel.Add(n)
		}
	}
	return n, err
}

// TestKernelCopiesLocalFiles checks that the kernel copies a local file to the connection, in spite
// of all wrappers around the connection. The bytes must not pass through this process.
func TestKernelCopiesLocalFiles(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	f := place(t, s, "a", "a.zip", alphabet(5<<20))
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := counted{inner, new(atomic.Int64), new(atomic.Int64), make(chan struct{}, 8)}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	server := httpserver.NewServer(s.Handler, httpserver.Limits{}, slog.New(slog.DiscardHandler))
	go func() { ended <- server.Serve(ctx, time.Minute, nil, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for _, ranges := range []string{"", "bytes=1000-", "bytes=0-999999,2000000-2999999"} {
		l.byKernel.Store(0)
		l.written.Store(0)
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+inner.Addr().String()+f.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Range", ranges)
		answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if ranges == "" && !bytes.Equal(body, []byte(f.content)) {
			t.Error("other bytes arrived")
		}
		select { // the client can receive the last bytes before they are counted
		case <-l.closed:
		case <-time.After(time.Minute):
			t.Fatal("the connection stays open")
		}
		if kernel, written := l.byKernel.Load(), l.written.Load(); kernel < int64(len(body))-8<<10 || written > 8<<10 {
			t.Errorf("range %q: the kernel copied %d of %d bytes, the process wrote %d", ranges, kernel, len(body), written)
		}
	}
}

// TestHostSeparation checks that a separate host for direct links serves only direct links, and
// that the other hosts serve none.
func TestHostSeparation(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) {
		c.Files.BaseURL, c.SiteURL = "https://DL.example", "https://site.example:8443"
	}))
	s.Project(t, "a")
	f := place(t, s, "a", "a.zip", "content")
	for _, tc := range []struct {
		host, path string
		status     int
	}{
		{"dl.example", f.path, 200}, {"DL.EXAMPLE:4000", f.path, 200}, {"dl.example.", f.path, 200},
		{"dl.example", "/api/v1/health", 404}, {"dl.example", "/healthz", 404}, {"dl.example:1", "/", 404}, {"dl.example.", "/api/v1/health", 404},
		{"dl.example", "/f/x", 404}, {"dl.example", "/api/v1/dist/" + f.path, 404},
		{"site.example", f.path, 404}, {"127.0.0.1", f.path, 404}, {"[::1]:80", f.path, 404}, {"", f.path, 404},
		{"site.example", "/api/v1/health", 200}, {"127.0.0.1:4000", "/healthz", 200}, {"notdl.example", "/api/v1/health", 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", tc.path, http.NoBody)
		r.Host = tc.host
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		if w.Code != tc.status {
			t.Errorf("%s on %q: got %d %s, want %d", tc.path, tc.host, w.Code, w.Body, tc.status)
		}
		if strings.HasPrefix(tc.path, "/f/") { // openapi.yaml describes only hosts that serve the path
			apitest.LoadContract(t).Check(t, r, w.Code, w.Header(), w.Body.Bytes())
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), "OPTIONS", "/api/v1/health", http.NoBody)
	r.Host = "dl.example"
	r.Header.Set("Origin", "https://x.example")
	r.Header.Set("Access-Control-Request-Method", "GET")
	w := httptest.NewRecorder()
	if s.Handler.ServeHTTP(w, r); w.Code != 404 {
		t.Errorf("preflight of an endpoint on the host of links: got %d, want 404", w.Code)
	}
	if status, _ := s.Owner(t, "GET", "/api/v1/health", ""); status != 200 {
		t.Errorf("control connection: got %d", status)
	}
}

// FuzzLink requests arbitrary paths below /f/ from a server with a single file. Each response must
// be either the file, if the path is its link, or 404.
func FuzzLink(f *testing.F) {
	s := apitest.NewServer(f)
	s.Project(f, "a")
	file := place(f, s, "a", "a%b.zip", "content")
	for _, seed := range []string{"a/" + string(file.ID) + "/a%25b.zip", "a/" + string(file.ID) + "/a%2525b.zip", "%61/x/%2e%2e", "a//b", "a/b/c/d", "..%2f/a/b", "a/\x00/b"} {
		f.Add(seed, "bytes=0-3", file.etag())
	}
	f.Fuzz(func(t *testing.T, path, ranges, tag string) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://x/f/"+path, http.NoBody)
		if err != nil {
			return
		}
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("Range", ranges)
		r.Header.Set("If-Range", tag)
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		apitest.LoadContract(t).Check(t, r, w.Code, w.Header(), w.Body.Bytes())
		key, ok := files.ParseLink(r.URL.EscapedPath())
		if found := w.Code != 404; found != (ok && key == file.ObjectKey) || w.Code >= 500 {
			t.Errorf("%q: got %d", path, w.Code)
		}
	})
}
