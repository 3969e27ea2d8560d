package cmd_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDamageWhileServing damages a page of svc.db while a server is running. It checks that
// compaction and backup fail with exit code 13, that earlier backups still exist, and that the
// server accepts writes and stops on SIGTERM.
func TestDamageWhileServing(t *testing.T) {
	t.Parallel()
	data, backups := filepath.Join(t.TempDir(), "data"), t.TempDir()
	p := launch(t, exec.Command("svc", "serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "error",
		"--backup-dir", backups, "--backup-keep", "1", "--public-rate-limit", "0"))
	p.ask(t, "POST", "/admin/projects", `{"project_key":"a","name":"x"}`, 201)
	for i := range 300 {
		p.ask(t, "POST", "/public/a/feedbacks", fmt.Sprintf(`{"content":"a needle in the haystack, number %d"}`, i), 201)
	}
	if out, code := command(t, "job", "run", "backup", "--data", data); code != 0 {
		t.Fatalf("the backup of a sound file: %d %s", code, out)
	}
	before := files(t, backups)
	damageLeaves(t, filepath.Join(data, "svc.db"), "a needle in the haystack")

	archive := filepath.Join(t.TempDir(), "svc.tar.zst")
	for _, tc := range []struct {
		args []string
		code int
	}{
		{[]string{"compact", "--always"}, 13},
		{[]string{"backup", archive}, 13},
		{[]string{"job", "run", "backup"}, 1},
	} {
		out, code := command(t, append(tc.args, "--data", data)...)
		if code != tc.code || !strings.Contains(out, "svc.db") || !strings.Contains(out, "damaged") {
			t.Errorf("svc %s: got exit code %d, want %d:\n%s", strings.Join(tc.args, " "), code, tc.code, out)
		}
	}
	if _, err := os.Stat(archive); !os.IsNotExist(err) {
		t.Errorf("there is an archive: %v", err)
	}
	if after := files(t, backups); after != before || before == "" {
		t.Errorf("the backups were %s and are %s", before, after)
	}
	if left := files(t, data); strings.Contains(left, ".compact") {
		t.Errorf("a temporary file is left: %s", left)
	}
	p.ask(t, "PATCH", "/admin/projects/a", `{"name":"y"}`, 200)
	p.ask(t, "GET", "/public/a", "", 200)
	p.end(t, syscall.SIGTERM)
}

// TestDamagedEvents damages a page of events.db while a server is running. It checks that event
// requests are rejected with 503, even after a restart, and that other requests succeed. Readiness,
// metrics, status and doctor must report the damage, and the server must log it only once.
func TestDamagedEvents(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	start := func() *process {
		return launch(t, exec.Command("svc", "serve", "--data", data, "--listen", "127.0.0.1:0", "--public-rate-limit", "0"))
	}
	p := start()
	p.ask(t, "POST", "/admin/projects", `{"project_key":"a","name":"x"}`, 201)
	p.ask(t, "POST", "/admin/projects/a/versions", `{"version":"1.0.0","comparable_version":"1.0.0","download_url":"https://example.org/1.zip"}`, 201)
	batch := func(n int) string {
		return fmt.Sprintf(`{"distinct_id":"u%d","events":[{"event_id":"e%d","name":"open","properties":{"text":"a needle in the haystack"}}]}`, n, n)
	}
	for n := range 300 {
		p.ask(t, "POST", "/public/a/events", batch(n), 202)
	}
	damageLeaves(t, filepath.Join(data, "events.db"), "a needle in the haystack")
	for _, state := range []string{"running", "started again"} {
		if status, message, retry := p.try(t, "POST", "/public/a/events", batch(1000)); status != 503 || !strings.Contains(message, "events.db of the server is damaged") || retry == "" {
			t.Errorf("%s: events: got %d %s, Retry-After %q, want 503", state, status, message, retry)
		}
		p.ask(t, "POST", "/public/a/versions/check-update", `{"current_version":"1.0.0"}`, 200)
		p.ask(t, "POST", "/public/a/feedbacks", `{"content":"`+state+`"}`, 201)
		p.ask(t, "PATCH", "/admin/projects/a", `{"name":"y"}`, 200)
		for _, tc := range []struct {
			command string
			code    int
			want    string
		}{
			{"health", 1, "events.db: the file is damaged"},
			{"status", 0, "events.db: the file is damaged"},
			{"doctor", 1, "events.db"},
			{"backup " + filepath.Join(t.TempDir(), "x.tar.zst"), 13, "events.db is damaged"},
		} {
			if out, code := command(t, append(strings.Fields(tc.command), "--data", data)...); code != tc.code || !strings.Contains(out, tc.want) {
				t.Errorf("%s: svc %s: got exit code %d, want %d with %q:\n%s", state, tc.command, code, tc.code, tc.want, out)
			}
		}
		if metrics := string(get(t, data, "/metrics")); !strings.Contains(metrics, "\nsvc_events_damaged 1\n") || !strings.Contains(metrics, "\nsvc_store_damaged 0\n") {
			t.Errorf("%s: the metrics do not name the damage", state)
		}
		p.end(t, syscall.SIGTERM)
		if code := p.ProcessState.ExitCode(); code != 0 {
			t.Errorf("%s: stopped with exit code %d", state, code)
		}
		if n := strings.Count(p.log.String(), "a database is damaged"); n != 1 || strings.Contains(p.log.String(), "panic") {
			t.Errorf("%s: damage was logged %d times, want once and no panic:\n%s", state, n, p.log.String())
		}
		if state == "running" {
			p = start()
		}
	}
}

// command runs svc and returns its combined output and its exit code.
func command(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "svc", args...)
	text, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), c.ProcessState.ExitCode()
}

// files returns the names of the files in a folder.
func files(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

// damageLeaves zeroes the headers of the leaf pages of a bbolt file that contain text.
func damageLeaves(t *testing.T, path, text string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, damaged := os.Getpagesize(), 0
	for number := 2; (number+1)*size <= len(content); number++ {
		page := content[number*size:][:size]
		isLeaf := binary.NativeEndian.Uint64(page) == uint64(number) && binary.NativeEndian.Uint16(page[8:]) == 2
		if !isLeaf || !bytes.Contains(page, []byte(text)) {
			continue
		}
		if _, err := f.WriteAt(make([]byte, 16), int64(number*size)); err != nil {
			t.Fatal(err)
		}
		damaged++
	}
	if damaged == 0 {
		t.Fatal("no leaf has the text")
	}
}
