package storage_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/internal/files/storage"
	"svc/internal/files/storage/storagetest"
)

func openLocal(t *testing.T) (storagetest.Setup, *storage.Local) {
	t.Helper()
	s := open(t, storage.Config{Kind: storage.KindLocal})
	return s, s.Backend.(*storage.Local)
}

// objects returns the path of the directory that contains the objects.
func objects(local *storage.Local) string { return filepath.Join(local.Staged(""), "../../objects") }

// tree lists all files and directories below a directory.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestLocalMoves checks that Put moves the staged file instead of copying it, and that Put succeeds
// if it is repeated after an interruption.
func TestLocalMoves(t *testing.T) {
	t.Parallel()
	s, local := openLocal(t)
	staged := storagetest.Stage(t, s.Staging, []byte("content"))
	before, err := os.Stat(staged)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		o, err := local.Put(t.Context(), "f/p/000000000000/a.txt", staged, 7)
		if err != nil || o != (storage.Object{Key: "f/p/000000000000/a.txt", Size: 7}) {
			t.Fatalf("put: %+v, %v", o, err)
		}
		after, err := os.Stat(filepath.Join(objects(local), "f", "p", "000000000000", "a.txt"))
		if err != nil || !os.SameFile(before, after) {
			t.Errorf("the object is another file than the staged one: %v", err)
		}
		if _, err := os.Stat(staged); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the staged file is still there: %v", err)
		}
	}
	if o, err := local.Put(t.Context(), "f/p/000000000000/a.txt", staged, 8); err == nil {
		t.Errorf("put of an absent file as an object of another size: %+v", o)
	}
}

// TestLocalRemovesEmptyFolders checks that Delete removes the parent directories that become empty,
// up to the first one that is not empty.
func TestLocalRemovesEmptyFolders(t *testing.T) {
	t.Parallel()
	s, local := openLocal(t)
	one := s.Put(t, "f/p/000000000001/a.txt", []byte("a"))
	two := s.Put(t, "f/p/000000000002/b.txt", []byte("b"))
	folder := objects(local)
	for _, step := range []struct {
		remove storage.Object
		want   []string
	}{
		{one, []string{".", "f", "f/p", "f/p/000000000002", "f/p/000000000002/b.txt"}},
		{two, []string{"."}},
	} {
		if err := local.Delete(t.Context(), step.remove); err != nil {
			t.Fatal(err)
		}
		if got := tree(t, folder); !slices.Equal(got, step.want) {
			t.Errorf("after the removal of %s: %q; want %q", step.remove.Key, got, step.want)
		}
	}
}

// TestLocalFoldersComeAndGo checks that removing the empty directories of one object does
// not disturb a concurrent Put of an object in a neighbouring directory.
func TestLocalFoldersComeAndGo(t *testing.T) {
	t.Parallel()
	s, local := openLocal(t)
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			for range 50 {
				o, err := local.Put(t.Context(), fmt.Sprintf("f/p/%012d/a", i), storagetest.Stage(t, s.Staging, []byte("a")), 1)
				if err == nil {
					err = local.Delete(t.Context(), o)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
}

// TestLocalStaysInside checks that neither symbolic links nor the paths of staged files can lead
// out of the storage directory.
func TestLocalStaysInside(t *testing.T) {
	t.Parallel()
	s, local := openLocal(t)
	outside := t.TempDir()
	for _, dir := range []string{"p/000000000000", "q"} {
		if err := os.MkdirAll(filepath.Join(outside, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	secret := storagetest.Stage(t, outside, []byte("secret"))
	if err := os.Rename(secret, filepath.Join(outside, "p/000000000000/secret")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(objects(local), "f")); err != nil {
		t.Skipf("needs symbolic links: on Windows turn the developer mode on: %v", err)
	}
	before := tree(t, outside)
	o := storage.Object{Key: "f/p/000000000000/secret", Size: 6}
	if f, err := local.Open(t.Context(), o, 0, 6); err == nil {
		t.Errorf("open through a link: %v", f.Close())
	}
	if there, err := local.Stat(t.Context(), o); there || err == nil {
		t.Errorf("stat through a link: %v, %v", there, err)
	}
	if err := local.Delete(t.Context(), o); err == nil {
		t.Error("delete through a link: no error")
	}
	if _, err := local.Put(t.Context(), "f/q/000000000000/a", storagetest.Stage(t, s.Staging, []byte("a")), 1); err == nil {
		t.Error("put through a link: no error")
	}
	if _, err := local.Put(t.Context(), "f/q/000000000000/a", filepath.Join(outside, "p/000000000000/secret"), 6); err == nil {
		t.Error("put of a file outside: no error")
	}
	if after := tree(t, outside); !slices.Equal(before, after) {
		t.Errorf("outside was %q and is %q", before, after)
	}
}

// TestLocalWalk checks that Walk reports every file below objects, including files that cannot be
// objects.
func TestLocalWalk(t *testing.T) {
	t.Parallel()
	s, local := openLocal(t)
	s.Put(t, "f/p/000000000002/b c.txt", []byte("b"))
	s.Put(t, "f/p/000000000001/安装.txt", []byte("aaa"))
	if err := os.WriteFile(filepath.Join(objects(local), "stray"), []byte("xx"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := local.Probe(t.Context()); !p.OK {
		t.Errorf("probe: %+v", p)
	}
	var got []string
	walk := func(key string, info fs.FileInfo) error {
		got = append(got, fmt.Sprint(key, " ", info.Size()))
		return nil
	}
	if err := local.Walk(walk); err != nil {
		t.Fatal(err)
	}
	if want := []string{"f/p/000000000001/安装.txt 3", "f/p/000000000002/b c.txt 1", "stray 2"}; !slices.Equal(got, want) {
		t.Errorf("walk: %q; want %q", got, want)
	}
	stop := errors.New("enough")
	if err := local.Walk(func(string, fs.FileInfo) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("walk that is stopped: %v", err)
	}
}

// TestLocalDiskPath checks that an object is found by its key even if its file has a different name
// on disk, and that Walk reports the name on disk.
func TestLocalDiskPath(t *testing.T) {
	t.Parallel()
	s, local := openLocal(t)
	local.SetDiskPath(func(key string) string { return strings.ReplaceAll(key, "/con", "/_con") })
	want := storage.Object{Key: "f/con/000000000000/con.txt", Size: 7}
	o, err := local.Put(t.Context(), want.Key, storagetest.Stage(t, s.Staging, []byte("content")), 7)
	if err != nil || o != want {
		t.Fatalf("put: %+v, %v", o, err)
	}
	if again, err := local.Put(t.Context(), want.Key, filepath.Join(s.Staging, "moved"), 7); err != nil || again != want {
		t.Errorf("put after an interruption: %+v, %v", again, err)
	}
	var names []string
	err = local.Walk(func(name string, _ fs.FileInfo) error {
		names = append(names, name)
		return nil
	})
	if err != nil || !slices.Equal(names, []string{"f/_con/000000000000/_con.txt"}) {
		t.Errorf("walk: %q, %v", names, err)
	}
	if there, err := local.Stat(t.Context(), o); err != nil || !there {
		t.Errorf("stat: %v, %v", there, err)
	}
	r, err := local.Open(t.Context(), o, 0, 7)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || string(content) != "content" {
		t.Errorf("open: %q, %v", content, err)
	}
	if err := local.Delete(t.Context(), o); err != nil {
		t.Error(err)
	}
	if got := tree(t, objects(local)); len(got) != 1 {
		t.Errorf("left after the deletion: %q", got)
	}
}
