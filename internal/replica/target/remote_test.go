package target_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/files/storage"
	"svc/internal/files/storage/storagetest"
	"svc/internal/replica/target"
)

// operations returns the error of each operation of a target.
func operations(t testing.TB, to target.Target) map[string]error {
	t.Helper()
	content, _, opened := to.Open(t.Context(), "a/b")
	if opened == nil {
		_ = content.Close()
	}
	return map[string]error{
		"open": opened, "create": to.Create(t.Context(), "a/b", strings.NewReader("x"), 1), "replace": to.Replace(t.Context(), "a/b", nil),
		"list": to.List(t.Context(), "", func(target.Object) error { return nil }), "delete": to.Delete(t.Context(), "a/b"),
	}
}

// answering starts a server and returns the kinds of remote targets on it.
func answering(t testing.TB, answer http.HandlerFunc) map[string]target.Target {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	targets := map[string]target.Target{}
	for _, c := range []storage.Config{
		{Kind: storage.KindS3, BaseURL: server.URL, Username: "key", Password: "secret", Bucket: "bucket"},
		{Kind: storage.KindWebDAV, BaseURL: server.URL, Username: "key", Password: "secret"},
	} {
		text, credentials := location(c, "")
		targets[string(c.Kind)] = openTarget(t, text, credentials)
	}
	return targets
}

// TestServerThatIsBusy checks that each operation fails at once, and that the error says when to try
// again.
func TestServerThatIsBusy(t *testing.T) {
	t.Parallel()
	for kind, to := range answering(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Retry-After", "120")
		http.Error(w, "the inner answer", http.StatusServiceUnavailable)
	}) {
		for operation, err := range operations(t, to) {
			wait := target.RetryAfter(err)
			known := errors.Is(err, target.ErrExists) || errors.Is(err, target.ErrMissing)
			if err == nil || known || wait <= 100*time.Second || wait > 120*time.Second ||
				!strings.Contains(err.Error(), "the storage answered 503") || strings.Contains(err.Error(), "inner") {
				t.Errorf("%s, %s: %v, try again after %v", kind, operation, err, wait)
			}
		}
	}
}

// TestServerWithAnotherClock checks that the offset of the clock of a server is known after a request.
func TestServerWithAnotherClock(t *testing.T) {
	t.Parallel()
	for kind, to := range answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusNotFound)
	}) {
		if _, known := target.ClockOffset(to); known {
			t.Errorf("%s: known before a request", kind)
		}
		if _, _, err := to.Open(t.Context(), "a"); err == nil || target.RetryAfter(err) != 0 {
			t.Errorf("%s: %v, try again after %v", kind, err, target.RetryAfter(err))
		}
		ahead, known := target.ClockOffset(to)
		if !known || (ahead+time.Hour).Abs() > 30*time.Second {
			t.Errorf("%s: ahead by %v, known %v; want -1h", kind, ahead, known)
		}
	}
}

// TestServerThatBreaksOff checks that a reader does not end with io.EOF before the last byte.
func TestServerThatBreaksOff(t *testing.T) {
	t.Parallel()
	for kind, to := range answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("location") {
			_, _ = io.WriteString(w, "<LocationConstraint></LocationConstraint>")
			return
		}
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("Last-Modified", "Mon, 05 Jan 2026 10:00:00 GMT")
		_, _ = io.WriteString(w, strings.Repeat("x", 500))
	}) {
		content, size, err := to.Open(t.Context(), "a")
		if err != nil || size != 1000 {
			t.Errorf("%s: size %d, %v", kind, size, err)
			continue
		}
		if got, err := io.ReadAll(content); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: read %d bytes, %v", kind, len(got), err)
		}
		if err := content.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWrongCredentials(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		start func(testing.TB) storage.Config
		user  string
	}{
		"webdav":           {inProcess, storagetest.User},
		"apache":           {storagetest.Apache, storagetest.User},
		"rclone":           {storagetest.Rclone, storagetest.User},
		"versitygw_user":   {storagetest.VersityGW, "nobody"},
		"versitygw_secret": {storagetest.VersityGW, storagetest.User},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, _ := location(tc.start(t), "")
			to := openTarget(t, text, target.Credentials{User: tc.user, Password: "wrong"})
			for operation, err := range operations(t, to) {
				if err == nil || !strings.Contains(err.Error(), "the credentials are refused") || strings.Contains(err.Error(), "wrong") {
					t.Errorf("%s: %v", operation, err)
				}
			}
		})
	}
}

// TestClientThatHasEnded checks that what an ended WebDAV client has left does not keep others from
// creating the object, and is removed.
func TestClientThatHasEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := httptest.NewServer(storagetest.Handler(dir))
	t.Cleanup(server.Close)
	to := openTarget(t, "webdav+"+server.URL, target.Credentials{User: storagetest.User, Password: storagetest.Password})
	if err := to.Create(t.Context(), "a", strings.NewReader("a"), 1); err != nil {
		t.Fatal(err)
	}
	leave := func(name string, age time.Duration, make func(path string) error) {
		t.Helper()
		path := filepath.Join(dir, ".svc-unfinished", name)
		at := time.Now().Add(-age)
		if err := errors.Join(make(path), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	mkdir := func(path string) error { return os.Mkdir(path, 0o700) }
	write := func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }
	leave(fmt.Sprintf("claim-%x", sha256.Sum256([]byte("b"))), 2*time.Minute, mkdir)
	leave(fmt.Sprintf("claim-%x", sha256.Sum256([]byte("a"))), time.Second, mkdir)
	leave("old", 7*time.Hour, write)
	leave("new", 5*time.Hour, write)
	if err := to.Create(t.Context(), "b", strings.NewReader("b"), 1); err != nil {
		t.Error(err)
	}
	if err := to.Create(t.Context(), "a", strings.NewReader("b"), 1); !errors.Is(err, target.ErrExists) {
		t.Errorf("create an object that exists, with a claim of another client: %v; want ErrExists", err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, ".svc-unfinished"))
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name()[:3])
	}
	if !slices.Equal(left, []string{"cla", "new"}) {
		t.Errorf("left: %q", left)
	}
}
