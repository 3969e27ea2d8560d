package cmd

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/backup"
	"svc/internal/boltfile"
)

// TestCopyBeforeUpgrade: the copy is an ordinary backup of the data as it is, and
// an older one is not replaced.
func TestCopyBeforeUpgrade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, restored := filepath.Join(dir, "data"), filepath.Join(dir, "restored")
	want := fill(t, data)
	records, err := os.ReadFile(filepath.Join(data, backup.Database))
	if err != nil {
		t.Fatal(err)
	}
	log := &memoryLog{}
	for range 2 { // two starts, of which the first did not come far
		u := beforeUpgrade(data, slog.New(slog.NewTextHandler(log, nil)))
		for range 2 { // once for each file that is brought forward
			if err := u.Before(); err != nil {
				t.Fatal(err)
			}
		}
	}
	list, err := filepath.Glob(filepath.Join(data, "upgrade", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if names := []string{upgradeCopy(data, version), upgradeCopy(data, version+"-2")}; len(list) != 2 || !slices.Contains(names, list[0]) || !slices.Contains(names, list[1]) {
		t.Fatalf("upgrade has %v, want %v", list, names)
	}
	if text := log.take(); !strings.Contains(text, "svc-before-dev.tar.zst") {
		t.Errorf("the log does not name the copy: %s", text)
	}
	if info, err := os.Stat(list[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want mode 0600", info, err)
	}
	if now, err := os.ReadFile(filepath.Join(data, backup.Database)); err != nil || !bytes.Equal(now, records) {
		t.Errorf("the data has changed, %v", err)
	}
	newer := &boltfile.NewerError{Path: filepath.Join(data, backup.Database), Format: 2, Oldest: 1, Newest: 1, Writer: version}
	if text := newerText(newer); !strings.Contains(text, "svc restore "+quoted(upgradeCopy(data, version+"-2"))+" --force") {
		t.Errorf("the text does not name the newest copy: %s", text)
	}
	svc(t, "restore", upgradeCopy(data, version), "--data", restored)
	compareAnswers(t, "restored from the copy", answersOf(t, restored), want)
}

func TestOldUpgradeCopiesGo(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := dropUpgradeCopies(data, time.Now(), slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("without copies: %v", err)
	}
	if err := os.Mkdir(filepath.Join(data, upgradeName), 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"svc-before-1.tar.zst": 8 * 24 * time.Hour, "svc-before-2.tar.zst": 6 * 24 * time.Hour, "mine.tar.zst": 99 * 24 * time.Hour} {
		path := filepath.Join(data, upgradeName, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	// What cannot be removed is an error, and not said to be gone.
	inside := filepath.Join(data, upgradeName, "svc-before-0.tar.zst", "x")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Dir(inside), now, now.Add(-9*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	log := &memoryLog{}
	if err := dropUpgradeCopies(data, now, slog.New(slog.NewTextHandler(log, nil))); err == nil || !strings.Contains(err.Error(), "svc-before-0.tar.zst") {
		t.Errorf("got %v, want the one that cannot be removed", err)
	}
	if text := log.take(); strings.Count(text, "removed an old copy") != 1 || !strings.Contains(text, "svc-before-1.tar.zst") {
		t.Errorf("the log names another file than the one that is gone: %s", text)
	}
	for name, want := range map[string]bool{"svc-before-1.tar.zst": false, "svc-before-2.tar.zst": true, "mine.tar.zst": true} {
		if exists(filepath.Join(data, upgradeName), name) != want {
			t.Errorf("%s is there: %v, want %v", name, !want, want)
		}
	}
}

// TestNewerText says which formats there are, who wrote the file, and what to do.
func TestNewerText(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	path := filepath.Join(data, "svc.db")
	for _, tc := range []struct {
		name string
		err  boltfile.NewerError
		want string
	}{
		{"one format, writer not known", boltfile.NewerError{Path: path, Format: 2, Oldest: 1, Newest: 1},
			path + " has format 2; this is svc dev, which reads format 1\nit was written by a newer svc; install that one"},
		{"several formats", boltfile.NewerError{Path: path, Format: 7, Oldest: 3, Newest: 6, Writer: "1.4.0"},
			path + " has format 7; this is svc dev, which reads formats 3 to 6\nit was last written by svc 1.4.0; install 1.4.0 or newer"},
	} {
		if got := newerText(&tc.err); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
	if got, want := filepath.Base(upgradeCopy(data, "1.4.0 (x/y)")), "svc-before-1.4.0_x_y_.tar.zst"; got != want {
		t.Errorf("a version with odd characters: got %s, want %s", got, want)
	}
}
