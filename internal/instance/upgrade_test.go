package instance_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/internal/datadir"
	"svc/internal/instance"
)

// TestOldUpgradeCopiesGo: copies of more than a week ago go, other files stay.
func TestOldUpgradeCopiesGo(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := instance.DropUpgradeCopies(data, time.Now(), slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("without copies: %v", err)
	}
	if err := os.Mkdir(filepath.Join(data, datadir.Upgrades), 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"svc-before-1.tar.zst": 8 * 24 * time.Hour, "svc-before-2.tar.zst": 6 * 24 * time.Hour, "mine.tar.zst": 99 * 24 * time.Hour} {
		path := filepath.Join(data, datadir.Upgrades, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	// What cannot be removed is an error, and not said to be gone.
	inside := filepath.Join(data, datadir.Upgrades, "svc-before-0.tar.zst", "x")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Dir(inside), now, now.Add(-9*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if err := instance.DropUpgradeCopies(data, now, slog.New(slog.NewTextHandler(&log, nil))); err == nil || !strings.Contains(err.Error(), "svc-before-0.tar.zst") {
		t.Errorf("got %v, want the one that cannot be removed", err)
	}
	if text := log.String(); strings.Count(text, "deleted an old copy") != 1 || !strings.Contains(text, "svc-before-1.tar.zst") {
		t.Errorf("the log names another file than the one that is gone: %s", text)
	}
	for name, want := range map[string]bool{"svc-before-1.tar.zst": false, "svc-before-2.tar.zst": true, "mine.tar.zst": true} {
		if instance.Has(filepath.Join(data, datadir.Upgrades), name) != want {
			t.Errorf("%s is there: %v, want %v", name, !want, want)
		}
	}
}
