package durable_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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

// TestWriteLargeFile checks that a file contains all data, including the parts that were
// synced before the end. If writing fails, the old file must be unchanged.
func TestWriteLargeFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "large")
	want := bytes.Repeat([]byte("0123456789abcdef"), 20<<16)
	write := func(w io.Writer) error {
		for piece := range slices.Chunk(want, 1<<20) {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		return nil
	}
	if err := durable.Write(path, 0o600, write); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more")
	err := durable.Write(path, 0o600, func(w io.Writer) error { return errors.Join(write(w), failure) })
	if !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v; want %d", len(got), err, len(want))
	}
	assertOnly(t, dir, "large")
}

func assertOnly(t *testing.T, dir, name string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || list[0].Name() != name {
		t.Errorf("folder has %v, %v; want only %s", list, err, name)
	}
}

// TestMkdirAllMakesWhatIsMissing checks that missing parents are created. TestPowerCut in
// package crash checks that their names survive a power failure.
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
