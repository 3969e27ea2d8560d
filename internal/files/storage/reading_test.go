package storage_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"svc/internal/files/storage"
	"svc/internal/files/storage/storagetest"
)

// lie responds to a GET request incorrectly. The requested range is [from, to), which is
// the whole content if the request has no Range header.
type lie func(w http.ResponseWriter, content []byte, from, to int)

// partial writes the header of a 206 response with the range from first to last.
func partial(w http.ResponseWriter, first, last, size int) {
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, size))
	w.WriteHeader(http.StatusPartialContent)
}

// chunked sends b without a Content-Length.
func chunked(w http.ResponseWriter, b []byte) {
	_, _ = w.Write(b) // fails if the client has disconnected
	_ = http.NewResponseController(w).Flush()
}

// dies aborts the connection of the current request.
func dies() { panic(http.ErrAbortHandler) }

func status(code int) lie {
	return func(w http.ResponseWriter, _ []byte, _, _ int) {
		http.Error(w, "the inner answer", code)
	}
}

// TestReadingBelievesNothing checks that reading a range either returns exactly the right
// bytes or fails before the last byte, whatever the server sends.
func TestReadingBelievesNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer lie
		honest bool  // whether the response nevertheless contains the right content
		want   error // an error that the returned error must wrap; nil means that any error will do
	}{
		"range": {func(w http.ResponseWriter, c []byte, from, to int) {
			if to-from == len(c) {
				w.Header().Set("Content-Length", strconv.Itoa(len(c)))
			} else {
				partial(w, from, to-1, len(c))
			}
			_, _ = w.Write(c[from:to])
		}, true, nil},
		"size of range unknown": {func(w http.ResponseWriter, c []byte, from, to int) {
			if to-from != len(c) {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/*", from, to-1))
				w.WriteHeader(http.StatusPartialContent)
			}
			chunked(w, c[from:to])
		}, true, nil},
		"range ignored": {func(w http.ResponseWriter, c []byte, _, _ int) {
			w.Header().Set("Content-Length", strconv.Itoa(len(c)))
			_, _ = w.Write(c) // fails if the client has disconnected
		}, true, nil},
		"range ignored, no length": {func(w http.ResponseWriter, c []byte, _, _ int) { chunked(w, c) }, true, nil},

		"other range": {func(w http.ResponseWriter, c []byte, from, to int) {
			partial(w, from+1, to, len(c))
			_, _ = w.Write(c[from:to])
		}, false, io.ErrUnexpectedEOF},
		"206 without a range": {func(w http.ResponseWriter, c []byte, from, to int) {
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(c[from:to])
		}, false, io.ErrUnexpectedEOF},
		"range of another object": {func(w http.ResponseWriter, c []byte, from, to int) {
			partial(w, from, to-1, len(c)+1)
			_, _ = w.Write(c[from:to])
		}, false, io.ErrUnexpectedEOF},
		"range too short": {func(w http.ResponseWriter, c []byte, from, to int) {
			partial(w, from, to-1, len(c))
			chunked(w, c[from:to-1])
		}, false, io.ErrUnexpectedEOF},
		"range too long": {func(w http.ResponseWriter, c []byte, from, to int) {
			partial(w, from, to-1, len(c))
			chunked(w, append(bytes.Clone(c[from:to]), 'x'))
		}, false, io.ErrUnexpectedEOF},
		"length of another object": {func(w http.ResponseWriter, c []byte, _, _ int) {
			w.Header().Set("Content-Length", strconv.Itoa(len(c)-1))
			_, _ = w.Write(c[:len(c)-1])
		}, false, io.ErrUnexpectedEOF},
		"nothing": {func(w http.ResponseWriter, _ []byte, _, _ int) { chunked(w, nil) }, false, io.ErrUnexpectedEOF},
		"ends early, no length": {func(w http.ResponseWriter, c []byte, from, to int) {
			chunked(w, c[:(from+to)/2])
		}, false, io.ErrUnexpectedEOF},
		"dies in the middle": {func(w http.ResponseWriter, c []byte, from, to int) {
			w.Header().Set("Content-Length", strconv.Itoa(len(c)))
			chunked(w, c[:(from+to)/2])
			dies()
		}, false, io.ErrUnexpectedEOF},
		"dies in the middle, no length": {func(w http.ResponseWriter, c []byte, from, to int) {
			chunked(w, c[:(from+to)/2])
			dies()
		}, false, io.ErrUnexpectedEOF},
		"dies in the middle of the range": {func(w http.ResponseWriter, c []byte, from, to int) {
			partial(w, from, to-1, len(c))
			chunked(w, c[from:(from+to)/2])
			dies()
		}, false, io.ErrUnexpectedEOF},
		"dies before the header": {func(http.ResponseWriter, []byte, int, int) { dies() }, false, nil},
		"page of a firewall": {func(w http.ResponseWriter, c []byte, _, _ int) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Length", strconv.Itoa(len(c)))
			_, _ = w.Write(bytes.Repeat([]byte("<"), len(c)))
		}, false, io.ErrUnexpectedEOF},
		"page of a firewall, no length": {func(w http.ResponseWriter, c []byte, _, _ int) {
			w.Header().Set("Content-Type", "text/html")
			chunked(w, bytes.Repeat([]byte("<"), 2*len(c)))
		}, false, io.ErrUnexpectedEOF},
		"compressed": {func(w http.ResponseWriter, c []byte, _, _ int) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(c)
		}, false, io.ErrUnexpectedEOF},
		"401": {status(401), false, nil},
		"403": {status(403), false, nil},
		"404": {status(404), false, fs.ErrNotExist},
		"204": {func(w http.ResponseWriter, _ []byte, _, _ int) { w.WriteHeader(http.StatusNoContent) }, false, nil},
		"423": {status(423), false, nil},
		"500": {status(500), false, nil},
		"507": {status(507), false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := storagetest.Content(1, 100_000)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Accept-Encoding"); got != "identity" {
					t.Errorf("Accept-Encoding %q", got)
				}
				from, to := 0, len(content)
				if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err == nil {
					to++
				}
				tc.answer(w, content, from, to)
			}))
			t.Cleanup(server.Close)
			for _, c := range []storage.Config{
				{Kind: storage.KindWebDAV, BaseURL: server.URL},
				{Kind: storage.KindS3, BaseURL: server.URL, Username: "key", Password: "secret", Region: "here", Bucket: "bucket", PathStyle: true},
			} {
				b := open(t, c).Backend
				o := storage.Object{Key: "f/p/000000000000/a.bin", Size: int64(len(content))}
				for _, r := range [][2]int64{{0, o.Size}, {1000, 50_000}, {90_000, 10_000}} {
					got, err := read(t, b, o, r[0], r[1])
					want := content[r[0] : r[0]+r[1]]
					switch {
					case tc.honest && (err != nil || !bytes.Equal(got, want)):
						t.Errorf("%s %v: got %d bytes, %v; want %d", c.Kind, r, len(got), err, len(want))
					case !tc.honest && (err == nil || tc.want != nil && !errors.Is(err, tc.want)):
						t.Errorf("%s %v: got %d bytes, %v; want error %v", c.Kind, r, len(got), err, tc.want)
					case !tc.honest && len(got) >= len(want):
						t.Errorf("%s %v: got all %d bytes beside the error %v", c.Kind, r, len(got), err)
					case err != nil && strings.Contains(err.Error(), "inner"):
						t.Errorf("%s %v: the error has the text of the server: %v", c.Kind, r, err)
					}
				}
			}
		})
	}
}

// read reads as much of a range as possible, using small buffers of different sizes.
func read(t *testing.T, b storage.Backend, o storage.Object, offset, length int64) (got []byte, err error) {
	t.Helper()
	r, err := b.Open(t.Context(), o, offset, length)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	buffer := make([]byte, 7001)
	for {
		n, err := r.Read(buffer)
		got = append(got, buffer[:n]...)
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			if n, again := r.Read(buffer); n > 0 || again == nil {
				t.Errorf("after the error %v: %d bytes, %v", err, n, again)
			}
			return got, err
		}
	}
}

// TestPageThatIsAnObject checks that an object can be read if its content is a web page.
func TestPageThatIsAnObject(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<p>"))
	}))
	t.Cleanup(server.Close)
	s := open(t, storage.Config{Kind: storage.KindWebDAV, BaseURL: server.URL})
	if got, err := read(t, s.Backend, storage.Object{Key: "f/p/000000000000/a.HTML", Size: 3}, 0, 3); err != nil || string(got) != "<p>" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestRedirectOfContent checks that redirects are followed, but without sending the credentials.
func TestRedirectOfContent(t *testing.T) {
	t.Parallel()
	content := storagetest.Content(1, 1000)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the other host got the credentials")
		}
		http.ServeContent(w, r, "a.bin", created, bytes.NewReader(content))
	}))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			t.Error("the storage got no credentials")
		}
		http.Redirect(w, r, other.URL+"/signed", http.StatusMovedPermanently)
	}))
	t.Cleanup(server.Close)
	s := open(t, storage.Config{Kind: storage.KindWebDAV, BaseURL: server.URL, Username: "user", Password: "password"})
	o := storage.Object{Key: "f/p/000000000000/a.bin", Size: 1000}
	for _, r := range [][2]int64{{0, 1000}, {10, 20}} {
		if got, err := read(t, s.Backend, o, r[0], r[1]); err != nil || !bytes.Equal(got, content[r[0]:r[0]+r[1]]) {
			t.Errorf("%v: got %d bytes, %v", r, len(got), err)
		}
	}
}
