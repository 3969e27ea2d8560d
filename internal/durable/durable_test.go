package durable_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"svc/internal/durable"
)

func TestWriteFileReplacesContentAndMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "secret")
	if err := os.WriteFile(path, []byte("a longer old content"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteFile(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "new" {
		t.Errorf("content %q, %v; want %q", got, err, "new")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	assertOnly(t, dir, "secret")
}

func TestWriteFileThatFailsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteFile(path, []byte("new"), 0o600); err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	assertOnly(t, dir, "folder")
}

func assertOnly(t *testing.T, dir, name string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || list[0].Name() != name {
		t.Errorf("folder has %v, %v; want only %s", list, err, name)
	}
}

// That the names survive a power cut is held by TestPowerCut of package crash.
func TestMkdirAllMakesWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "a", "b", "c"), filepath.Join(dir, "a", "d"), dir} {
		if err := durable.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			t.Errorf("%s was not made: %v", path, err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := durable.MkdirAll(filepath.Join(file, "below"), 0o700); err == nil {
		t.Error("a folder was made in a file")
	}
}
