package boltfile_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/boltfile"
)

// reopened opens the file at path, runs fn and closes it.
func reopened(t *testing.T, path string, recorder boltfile.Recorder, fn func(*boltfile.Writer)) {
	t.Helper()
	db, err := boltfile.Open(path, boltfile.Options{NoSync: true, Recorder: recorder})
	if err != nil {
		t.Fatal(err)
	}
	w := boltfile.NewWriter(db, slog.New(slog.DiscardHandler))
	fn(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// counting assigns positions.
type counting struct {
	last    uint64
	settled []bool
}

func (c *counting) Append([]byte) (uint64, error) {
	c.last++
	return c.last, nil
}

func (c *counting) Settle(visible bool) { c.settled = append(c.settled, visible) }

// TestPosition follows the position of a file that is changed with and without a recorder.
func TestPosition(t *testing.T) {
	t.Parallel()
	path := newFollowed(t)
	put := func(value string) func(*boltfile.Tx) error {
		return func(tx *boltfile.Tx) error { return tx.Bucket([]byte("first")).Put([]byte("k"), []byte(value)) }
	}
	count := &counting{last: 40}
	for _, step := range []struct {
		name     string
		recorder boltfile.Recorder
		change   func(*boltfile.Tx) error
		position uint64
		complete bool
	}{
		{"never recorded", nil, put("a"), 0, false},
		{"the first change set", count, put("b"), 41, true},
		{"nothing changes", count, func(*boltfile.Tx) error { return nil }, 41, true},
		{"a key of the bucket node", count, func(tx *boltfile.Tx) error { return tx.Node().Put([]byte("writer"), []byte("1")) }, 41, true},
		{"the next one", count, put("c"), 42, true},
		{"without a recorder", nil, put("d"), 42, false},
		{"and again", nil, put("e"), 42, false},
		{"with a recorder", count, put("f"), 43, true},
		{"a change set of another file", nil, func(tx *boltfile.Tx) error { return errors.Join(put("g")(tx), tx.SetPosition(50)) }, 50, true},
	} {
		reopened(t, path, step.recorder, func(w *boltfile.Writer) {
			if err := transact(t, w, step.change); err != nil {
				t.Fatal(err)
			}
		})
		reopened(t, path, nil, func(*boltfile.Writer) {}) // opening and closing changes nothing
		position, complete, err := boltfile.ReadPosition(path)
		if err != nil || position != step.position || complete != step.complete {
			t.Errorf("%s: got %d, complete %v, error %v; want %d, %v", step.name, position, complete, err, step.position, step.complete)
		}
	}
	for _, visible := range count.settled {
		if !visible {
			t.Error("a transaction that was committed is said not to be visible")
		}
	}
}

// TestPositionOfAFailedCommit keeps the position if the transaction that would reach the next one
// is not committed.
func TestPositionOfAFailedCommit(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	count := &counting{}
	db, err := boltfile.Open(path, boltfile.Options{NoSync: true, Recorder: count, MaxSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	w := boltfile.NewWriter(db, slog.New(slog.DiscardHandler))
	put := func(size int) error {
		return transact(t, w, func(tx *boltfile.Tx) error {
			return tx.Bucket([]byte("first")).PutValue([]byte("k"), bytes.Repeat([]byte("x"), size))
		})
	}
	first, second, third := put(10), put(4<<20), put(20)
	if first != nil || second == nil || third != nil {
		t.Fatalf("got errors %v, %v, %v; want one at the second", first, second, third)
	}
	if got := count.settled; len(got) != 3 || !got[0] || got[1] || !got[2] {
		t.Errorf("visible: got %v, want true, false, true", got)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if position, complete, err := boltfile.ReadPosition(path); err != nil || position != 3 || !complete {
		t.Errorf("got %d, complete %v, error %v; want 3, true", position, complete, err)
	}
}

// TestDigestFile compares the digest of a file with that of its content, and reads damaged files.
func TestDigestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	err := boltfile.Create(path, func(tx *boltfile.Tx) error {
		b, err := tx.CreateBucket([]byte("first"))
		return errors.Join(err, b.PutValue([]byte("k"), bytes.Repeat([]byte("x"), 100_000)))
	})
	if err != nil {
		t.Fatal(err)
	}
	var want [32]byte
	reopened(t, path, &counting{last: 6}, func(w *boltfile.Writer) {
		if err := transact(t, w, func(tx *boltfile.Tx) error { return tx.Bucket([]byte("first")).SetSequence(9) }); err != nil {
			t.Fatal(err)
		}
		want = digest(t, w)
		if _, _, err := boltfile.DigestFile(path); !errors.Is(err, boltfile.ErrLocked) || !strings.Contains(err.Error(), path) {
			t.Errorf("of an open file: got %v, want ErrLocked with the path", err)
		}
	})
	if sum, position, err := boltfile.DigestFile(path); err != nil || sum != want || position != 7 {
		t.Errorf("got %x, position %d, error %v; want %x, 7", sum, position, err, want)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(content[2*os.Getpagesize():]) // everything but the meta pages
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := boltfile.DigestFile(path); !errors.Is(err, boltfile.ErrDamaged) {
		t.Errorf("of a damaged file: got %v, want ErrDamaged", err)
	}
}

// TestStartAt stores positions in a file as if it were a copy of another one.
func TestStartAt(t *testing.T) {
	t.Parallel()
	path := newFollowed(t)
	for _, step := range []struct {
		name       string
		unrecorded bool
		at, want   uint64
	}{
		{"never recorded", false, 5, 5},
		{"a greater position", false, 9, 9},
		{"a smaller position", false, 7, 9},
		{"a smaller position after a change", true, 8, 8},
		{"the same position after a change", true, 8, 8},
	} {
		reopened(t, path, nil, func(w *boltfile.Writer) {
			if step.unrecorded {
				put := func(tx *boltfile.Tx) error { return tx.Bucket([]byte("first")).Put([]byte("k"), []byte(step.name)) }
				if err := transact(t, w, put); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.StartAt(step.at); err != nil {
				t.Fatal(err)
			}
		})
		if position, complete, err := boltfile.ReadPosition(path); err != nil || position != step.want || !complete {
			t.Errorf("%s: got %d, complete %v, error %v; want %d", step.name, position, complete, err, step.want)
		}
	}
}

// TestReadPositionReadsFewPages reads the position of a file that was not closed and has a damaged page in
// another bucket.
func TestReadPositionReadsFewPages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	mark := bytes.Repeat([]byte("mark"), 2000)
	err := boltfile.Create(path, func(tx *boltfile.Tx) error {
		b, err := tx.CreateBucket([]byte("first"))
		if err != nil {
			return err
		}
		return errors.Join(b.PutValue([]byte("k"), mark), tx.SetPosition(7)) // Create writes no list of free pages
	})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := bytes.Index(content, mark[:100]) / os.Getpagesize() * os.Getpagesize()
	content[page+8] ^= 0xff // the kind of the page
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	position, complete, err := boltfile.ReadPosition(path)
	if err != nil || position != 7 || !complete {
		t.Errorf("got %d, complete %v, error %v; want 7", position, complete, err)
	}
	if _, _, err := boltfile.DigestFile(path); !errors.Is(err, boltfile.ErrDamaged) {
		t.Errorf("the digest of all pages: error %v, want damage", err)
	}
}
