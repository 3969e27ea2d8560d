package target_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/replica/target"
)

// TestDirectoryThatIsAbsent checks that a directory that is mounted later is a target from then on, and
// that it is never created.
func TestDirectoryThatIsAbsent(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "replica")
	to := openTarget(t, "file://"+dir, target.Credentials{})
	_, _, opened := to.Open(t.Context(), "a")
	for operation, err := range map[string]error{
		"create": to.Create(t.Context(), "a", strings.NewReader("a"), 1), "replace": to.Replace(t.Context(), "a", nil), "open": opened,
		"list": to.List(t.Context(), "", func(target.Object) error { return nil }), "delete": to.Delete(t.Context(), "a"),
	} {
		if err == nil || !strings.Contains(err.Error(), "the directory of the target does not exist") || strings.Contains(err.Error(), dir) ||
			errors.Is(err, target.ErrMissing) {
			t.Errorf("%s: %v", operation, err)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := to.Create(t.Context(), "a", strings.NewReader("a"), 1); err != nil {
		t.Error(err)
	}
}

// TestDirectoryHoldsOtherFiles checks that files that are no objects are neither listed nor changed,
// that no link leads out of the directory, and that the remains of killed processes are removed.
func TestDirectoryHoldsOtherFiles(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "replica")
	write := func(name string, age time.Duration) {
		t.Helper()
		path := filepath.Join(parent, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("theirs"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if at := time.Now().Add(-age); os.Chtimes(path, at, at) != nil {
			t.Fatal("cannot set the time of a file")
		}
	}
	for _, name := range []string{"outside/a", "replica/.hidden", "replica/lost+found/a", "replica/log/a b"} {
		write(name, 48*time.Hour)
	}
	write("replica/.svc-unfinished/old", 48*time.Hour)
	write("replica/.svc-unfinished/new", time.Minute)
	if err := os.Symlink(filepath.Join(parent, "outside"), filepath.Join(dir, "link")); err != nil {
		t.Skipf("needs symbolic links: %v", err)
	}
	to := openTarget(t, "file://"+dir, target.Credentials{})
	_, _, opened := to.Open(t.Context(), "link/a")
	for operation, err := range map[string]error{
		"create": to.Create(t.Context(), "link/b", strings.NewReader("a"), 1), "replace": to.Replace(t.Context(), "link/a", nil), "open": opened,
		"delete": to.Delete(t.Context(), "link/a"),
	} {
		if err == nil {
			t.Errorf("%s through a link succeeded", operation)
		}
	}
	if err := to.Create(t.Context(), "log/1", strings.NewReader("a"), 1); err != nil {
		t.Fatal(err)
	}
	var listed []string
	if err := to.List(t.Context(), "", func(o target.Object) error { listed = append(listed, o.Name); return nil }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(listed, []string{"log/1"}) {
		t.Errorf("listed %q", listed)
	}
	if err := to.Delete(t.Context(), "log/1"); err != nil {
		t.Fatal(err)
	}
	var left []string
	err := fs.WalkDir(os.DirFS(parent), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			left = append(left, name)
			var content []byte
			if content, err = os.ReadFile(filepath.Join(parent, name)); !bytes.Equal(content, []byte("theirs")) {
				t.Errorf("%s has the content %q", name, content)
			}
		}
		return err
	})
	want := []string{"outside/a", "replica/.hidden", "replica/.svc-unfinished/new", "replica/log/a b", "replica/lost+found/a"}
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("files: %q, %v; want %q", left, err, want)
	}
}
