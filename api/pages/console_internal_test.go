package pages

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"svc/api/web"
)

// TestFilesIn checks that filesIn returns all files of a build except the page, and that each file
// is served in the encoding that the client prefers.
func TestFilesIn(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte("plain"))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	files := filesIn(fstest.MapFS{
		"d/index.html":    {Data: []byte("page")},
		"d/a-1.js.br":     {Data: []byte("squeezed")},
		"d/a-1.js.gz":     {Data: zipped.Bytes()},
		"d/b-2.woff2":     {Data: []byte("font")},
		"d/deeper/c-3.js": {Data: []byte("other")},
	}, "d")
	if len(files) != 2 {
		t.Errorf("got %v, want a-1.js and b-2.woff2", files)
	}
	for _, tc := range []struct{ name, accept, encoding, contentType, body string }{
		{"a-1.js", "gzip, br", "br", "text/javascript; charset=utf-8", "squeezed"},
		{"a-1.js", "gzip", "gzip", "text/javascript; charset=utf-8", zipped.String()},
		{"a-1.js", "identity", "", "text/javascript; charset=utf-8", "plain"},
		{"b-2.woff2", "gzip, br", "", "font/woff2", "font"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", tc.accept)
		w := httptest.NewRecorder()
		files[tc.name].Serve(w, &web.Request{Request: r}, web.Forever)
		if got := w.Header(); w.Body.String() != tc.body || got.Get("Content-Encoding") != tc.encoding || got.Get("Content-Type") != tc.contentType || got.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s, %s: got %q, %v", tc.name, tc.accept, w.Body, got)
		}
		if len(w.Header().Get("ETag")) < 18 {
			t.Errorf("%s: the entity tag is %s", tc.name, w.Header().Get("ETag"))
		}
	}
}
