package cmd_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"svc/internal/testutil"
)

// mountSmall mounts a tmpfs of the given size in MiB. It skips the test if mounting is not
// permitted.
func mountSmall(t *testing.T, megabytes int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	testutil.SmallDisk(t, dir, fmt.Sprintf("%dm", megabytes))
	return dir
}

// fill uses up all free space of a disk. Calling free makes the space available again.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// writer is a type of write request. Each request has a different body.
type writer struct {
	method, path string
	body         func(n int) string
	status       int
	acknowledged int
	sent         int
}

func (w *writer) write(t *testing.T, p *process) (status int, message, retry string) {
	t.Helper()
	w.sent++
	status, message, retry = p.try(t, w.method, w.path, w.body(w.sent))
	if status == w.status {
		w.acknowledged++
	}
	return status, message, retry
}

func writers() []*writer {
	long := strings.Repeat("0123456789abcdef", 2<<10)
	return []*writer{
		{method: "POST", path: "/public/a/feedbacks", body: func(n int) string { return fmt.Sprintf(`{"content":"feedback %d %s"}`, n, long[:1900]) }, status: 201},
		{method: "POST", path: "/public/a/logs", body: func(n int) string { return fmt.Sprintf(`{"level":1,"content":"log %d %s"}`, n, long[:1900]) }, status: 201},
		{method: "POST", path: "/public/a/events", body: func(n int) string {
			return fmt.Sprintf(`{"distinct_id":"u","events":[{"event_id":"%d","name":"open","properties":{"text":"%d%s"}}]}`, n, n, long[:2000])
		}, status: 202},
		{method: "PUT", path: "/admin/projects/a/versions/by-version/1.0.0", body: func(n int) string { return fmt.Sprintf(`{"content":"%d %s"}`, n, strings.Repeat("x", 1000*n)) }, status: 200}, // each body is larger than the previous one, so that the pages which the previous one has freed are not sufficient
		{method: "POST", path: "/admin/projects/a/announcements", body: func(n int) string { return fmt.Sprintf(`{"title":"%d","content":"%s"}`, n, long) }, status: 201},
	}
}

// TestFullDisk checks that a server on a full disk rejects writes with a disk-full error, but
// allows reads and deletions. It must accept writes as soon as there is space. Stopping and
// starting the server must be possible while the disk is full.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := mountSmall(t, 48+128) // 48 MiB, and 128 MiB that public requests cannot use
	dir := filepath.Join(disk, "data")
	start := func() *process {
		path, err := exec.LookPath("svc")
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(path, "serve", "--data", dir, "--listen", "127.0.0.1:0", "--log-level", "warn")
		c.Env = []string{"SVC_PUBLIC_RATE_LIMIT=0", "SVC_DEDUP_WINDOW_SECONDS=0"}
		return launch(t, c)
	}
	p := start()
	p.ask(t, "POST", "/admin/projects", `{"project_key":"a","name":"x"}`, 201)
	p.ask(t, "PUT", "/admin/projects/a/versions/by-version/1.0.0", `{"content":"first"}`, 201)
	all := writers()
	for _, w := range all {
		for range 30 {
			if status, message, _ := w.write(t, p); status != w.status {
				t.Fatalf("%s %s: got %d %.300s", w.method, w.path, status, message)
			}
		}
	}
	reads := func() {
		t.Helper()
		for _, path := range []string{"/public/a", "/public/a/versions", "/admin/projects/a/feedbacks?search=feedback", "/admin/projects/a/logs", "/admin/projects/a/stats/requests/overview", "/auth/me"} {
			p.ask(t, "GET", path, "", 200)
		}
		if got, want := p.total(t, "/admin/projects/a/feedbacks"), all[0].acknowledged; got != want {
			t.Fatalf("got %d feedbacks, want %d", got, want)
		}
		if got, want := p.total(t, "/admin/projects/a/logs"), all[1].acknowledged; got != want {
			t.Fatalf("got %d logs, want %d", got, want)
		}
		if got, want := p.total(t, "/admin/projects/a/events/stats/overview"), all[2].acknowledged; got != want {
			t.Fatalf("got %d events, want %d", got, want)
		}
		if got, want := p.total(t, "/admin/projects/a/announcements"), all[4].acknowledged; got != want {
			t.Fatalf("got %d announcements, want %d", got, want)
		}
	}
	full := func() {
		t.Helper()
		// The version comes last. By then, the announcements have used up all free pages except its
		// own.
		for _, w := range []*writer{all[0], all[1], all[2], all[4], all[3]} {
			status, message, retry := w.status, "", ""
			for try := 0; status == w.status; try++ {
				if try == 5000 {
					t.Fatalf("%s %s: is still taken", w.method, w.path)
				}
				status, message, retry = w.write(t, p)
			}
			wanted := "the disk of the server is full"
			if strings.HasPrefix(w.path, "/public/") { // public requests are rejected before the disk is full
				wanted = "the disk of the server is nearly full"
			}
			if status != 507 || !strings.Contains(message, wanted) || retry == "" {
				t.Fatalf("%s %s: got %d %.300s, Retry-After %q; want 507", w.method, w.path, status, message, retry)
			}
		}
	}
	drop := func() {
		t.Helper()
		var list struct{ Data []struct{ ID string } }
		_, text, _ := p.try(t, "GET", "/admin/projects/a/announcements", "")
		if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Data) == 0 {
			t.Fatalf("%v in %.300s", err, text)
		}
		// A flush of the request statistics may just have failed because the disk is full. The
		// server then rejects writes for a short while without trying them.
		testutil.Until(t, "deletion on a full disk", func() bool {
			status, text, _ := p.try(t, "DELETE", "/admin/projects/a/announcements/"+list.Data[0].ID, "")
			if status != 200 && status != 507 {
				t.Fatalf("a deletion: got %d %.300s", status, text)
			}
			return status == 200
		})
		all[4].acknowledged--
	}
	for range 2 {
		free := fill(t, disk)
		for range 3 { // the file has free pages for these
			drop()
		}
		full()
		reads()
		out, err := exec.Command("svc", "admin", "reset-password", "--data", dir).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "svc: the disk of the server is full") {
			t.Errorf("a command: %v: %s", err, out)
		}
		p.end(t, syscall.SIGTERM)
		if code := p.ProcessState.ExitCode(); code != 0 {
			t.Errorf("a stop on a full disk: got exit code %d", code)
		}
		p = start()
		reads()
		full()

		free()
		for _, w := range all {
			if status, message, _ := w.write(t, p); w.status != status {
				if status == 507 { // the server rejects submissions for a short while without trying them
					testutil.Until(t, "it is taken again", func() bool {
						status, message, _ = w.write(t, p)
						return status == w.status
					})
				}
				if status != w.status {
					t.Fatalf("with space again: %s %s: got %d %.300s", w.method, w.path, status, message)
				}
			}
		}
		reads()
	}
	testutil.Until(t, "the search finds what came last", func() bool {
		return p.total(t, fmt.Sprintf("/admin/projects/a/feedbacks?search=feedback%%20%d", all[0].sent)) == 1
	})
	p.end(t, syscall.SIGTERM)
	if code := p.ProcessState.ExitCode(); code != 0 {
		t.Errorf("a stop: got exit code %d", code)
	}
	p = start()
	reads()
}

// TestNoRoomToStart checks that a server that cannot write its data does not start. It must report
// the reason and the remedy, and must not leave incomplete files behind.
func TestNoRoomToStart(t *testing.T) {
	t.Parallel()
	disk := mountSmall(t, 1)
	dir := filepath.Join(disk, "data")
	start := func() (said string) {
		t.Helper()
		out, err := exec.Command("svc", "serve", "--data", dir, "--listen", "127.0.0.1:0").CombinedOutput()
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok || failed.ExitCode() != 1 {
			t.Fatalf("got %v, want exit code 1:\n%s", err, out)
		}
		return string(out)
	}
	for _, room := range []int64{0, 4, 8, 16, 24, 32, 40, 48} { // sizes in KiB, each less than a new data directory takes
		free := fill(t, disk)
		if err := os.Truncate(filepath.Join(disk, "filler"), 1<<20-room<<10); err != nil {
			t.Fatal(err)
		}
		said := start()
		if !strings.Contains(said, "no space left on device") || !strings.Contains(said, "\n     make room on that disk") {
			t.Errorf("with %d KiB: got %s", room, said)
		}
		left, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, f := range left {
			info, err := f.Info()
			if err != nil {
				t.Fatal(err)
			}
			whole := map[string]int64{"README.txt": 500, "secrets.toml": 300, "svc.db": 32768, "events.db": 32768, "svc.lock": 0, "svc.bootstrap-admin.txt": 100}
			if least, known := whole[f.Name()]; !known || info.Size() < least {
				t.Errorf("with %d KiB: %s of %d bytes is left", room, f.Name(), info.Size())
			}
		}
		free()
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	readOnly := func(flag uintptr) {
		t.Helper()
		if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|flag, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, made := range []bool{false, true} {
		if made {
			c := exec.Command("svc", "serve", "--data", dir, "--listen", "127.0.0.1:0")
			p := launch(t, c)
			p.end(t, syscall.SIGTERM)
		}
		readOnly(syscall.MS_RDONLY)
		if said := start(); !strings.Contains(said, "read-only file system") || !strings.Contains(said, "\n     it has to be mounted for writing") {
			t.Errorf("a read-only disk, made %t: got %s", made, said)
		}
		readOnly(0)
	}
	launch(t, exec.Command("svc", "serve", "--data", dir, "--listen", "127.0.0.1:0")).end(t, syscall.SIGTERM)
}
