package backup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/datadir"
)

// tree is the content of a directory: the text of each file by its name.
type tree = map[string]string

// old is the content of a data directory before a restore. It contains every kind of file that a
// restore moves aside or leaves in place.
var old = tree{
	"svc.db": "old", "events.db": "old", "secrets.toml": "old", "config.toml": "old", "files/objects/a": "old",
	"search.bleve/x": "old", "svc.bootstrap-admin.txt": "old",
	"README.txt": "stays", "svc.lock": "stays", "backups/svc-20260101-000000.tar.zst": "stays", "upgrade/x": "stays", "certs/x": "stays",
}

// archived is the content of the archive.
var archived = tree{"svc.db": "new", "events.db": "new", "secrets.toml": "new", "files/objects/b/c": "new"}

// restored returns the expected content of two directories after a restore: now is the
// content of the data directory, and kept is the previous content that was moved aside.
func restored() (now, kept tree) {
	now, kept = maps.Clone(archived), tree{}
	for name, text := range old {
		if text == "stays" {
			now[name] = text
		} else {
			kept[name] = text
		}
	}
	return now, kept
}

func makeDir(t *testing.T, dir string, files tree) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// files returns the content of a directory. It leaves out directories to which a restore
// has moved previous content.
func files(t *testing.T, dir string) tree {
	t.Helper()
	all := tree{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path != dir && strings.HasPrefix(entry.Name(), "before-restore-") {
				return fs.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func packed(t *testing.T, files tree, withFiles bool) (archive []byte, m *Manifest) {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, "1", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.Add(Member{Name: name, Size: int64(len(files[name])), Mode: 0o600}, strings.NewReader(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if m, err = w.Close(withFiles, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), m
}

// attempt performs one restore. The hook in c is called before each change of the file
// system and can make it fail.
func attempt(c changes, data string, beside bool, archive []byte, m *Manifest) (kept string, err error) {
	s, err := c.stage(&Staged{data: data, beside: beside, manifest: m}, bytes.NewReader(archive), nil)
	if err != nil {
		return "", err
	}
	kept, err = s.Swap(time.Unix(1_700_000_000, 0))
	if err != nil {
		return "", errors.Join(err, s.Discard())
	}
	return kept, nil
}

var errFails = errors.New("it fails here")

// TestRestoreFailsAtEveryCall makes each change of the file system fail in turn. Either
// only this change fails, or all later ones fail too, as in a power failure. Afterwards,
// either the data directory must have the old content, or the next opening must complete
// the restore and keep the old content.
func TestRestoreFailsAtEveryCall(t *testing.T) {
	t.Parallel()
	archive, m := packed(t, archived, true)
	for _, beside := range []bool{true, false} {
		for _, forever := range []bool{false, true} {
			completed := 0
			for n := 1; ; n++ {
				name := fmt.Sprintf("beside %v, forever %v, call %d", beside, forever, n)
				data := filepath.Join(t.TempDir(), "data")
				makeDir(t, data, old)
				calls := 0
				_, err := attempt(changes{func() error {
					if calls++; calls == n || forever && calls > n {
						return errFails
					}
					return nil
				}}, data, beside, archive, m)
				if err == nil { // the restore makes fewer changes than that
					if n < 20 || forever && completed == 0 {
						t.Errorf("%s: %d calls, %d restores completed later", name, n, completed)
					}
					break
				}
				if !errors.Is(err, errFails) {
					t.Fatalf("%s: got %v, want the error of the call", name, err)
				}
				if finishedLater(t, name, data, forever) {
					completed++
				}
			}
		}
	}
}

// finishedLater opens a data directory after a failed restore and checks its content. It reports
// whether the opening completed the restore.
func finishedLater(t *testing.T, name, data string, forever bool) bool {
	t.Helper()
	journalled := exists(data, datadir.Journal)
	if !forever && journalled {
		t.Errorf("%s: what failed once was not undone", name)
	}
	finished, keptIn, err := FinishSwap(data)
	if err != nil || finished != journalled {
		t.Fatalf("%s: finished %v, %v; want %v", name, finished, err, journalled)
	}
	if again, _, err := FinishSwap(data); again || err != nil {
		t.Errorf("%s: the second time: finished %v, %v", name, again, err)
	}
	now, kept := restored()
	got := files(t, data)
	switch {
	case !finished && !maps.Equal(got, old):
		t.Errorf("%s: the directory holds %v, want what it held", name, got)
	case finished && !maps.Equal(got, now):
		t.Errorf("%s: the directory holds %v, want %v", name, got, now)
	case finished && !maps.Equal(files(t, keptIn), kept):
		t.Errorf("%s: %s holds %v, want %v", name, keptIn, files(t, keptIn), kept)
	}
	for _, left := range []string{unfinished(data, true), unfinished(data, false)} {
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %s is left", name, left)
		}
	}
	return finished
}

// TestFinishFailsAtEveryCall makes all changes of the file system fail from the nth one on while an
// interrupted restore is being completed. A second attempt must then complete it.
func TestFinishFailsAtEveryCall(t *testing.T) {
	t.Parallel()
	archive, m := packed(t, archived, true)
	for n := 1; ; n++ {
		data := filepath.Join(t.TempDir(), "data")
		makeDir(t, data, old)
		// the journal has been written, but nothing has been moved yet
		s, err := changes{}.stage(&Staged{data: data, beside: true, manifest: m}, bytes.NewReader(archive), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.before = func() error {
			if exists(data, datadir.Journal) {
				return errFails
			}
			return nil
		}
		if _, err := s.Swap(time.Unix(1_700_000_000, 0)); !errors.Is(err, errFails) || !strings.Contains(err.Error(), "could not be undone") {
			t.Fatalf("got %v, want that it could not be undone", err)
		}
		calls := 0
		_, _, err = changes{func() error {
			if calls++; calls >= n {
				return errFails
			}
			return nil
		}}.finishSwap(data)
		if err == nil {
			if n < 5 {
				t.Errorf("only %d calls", n)
			}
			return
		}
		finishedLater(t, fmt.Sprintf("call %d", n), data, true)
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	now, _ := restored()
	stays := maps.Clone(now)
	delete(stays, "files/objects/b/c")
	stays["files/objects/a"] = "old"
	databases := maps.Clone(archived)
	delete(databases, "files/objects/b/c")
	for _, tc := range []struct {
		name                   string
		before, archived, want tree
		files                  bool
		present                []string
	}{
		{"over something", old, archived, now, true, []string{"svc.db", "events.db", "secrets.toml", "config.toml", "files", "search.bleve", "svc.bootstrap-admin.txt"}},
		{"into nothing", tree{"svc.lock": ""}, archived, tree{"svc.lock": "", "svc.db": "new", "events.db": "new", "secrets.toml": "new", "files/objects/b/c": "new"}, true, nil},
		{"without local files those stay", old, databases, stays, false, []string{"svc.db", "events.db", "secrets.toml", "config.toml", "search.bleve", "svc.bootstrap-admin.txt"}},
	} {
		data := filepath.Join(t.TempDir(), "data")
		makeDir(t, data, tc.before)
		archive, m := packed(t, tc.archived, tc.files)
		if got := Present(data, tc.files); !slices.Equal(got, tc.present) {
			t.Errorf("%s: present %v, want %v", tc.name, got, tc.present)
		}
		s, err := Stage(data, bytes.NewReader(archive), nil, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := files(t, data); !maps.Equal(got, tc.before) {
			t.Errorf("%s: staging changed the directory to %v", tc.name, got)
		}
		kept, err := s.Swap(time.Unix(1_700_000_000, 0))
		if err != nil {
			t.Fatal(err)
		}
		if got := files(t, data); !maps.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
		if (kept != "") != (len(tc.present) > 0) || kept != "" && filepath.Dir(kept) != filepath.Dir(data) {
			t.Errorf("%s: what was there is in %q", tc.name, kept)
		}
	}
}

// TestRestoresOfOneSecond checks that restores within the same second keep the previous content in
// separate directories.
func TestRestoresOfOneSecond(t *testing.T) {
	t.Parallel()
	archive, m := packed(t, archived, true)
	for _, beside := range []bool{true, false} {
		data := filepath.Join(t.TempDir(), "data")
		makeDir(t, data, old)
		var all []string
		for range 3 {
			kept, err := attempt(changes{}, data, beside, archive, m)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(filepath.Join(kept, datadir.Database)); err != nil || (string(text) == "old") != (len(all) == 0) {
				t.Errorf("%s has %q, %v", kept, text, err)
			}
			all = append(all, kept)
		}
		if slices.Sort(all); len(slices.Compact(all)) != 3 {
			t.Errorf("got folders %v, want three", all)
		}
	}
}

// TestUnpackKnowsWhatWasVerified checks that Stage refuses an archive that has been replaced since
// it was verified.
func TestUnpackKnowsWhatWasVerified(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	makeDir(t, data, old)
	_, m := packed(t, archived, true)
	for name, text := range map[string]string{"svc.db": "longer", "files/more": "x"} {
		other := maps.Clone(archived)
		other[name] = text
		exchanged, _ := packed(t, other, true)
		if _, err := Stage(data, bytes.NewReader(exchanged), nil, m); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrDamaged)
		}
	}
	if got := files(t, data); !maps.Equal(got, old) {
		t.Errorf("the directory has changed to %v", got)
	}
}

func TestJournalThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"format":2}`, `{"format":1,"old":"../x","in":[]}`, `{"format":1,"beside":true,"in":["svc.db"]}`} {
		data := filepath.Join(t.TempDir(), "data")
		makeDir(t, data, tree{datadir.Lock: "", datadir.Journal: text})
		if _, _, err := FinishSwap(data); err == nil {
			t.Errorf("%s: no error", text)
		}
		if !exists(data, datadir.Journal) {
			t.Errorf("%s: the journal is gone", text)
		}
	}
}
