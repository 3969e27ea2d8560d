package storage_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/files/storage"
	"svc/internal/files/storage/storagetest"
	"svc/internal/outbound"
	"svc/internal/testutil"
)

var created = time.Unix(1_700_000_000, 0)

// before handles requests before they reach a WebDAV server. It either responds and
// returns true, or returns false to pass the request on.
type before func(w http.ResponseWriter, r *http.Request) bool

// behind opens a WebDAV storage on a server in this process. b handles all requests
// first.
func behind(t *testing.T, partSize int64, b before) storagetest.Setup {
	t.Helper()
	server := storagetest.Handler(t.TempDir())
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !b(w, r) {
			server.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	return open(t, storage.Config{
		Kind: storage.KindWebDAV, BaseURL: front.URL, Username: storagetest.User, Password: storagetest.Password, PartSize: partSize,
	})
}

// answer returns a handler that responds to all requests of the given method with the
// given status code.
func answer(method string, code int) before {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == method {
			http.Error(w, "the inner answer", code)
		}
		return r.Method == method
	}
}

// page returns a handler that responds to all requests of the given method with a web
// page and the given status code.
func page(method string, code int) before {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != method {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body) // like a firewall, read the whole body
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "<html><title>Please log in</title>")
		return true
	}
}

// withoutLength returns a handler that removes the lengths of files from listings.
func withoutLength(t *testing.T) before {
	t.Helper()
	server := storagetest.Handler(t.TempDir())
	return func(w http.ResponseWriter, r *http.Request) bool {
		recorder := httptest.NewRecorder()
		server.ServeHTTP(recorder, r)
		body := recorder.Body.String()
		if r.Method == "PROPFIND" {
			body = strings.ReplaceAll(body, "getcontentlength", "getcontentwidth")
		} else {
			maps.Copy(w.Header(), recorder.Header())
		}
		w.WriteHeader(recorder.Code)
		_, _ = io.WriteString(w, body) // fails if the client has disconnected
		return true
	}
}

// TestWriting checks the result of a write on servers that behave in various ways.
func TestWriting(t *testing.T) {
	t.Parallel()
	// half is a server that stores only half of the received data but reports success.
	half := func(next http.Handler) before {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				next.ServeHTTP(w, r)
				return true
			}
			kept := r.Clone(r.Context())
			kept.Body, kept.ContentLength = io.NopCloser(io.LimitReader(r.Body, r.ContentLength/2)), r.ContentLength/2
			next.ServeHTTP(w, kept)
			return true
		}
	}
	for name, tc := range map[string]struct {
		before before
		want   string // text that the error must contain; "" = no error
	}{
		"server": {func(http.ResponseWriter, *http.Request) bool { return false }, ""},

		"web page instead of a write":            {page(http.MethodPut, 200), "verify: the object is not in the storage"},
		"web page instead of a write, created":   {page(http.MethodPut, 201), "verify: the object is not in the storage"},
		"write lost":                             {answer(http.MethodPut, 201), "verify: the object is not in the storage"},
		"half of the write lost":                 {half(storagetest.Handler(t.TempDir())), "verify: the storage cannot be trusted: it has 500 bytes of the 1000 that were written"},
		"locked":                                 {answer(http.MethodPut, 423), "423: it is locked"},
		"full":                                   {answer(http.MethodPut, 507), "507: the storage is full"},
		"too large":                              {answer(http.MethodPut, 413), "set a part size"},
		"write redirected":                       {answer(http.MethodPut, 301), "answered 301"},
		"write redirected with its method":       {answer(http.MethodPut, 307), "answered 307"},
		"no credentials":                         {answer("MKCOL", 401), "make a collection: the storage answered 401: the credentials are refused"},
		"collections redirected":                 {answerFor(t, 301, "/f/"), ""},
		"collections found elsewhere":            {answerFor(t, 302, "/f/"), ""},
		"collections forbidden":                  {answerFor(t, 403, "/f/"), ""},
		"collections conflict":                   {answer("MKCOL", 409), "make a collection: the storage answered 409"},
		"collections not possible, but the base": {answerFor(t, 500, "/"), ""},
		"PROPFIND not allowed":                   {answer("PROPFIND", 405), ""},
		"PROPFIND not implemented":               {answer("PROPFIND", 501), ""},
		"PROPFIND not found":                     {answer("PROPFIND", 404), "verify: the object is not in the storage"},
		"PROPFIND is a web page":                 {page("PROPFIND", 200), ""},
		"PROPFIND is no XML":                     {page("PROPFIND", 207), ""},
		"PROPFIND without lengths":               {withoutLength(t), ""},
		"neither PROPFIND nor HEAD": {func(w http.ResponseWriter, r *http.Request) bool {
			return answer("PROPFIND", 405)(w, r) || answer(http.MethodHead, 405)(w, r)
		}, "verify: the storage answered 405"},
		"dies": {func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				dies()
			}
			return false
		}, "the connection broke off"},
		"refuses without end": {func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			w.WriteHeader(http.StatusInternalServerError)
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 4096)); err != nil {
					break
				}
			}
			return true
		}, "answered 500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := behind(t, 0, tc.before)
			want := storagetest.Content(1, 1000)
			o, err := s.Backend.Put(t.Context(), "f/p/000000000000/a.bin", storagetest.Stage(t, s.Staging, want), 1000)
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want == "":
				if got, err := read(t, s.Backend, o, 0, 1000); err != nil || string(got) != string(want) {
					t.Errorf("got %d bytes, %v", len(got), err)
				}
			case err == nil || !strings.Contains(err.Error(), tc.want):
				t.Errorf("error %v; want %q", err, tc.want)
			case strings.Contains(err.Error(), "inner") || strings.Contains(err.Error(), "127.0.0.1"):
				t.Errorf("the error tells too much: %v", err)
			}
		})
	}
}

// answerFor returns a handler that lets the server create a collection for a MKCOL, but
// then responds with the given code. It does so for all paths below the path below, or,
// if that is "/", only for the root.
func answerFor(t *testing.T, code int, below string) before {
	t.Helper()
	server := storagetest.Handler(t.TempDir())
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == "MKCOL" && strings.HasPrefix(r.URL.Path, below) && (below != "/" || r.URL.Path == "/") {
			server.ServeHTTP(httptest.NewRecorder(), r)
			http.Error(w, "the inner answer", code)
		} else {
			server.ServeHTTP(w, r)
		}
		return true
	}
}

// TestProxyWithLimit writes through a proxy that aborts uploads of more than 512 KB, with
// or without a response. Writing a whole file must fail with the right reason, writing in
// parts must succeed, and the probe must suggest a part size.
func TestProxyWithLimit(t *testing.T) {
	t.Parallel()
	const limit = 512 << 10
	for name, cut := range map[string]func(http.ResponseWriter){
		"refused": func(w http.ResponseWriter) { w.WriteHeader(http.StatusRequestEntityTooLarge) },
		"cut":     func(http.ResponseWriter) { dies() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := func(w http.ResponseWriter, r *http.Request) bool {
				if r.ContentLength <= limit {
					return false
				}
				_, _ = io.CopyN(io.Discard, r.Body, limit) // the proxy reads the body up to its limit
				cut(w)
				return true
			}
			content := storagetest.Content(1, 1<<20)
			whole := behind(t, 0, proxy)
			staged := storagetest.Stage(t, whole.Staging, content)
			if _, err := whole.Backend.Put(t.Context(), "f/p/000000000000/a.bin", staged, 1<<20); err == nil ||
				!strings.Contains(err.Error(), "write 1048576 bytes") {
				t.Errorf("whole: %v", err)
			}
			p := whole.Backend.Probe(t.Context())
			if !p.OK || p.LargeWriteOK == nil || *p.LargeWriteOK || !strings.Contains(p.Error, "set a part size") {
				t.Errorf("probe: %+v", p)
			}
			parts := behind(t, 256<<10, proxy)
			o, err := parts.Backend.Put(t.Context(), "f/p/000000000000/a.bin", staged, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := read(t, parts.Backend, o, 0, 1<<20); err != nil || string(got) != string(content) {
				t.Errorf("parts: got %d bytes, %v", len(got), err)
			}
			if p := parts.Backend.Probe(t.Context()); !p.OK || p.LargeWriteOK == nil || !*p.LargeWriteOK || p.Error != "" {
				t.Errorf("probe with parts: %+v", p)
			}
		})
	}
}

// TestCollectionsThatGo checks that a write recreates collections that have been removed on the
// server.
func TestCollectionsThatGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := httptest.NewServer(storagetest.Handler(dir))
	t.Cleanup(server.Close)
	s := open(t, storage.Config{Kind: storage.KindWebDAV, BaseURL: server.URL, Username: storagetest.User, Password: storagetest.Password})
	for range 2 {
		s.Put(t, "f/p/000000000000/a.bin", []byte("content"))
		if err := os.RemoveAll(filepath.Join(dir, "f")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPartlyDeleted(t *testing.T) {
	t.Parallel()
	s := behind(t, 0, answer(http.MethodDelete, 207))
	if err := s.Backend.Delete(t.Context(), storage.Object{Key: "f/p/000000000000/a.bin", Size: 1}); err == nil {
		t.Error("an answer that lists what could not be deleted is no error")
	}
}

// TestProbeFindings checks what a probe reports about servers with limitations.
func TestProbeFindings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before before
		ok     bool
		ranges bool
		want   string
	}{
		"ignores ranges": {func(_ http.ResponseWriter, r *http.Request) bool { r.Header.Del("Range"); return false }, true, false, ""},
		"sends another range": {func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet || r.Header.Get("Range") == "" {
				return false
			}
			partial(w, 0, 6, 18)
			_, _ = io.WriteString(w, "svc sto")
			return true
		}, true, false, ""},
		"sends other bytes of the range": {func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet || r.Header.Get("Range") == "" {
				return false
			}
			partial(w, 7, 13, 18)
			_, _ = io.WriteString(w, "svc sto")
			return true
		}, true, false, ""},
		"refuses ranges": {func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet || r.Header.Get("Range") == "" {
				return false
			}
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return true
		}, true, false, ""},
		"no credentials": {answer("MKCOL", 401), false, false, "401"},
		"no deletion":    {answer(http.MethodDelete, 403), false, false, "403"},
		"other content": {func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet {
				return false
			}
			partial(w, 7, 13, 18)
			_, _ = io.WriteString(w, "1234567")
			return true
		}, false, false, "other bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := behind(t, 0, tc.before).Backend.Probe(t.Context())
			if p.OK != tc.ok || p.OK != (p.RangeSupported != nil) || p.OK && *p.RangeSupported != tc.ranges || p.OK != (p.LargeWriteOK != nil) || !strings.Contains(p.Error, tc.want) {
				t.Errorf("probe: %+v", p)
			}
		})
	}
}

// TestParts checks that parts are written two at a time with a time limit of 120 s each, and that
// failed attempts are repeated after 1, 2 and 4 s. All parts must be verified with a single
// listing.
func TestParts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		failures int64         // number of times that writing part 3 fails
		stuck    time.Duration // time for which the server does not respond to part 3
		want     string
		took     time.Duration
	}{
		"at once":            {0, 0, "", 0},
		"at the fourth time": {3, 0, "", 7 * time.Second},
		"never":              {4, 0, "part 3: write 1000 bytes: the storage answered 503", 7 * time.Second},
		"stuck":              {0, 200 * time.Second, "part 3: write 1000 bytes: no answer in time", 7*time.Second + 4*120*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				var (
					next                    = storagetest.Handler(t.TempDir())
					mu                      sync.Mutex
					writing, most, listings int
					failed                  atomic.Int64
				)
				network := make(testutil.Pipes)
				server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					switch r.Method {
					case http.MethodPut:
						writing++
						most = max(most, writing)
						defer func() { mu.Lock(); writing--; mu.Unlock() }()
					case "PROPFIND":
						listings++
					}
					mu.Unlock()
					if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/parts/000003") {
						_, err := io.Copy(io.Discard, io.LimitReader(r.Body, 1000*int64(tc.stuck)))
						if time.Sleep(tc.stuck); err != nil { //nolint:forbidigo // the time of the bubble
							return
						}
						if failed.Add(1) <= tc.failures {
							w.WriteHeader(http.StatusServiceUnavailable)
							return
						}
					}
					next.ServeHTTP(w, r)
				})}
				go func() { _ = server.Serve(network) }() // returns when the server is closed
				transport := &http.Transport{DialContext: network.Dial}
				storages, err := storage.NewStorages(dir, &http.Client{Transport: outbound.Idle(transport, outbound.IdleTime)})
				if err != nil {
					t.Fatal(err)
				}
				b, err := storages.Open(storage.Config{
					Kind: storage.KindWebDAV, BaseURL: "http://storage", Username: storagetest.User, Password: storagetest.Password, PartSize: 1000,
				})
				if err != nil {
					t.Fatal(err)
				}
				content := storagetest.Content(1, 8500)
				begin := time.Now()
				o, err := b.Put(t.Context(), "f/p/000000000000/a.bin", storagetest.Stage(t, dir, content), 8500)
				took := time.Since(begin)
				switch {
				case tc.want != "" && (err == nil || err.Error() != tc.want), tc.want == "" && err != nil:
					t.Errorf("put: %v; want %q", err, tc.want)
				case tc.want == "":
					if got, err := read(t, b, o, 0, 8500); err != nil || string(got) != string(content) || o.PartSize != 1000 {
						t.Errorf("%+v: %d bytes, %v", o, len(got), err)
					}
					if listings != 1 {
						t.Errorf("%d listings, want 1", listings)
					}
				}
				if took != tc.took {
					t.Errorf("took %v, want %v", took, tc.took)
				}
				if most > 2 {
					t.Errorf("%d parts were written at a time", most)
				}
				if err := server.Close(); err != nil {
					t.Error(err)
				}
				if err := storages.Close(); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Hour) //nolint:forbidigo // the time of the bubble, in which handlers end
			})
		})
	}
}

// TestMemory checks that content is not held in memory, regardless of its size. The test is not
// parallel, so that only its own allocations are measured.
//
//nolint:paralleltest // see above
func TestMemory(t *testing.T) {
	const size = 256 << 20
	var length atomic.Int64
	hole := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPut:
			n, err := io.Copy(io.Discard, r.Body)
			if length.Store(n); err == nil {
				w.WriteHeader(http.StatusCreated)
			}
		case http.MethodHead:
			w.Header().Set("Content-Length", fmt.Sprint(length.Load()))
		case http.MethodGet:
			w.Header().Set("Content-Length", fmt.Sprint(length.Load()))
			for range length.Load() >> 20 {
				if _, err := w.Write(zeros); err != nil {
					return
				}
			}
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	t.Cleanup(hole.Close)
	t.Run("webdav", func(t *testing.T) {
		flat(t, open(t, storage.Config{Kind: storage.KindWebDAV, BaseURL: hole.URL}), size)
	})
	t.Run("s3", func(t *testing.T) {
		flat(t, open(t, storagetest.VersityGW(t)), 64<<20)
	})
}

var zeros = make([]byte, 1<<20)

// flat checks that writing and reading an object of size bytes allocates less than 8 MiB in total.
func flat(t *testing.T, s storagetest.Setup, size int64) {
	t.Helper()
	path := filepath.Join(s.Staging, "large")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil { // a sparse file, which takes no disk space
		t.Fatal(err)
	}
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	begin := allocated()
	o, err := s.Backend.Put(t.Context(), "f/p/000000000000/large", path, size)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Backend.Open(t.Context(), o, 0, size)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if closeErr := r.Close(); n != size || err != nil || closeErr != nil {
		t.Errorf("read %d bytes, %v, %v; want %d", n, err, closeErr, size)
	}
	if grown := allocated() - begin; grown > 8<<20 {
		t.Errorf("%d bytes written and read allocated %d", size, grown)
	}
}
