package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if n, err := Free(dir); err != nil || n == 0 {
		t.Errorf("got %d bytes, %v; want room for this test", n, err)
	}
	missing := filepath.Join(dir, "missing")
	if _, err := Free(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("got %v, want an error that names %s", err, missing)
	}
}

func TestAllocate(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("content"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ size, want int64 }{{0, 7}, {3, 7}, {7, 7}, {1 << 20, 1 << 20}, {1 << 20, 1 << 20}} {
		if err := Allocate(f, step.size); err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != step.want {
			t.Errorf("after %d bytes: got %d, %v; want %d", step.size, info.Size(), err, step.want)
		}
	}
	start := make([]byte, 8)
	if _, err := f.ReadAt(start, 0); err != nil || string(start) != "content\x00" {
		t.Errorf("got %q, %v; what was there must stay", start, err)
	}
	if err := Allocate(f, 1<<62); err == nil {
		t.Error("a file larger than every disk was allocated")
	}
}
