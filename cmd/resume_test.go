package cmd_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"svc/internal/files/storage/storagetest"
)

// TestUploadGoesOn checks that repeating an interrupted upload sends only the missing chunks. If
// the file has changed or the upload session no longer exists, the upload must start over.
func TestUploadGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "app.zip")
	p := serve(t, data)
	p.ask(t, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201)
	key, err := exec.Command("svc", "apikey", "create", "--data", data, "--name", "ci", "--scope", "files:write").Output()
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse("http://" + p.address())
	if err != nil {
		t.Fatal(err)
	}
	// The proxy counts chunks, and rejects further chunks after the given number.
	var chunks, there, most, sessions atomic.Int64
	var full atomic.Pointer[chan struct{}]
	proxy := httputil.NewSingleHostReverseProxy(server)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/uploads"):
			sessions.Add(1)
		case !strings.Contains(r.URL.Path, "/chunks/"):
		case chunks.Add(1) > most.Load():
			<-*full.Load()
			http.Error(w, `{"message":"no more today"}`, http.StatusForbidden)
			return
		default:
			proxy.ServeHTTP(w, r)
			if there.Add(1) == most.Load() {
				close(*full.Load())
			}
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(between.Close)
	upload := func(limit int64) (string, error) {
		chunks.Store(0)
		there.Store(0)
		most.Store(limit)
		sessions.Store(0)
		full.Store(new(make(chan struct{})))
		c := exec.Command("svc", "files", "upload", "--url", between.URL, "--project", "app", file)
		c.Env = append(os.Environ(), "SVC_KEY="+strings.TrimSpace(string(key)), "HOME="+dir, "XDG_CACHE_HOME="+dir)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	write := func(seed uint64) {
		if err := os.WriteFile(file, storagetest.Content(seed, 4<<23+5), 0o600); err != nil { // a file of 5 chunks
			t.Fatal(err)
		}
	}
	served := func(out string, seed uint64) {
		t.Helper()
		status, got, err := p.send(http.MethodGet, strings.TrimSpace(out), nil)
		if err != nil || status != 200 || string(got) != string(storagetest.Content(seed, 4<<23+5)) {
			t.Errorf("%s answers %d and %d bytes, %v", out, status, len(got), err)
		}
	}

	write(1)
	if out, err := upload(2); err == nil || !strings.Contains(out, "no more today") {
		t.Fatalf("an upload that is refused: got %v %s", err, out)
	}
	out, err := upload(100)
	if err != nil || chunks.Load() != 3 || sessions.Load() != 0 {
		t.Fatalf("it goes on with %d chunks and %d new sessions, want 3 and none: %v %s", chunks.Load(), sessions.Load(), err, out)
	}
	served(out, 1)

	write(2)
	if out, err := upload(1); err == nil {
		t.Fatalf("an upload that is refused: got %s", out)
	}
	write(3)
	if out, err = upload(100); err != nil || chunks.Load() != 5 {
		t.Fatalf("another content: %d chunks, want 5: %v %s", chunks.Load(), err, out)
	}
	served(out, 3)

	write(4)
	if out, err := upload(1); err == nil {
		t.Fatalf("an upload that is refused: got %s", out)
	}
	p.ask(t, "DELETE", "/admin/projects/app", "", 200)
	p.ask(t, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201)
	if out, err = upload(100); err != nil || chunks.Load() != 5 {
		t.Fatalf("a session that is gone: %d chunks, want 5: %v %s", chunks.Load(), err, out)
	}
	served(out, 4)
}
