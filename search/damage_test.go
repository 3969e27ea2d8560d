package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/util"
	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/datadir"
	"svc/internal/testutil"
	"svc/store"
)

// outcome is the expected result of opening a damaged index.
type outcome string

const (
	kept outcome = "kept"
	made outcome = "made anew"
)

// TestIndexComesBack damages the files of an index in the ways in which disks and people
// damage files. It checks that the index becomes available again, and that searches are
// correct until then and afterwards.
func TestIndexComesBack(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		damage func(t *testing.T, b *box)
		want   outcome
	}{
		{"nothing happened", func(*testing.T, *box) {}, kept},
		{"folder removed", func(t *testing.T, b *box) { remove(t, b.folder()) }, made},
		{"folder is a file", func(t *testing.T, b *box) {
			remove(t, b.folder())
			write(t, b.folder(), []byte("x"))
		}, made},
		{"folder is empty", func(t *testing.T, b *box) {
			remove(t, b.folder())
			check(t, os.Mkdir(b.folder(), 0o700))
		}, made},
		{"all segments removed", func(t *testing.T, b *box) { remove(t, b.files("*.zap")...) }, made},
		{"newest segment removed", func(t *testing.T, b *box) {
			r, err := readRoot(b.folder()) // lists the segments in use
			check(t, err)
			remove(t, filepath.Join(storeFolder(b.folder()), r.segments[len(r.segments)-1]))
		}, made},
		{"segments cut in half", func(t *testing.T, b *box) { cut(t, 2, b.files("*.zap")...) }, made},
		{"segments cut to a few bytes", func(t *testing.T, b *box) { cut(t, 1000, b.files("*.zap")...) }, made},
		{"segments emptied", func(t *testing.T, b *box) { cut(t, 1<<40, b.files("*.zap")...) }, made},
		{"one bit of each segment flipped", func(t *testing.T, b *box) {
			for _, name := range b.files("*.zap") {
				data := read(t, name)
				data[len(data)/2] ^= 1
				write(t, name, data)
			}
		}, made},
		{"half a segment left behind", func(t *testing.T, b *box) {
			half := read(t, b.files("*.zap")[0])
			write(t, filepath.Join(storeFolder(b.folder()), "00000000ffff.zap"), half[:len(half)/2])
		}, kept},
		{"root file emptied", func(t *testing.T, b *box) { cut(t, 1<<40, b.files("root.bolt")...) }, made},
		{"root file cut after its two meta pages", func(t *testing.T, b *box) {
			check(t, os.Truncate(b.files("root.bolt")[0], 2*int64(os.Getpagesize())))
		}, made},
		{"root file torn", func(t *testing.T, b *box) {
			data := read(t, b.files("root.bolt")[0])
			copy(data, bytes.Repeat([]byte("torn"), 4096))
			write(t, b.files("root.bolt")[0], data)
		}, made},
		{"pages of the root file torn", func(t *testing.T, b *box) {
			data := read(t, b.files("root.bolt")[0])
			copy(data[8192:], bytes.Repeat([]byte("torn"), len(data)))
			write(t, b.files("root.bolt")[0], data)
		}, made},
		{"description removed", func(t *testing.T, b *box) { remove(t, filepath.Join(b.folder(), "index_meta.json")) }, made},
		{"description torn", func(t *testing.T, b *box) { write(t, filepath.Join(b.folder(), "index_meta.json"), []byte("{")) }, made},
		{"description of another kind of index", func(t *testing.T, b *box) {
			write(t, filepath.Join(b.folder(), "index_meta.json"), []byte(`{"storage":"boltdb","index_type":"upside_down"}`))
		}, made},
		{"half an index left behind", func(t *testing.T, b *box) {
			copyTree(t, b.folder()+newSuffix, b.folder())
			copyTree(t, b.folder()+oldSuffix, b.folder())
		}, kept},
		{"index of another store", func(t *testing.T, b *box) {
			other := newBox(t)
			p := other.addProject("other")
			other.addLogs(p.ID, 1000, numbered)
			other.settle()
			other.closeIndex()
			remove(t, b.folder())
			copyTree(t, b.folder(), other.folder())
			other.openIndex()
		}, made},
		{"checkpoint of another format", func(t *testing.T, b *box) {
			e, s, err := openEngine(t.Context(), b.folder())
			check(t, err)
			s.Format = "0"
			check(t, e.apply(&batch{checkpoint: &s}))
			check(t, e.close())
		}, made},
		{"checkpoint from the future", func(t *testing.T, b *box) {
			e, s, err := openEngine(t.Context(), b.folder())
			check(t, err)
			s.Seq += 1000
			check(t, e.apply(&batch{checkpoint: &s}))
			check(t, e.close())
		}, made},
		{"feed forgotten past the checkpoint", func(t *testing.T, b *box) {
			db, err := store.Open(b.file(), store.Options{})
			check(t, err)
			check(t, db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "late", Name: "x"}) }))
			check(t, db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "later", Name: "x"}) }))
			check(t, db.TrimFeed(db.LastChange()))
			check(t, db.Close())
		}, made},
		{"changes that the index has not seen", addLate, kept},
		{"changes that only a state has seen which bleve cannot read", func(t *testing.T, b *box) {
			addLate(t, b)
			e, s, err := openEngine(t.Context(), b.folder())
			check(t, errors.Join(err, e.close()))
			s.Seq++
			addState(t, b, s)
		}, made},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			p := b.addProject("app")
			for range 3 { // each of them creates a segment
				b.addLogs(p.ID, 600, numbered)
				b.settle()
			}
			b.addLogs(p.ID, 100, numbered)
			b.close()
			tc.damage(t, b)
			b.open()
			check(t, b.index.admit())
			opened := b.index.engine
			for _, when := range []string{"before", "after"} {
				for text, want := range map[string]int{"line 5": 3*111 + 11, "xxxxxx": 3*85 + 14, "LINE 599 of": 3, "nothing": 0} {
					if got := b.findLogs(p.ID, text); got != want {
						t.Errorf("%s it has come back: got %d logs with %q, want %d", when, got, text, want)
					}
				}
				b.settle()
			}
			got := made
			if opened != nil && b.index.engine == opened {
				got = kept
			}
			if got != tc.want {
				t.Errorf("got an index that was %s, want one that was %s", got, tc.want)
			}
			if n := b.index.Candidates(t.Context(), store.KindLog, p.ID, []string{"nothing"}); n.All || len(n.Refs) > 0 {
				t.Errorf("index does not say where a text is: %+v", n)
			}
			for _, left := range []string{newSuffix, oldSuffix} {
				if _, err := os.Stat(b.folder() + left); err == nil {
					t.Errorf("%s is still there", datadir.Index+left)
				}
			}
		})
	}
}

// addLate makes a change in the store while the index is closed.
func addLate(t *testing.T, b *box) {
	t.Helper()
	db, err := store.Open(b.file(), store.Options{})
	check(t, err)
	check(t, db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "late", Name: "x"}) }))
	check(t, db.Close())
}

// addState adds a state to root.bolt that contains only a checkpoint and is newer than
// all others.
func addState(t *testing.T, b *box, s checkpoint) {
	t.Helper()
	root, err := bbolt.Open(b.files("root.bolt")[0], 0o600, nil)
	check(t, err)
	check(t, root.Update(func(tx *bbolt.Tx) error {
		states := tx.Bucket(util.BoltSnapshotsBucket)
		newest, _ := states.Cursor().Last()
		next := bytes.Clone(newest)
		next[len(next)-1]++
		state, err := states.CreateBucket(next)
		if err != nil {
			return err
		}
		internal, err := state.CreateBucket(util.BoltInternalKey)
		if err != nil {
			return err
		}
		return internal.Put(checkpointKey, s.bytes())
	}))
	check(t, root.Close())
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	check(t, err)
	return data
}

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	check(t, os.WriteFile(name, data, 0o600))
}

func remove(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		check(t, os.RemoveAll(name))
	}
}

// cut truncates each file to a fraction of its size.
func cut(t testing.TB, fraction int64, names ...string) {
	t.Helper()
	for _, name := range names {
		info, err := os.Stat(name)
		check(t, err)
		check(t, os.Truncate(name, info.Size()/fraction))
	}
}

// TestDamagedBlockOfLogs checks that the index reports a damaged text in a block of logs
// that is stored in a sound page. The index then stops processing changes, and searches
// read the records instead.
func TestDamagedBlockOfLogs(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	p := b.addProject("a")
	b.addLogs(p.ID, 300, numbered) // one complete block of 256 and an incomplete one
	b.close()
	err := bolttest.Change(b.file(), func(tx *boltfile.Tx) error {
		texts := tx.Bucket([]byte("content")).Bucket(binary.BigEndian.AppendUint32(nil, uint32(p.ID))).Bucket([]byte("log_texts"))
		return texts.PutValue([]byte{0, 0, 0, 0}, []byte("short"))
	})
	if err != nil {
		t.Fatal(err)
	}
	b.open()
	defer b.run()()
	testutil.Until(t, "the index to report the damage", func() bool {
		return strings.Contains(b.index.State().Failure, store.ErrDamaged.Error())
	})
}
