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

	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/instance"
)

// TestCopyBeforeUpgrade checks that the copy made before an upgrade is an ordinary backup of the
// unchanged data. It must not replace an older copy.
func TestCopyBeforeUpgrade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, restored := filepath.Join(dir, "data"), filepath.Join(dir, "restored")
	want := fill(t, data)
	records, err := os.ReadFile(filepath.Join(data, datadir.Database))
	if err != nil {
		t.Fatal(err)
	}
	log := &memoryLog{}
	for range 2 { // two starts, as if the first upgrade had failed
		u := instance.BeforeUpgrade(data, version, slog.New(slog.NewTextHandler(log, nil)))
		for range 2 { // once for each file that has to be upgraded
			if err := u.Before(); err != nil {
				t.Fatal(err)
			}
		}
	}
	list, err := filepath.Glob(filepath.Join(data, "upgrade", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if names := []string{instance.UpgradeCopy(data, version), instance.UpgradeCopy(data, version+"-2")}; len(list) != 2 || !slices.Contains(names, list[0]) || !slices.Contains(names, list[1]) {
		t.Fatalf("upgrade has %v, want %v", list, names)
	}
	if text := log.take(); !strings.Contains(text, "svc-before-dev.tar.zst") {
		t.Errorf("the log does not name the copy: %s", text)
	}
	if info, err := os.Stat(list[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want mode 0600", info, err)
	}
	if now, err := os.ReadFile(filepath.Join(data, datadir.Database)); err != nil || !bytes.Equal(now, records) {
		t.Errorf("the data has changed, %v", err)
	}
	newer := &boltfile.NewerError{Path: filepath.Join(data, datadir.Database), Format: 2, Oldest: 1, Newest: 1, Writer: version}
	if text := newerText(newer); !strings.Contains(text, "svc restore "+quoted(instance.UpgradeCopy(data, version+"-2"))+" --force") {
		t.Errorf("the text does not name the newest copy: %s", text)
	}
	svc(t, "restore", instance.UpgradeCopy(data, version), "--data", restored)
	compareAnswers(t, "restored from the copy", answersOf(t, restored), want)
}

// TestNewerText checks that the message about newer data names the formats, the version that wrote
// the file, and the remedy.
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
	if got, want := filepath.Base(instance.UpgradeCopy(data, "1.4.0 (x/y)")), "svc-before-1.4.0_x_y_.tar.zst"; got != want {
		t.Errorf("a version with odd characters: got %s, want %s", got, want)
	}
}
