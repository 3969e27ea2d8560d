package boltfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/change"
)

// follower applies the change sets of a file to a second one.
type follower struct {
	t      *testing.T
	copied *boltfile.Writer
	next   []byte
	sets   int
	last   uint64 // the position of the last Append
}

func (f *follower) Append(set []byte) (uint64, error) {
	f.next = bytes.Clone(set)
	f.last++
	return f.last, nil
}

func (f *follower) Settle(visible bool) {
	if !visible {
		return
	}
	f.sets++
	f.copied.Lock()
	defer f.copied.Unlock()
	if err := f.copied.Update(func(tx *boltfile.Tx) error { return tx.Apply(f.next) }); err != nil {
		f.t.Errorf("set %d: %v", f.sets, err)
	}
}

// openRecorded opens a new file. The recorder may be nil.
func openRecorded(t *testing.T, recorder boltfile.Recorder) *boltfile.Writer {
	t.Helper()
	return openWith(t, newFile(t), boltfile.Options{NoSync: true, Recorder: recorder})
}

// newFile creates a file with an empty bucket.
func newFile(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.db")
	err := boltfile.Create(path, func(tx *boltfile.Tx) error {
		_, err := tx.CreateBucket([]byte("first"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// openWith opens a file until the end of the test.
func openWith(t *testing.T, path string, o boltfile.Options) *boltfile.Writer {
	t.Helper()
	db, err := boltfile.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	w := boltfile.NewWriter(db, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func digest(t *testing.T, w *boltfile.Writer) (sum [32]byte) {
	t.Helper()
	err := w.View(func(tx *boltfile.Tx) (err error) {
		sum, err = tx.Digest()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func transact(t *testing.T, w *boltfile.Writer, fn func(*boltfile.Tx) error) error {
	t.Helper()
	w.Lock()
	defer w.Unlock()
	return w.Update(fn)
}

// TestCopyFollows changes a file at random, with transactions that fail and with compactions. A
// copy that receives the change sets alone is equal after each transaction.
func TestCopyFollows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			f := &follower{t: t, copied: openRecorded(t, nil)}
			w := openRecorded(t, f)
			r := rand.New(rand.NewPCG(seed, 33))
			refused := errors.New("refused")
			for n := range 150 {
				err := transact(t, w, func(tx *boltfile.Tx) error {
					for range 1 + r.IntN(20) {
						if err := changeAtRandom(r, tx); err != nil {
							return err
						}
					}
					if r.IntN(5) == 0 {
						return refused
					}
					return nil
				})
				if err != nil && !errors.Is(err, refused) {
					t.Fatal(err)
				}
				if r.IntN(30) == 0 {
					if _, err := w.Compact(true); err != nil {
						t.Fatal(err)
					}
				}
				if digest(t, w) != digest(t, f.copied) {
					t.Fatalf("transaction %d: file and copy differ", n)
				}
			}
			if f.sets < 50 {
				t.Fatalf("only %d sets", f.sets)
			}
		})
	}
}

// changeAtRandom makes one change in one of the buckets.
func changeAtRandom(r *rand.Rand, tx *boltfile.Tx) error {
	name := func() []byte { return []byte{'a' + byte(r.IntN(3))} }
	b, err := tx.CreateBucketIfNotExists(name())
	if err != nil {
		return err
	}
	for range r.IntN(3) {
		if b, err = b.CreateBucketIfNotExists(append([]byte("below "), name()...)); err != nil {
			return err
		}
	}
	key := binary.BigEndian.AppendUint16(nil, uint16(r.IntN(40)))
	switch r.IntN(12) {
	case 0:
		outer := name()
		if tx.Bucket(outer) == nil {
			return nil
		}
		return tx.DeleteBucket(outer)
	case 1:
		inner := append([]byte("below "), name()...)
		if b.Bucket(inner) == nil {
			return nil
		}
		return b.DeleteBucket(inner)
	case 2:
		_, err := b.NextSequence()
		return err
	case 3:
		return b.SetSequence(r.Uint64())
	case 4, 5, 6:
		return b.DeleteValue(key)
	case 7:
		return b.PutValue(key, make([]byte, 40_000+r.IntN(100)))
	case 8:
		_, err := b.DeleteFirst(r.IntN(4), func([]byte) bool { return true })
		return err
	}
	return b.PutValue(key, []byte(fmt.Sprint("value ", r.IntN(1000))))
}

// TestDigestTellsDifferences compares files that differ in one respect.
func TestDigestTellsDifferences(t *testing.T) {
	t.Parallel()
	first := func(tx *boltfile.Tx) *boltfile.Bucket { return tx.Bucket([]byte("first")) }
	below := func(b *boltfile.Bucket, name string) error {
		_, err := b.CreateBucket([]byte(name))
		return err
	}
	seen := map[[32]byte]string{}
	for what, change := range map[string]func(*boltfile.Tx) error{
		"nothing":               func(*boltfile.Tx) error { return nil },
		"a key":                 func(tx *boltfile.Tx) error { return first(tx).Put([]byte("k"), []byte("v")) },
		"key and value are one": func(tx *boltfile.Tx) error { return first(tx).Put([]byte("kv"), nil) },
		"a nested bucket":       func(tx *boltfile.Tx) error { return below(first(tx), "kv") },
		"a bucket at the root":  func(tx *boltfile.Tx) error { _, err := tx.CreateBucket([]byte("kv")); return err },
		"a sequence":            func(tx *boltfile.Tx) error { return first(tx).SetSequence(1) },
		"two nested buckets":    func(tx *boltfile.Tx) error { return errors.Join(below(first(tx), "k"), below(first(tx), "v")) },
		"a bucket in the nested": func(tx *boltfile.Tx) error {
			return errors.Join(below(first(tx), "k"), below(first(tx).Bucket([]byte("k")), "v"))
		},
	} {
		w := openRecorded(t, nil)
		if err := transact(t, w, change); err != nil {
			t.Fatal(err)
		}
		sum := digest(t, w)
		if other, twice := seen[sum]; twice {
			t.Errorf("%q and %q have the same digest", what, other)
		}
		seen[sum] = what
	}
}

// TestDigestLeavesOutTheNode compares two files that differ in the bucket node at the root only.
func TestDigestLeavesOutTheNode(t *testing.T) {
	t.Parallel()
	w := openRecorded(t, nil)
	before := digest(t, w)
	err := transact(t, w, func(tx *boltfile.Tx) error {
		b, err := tx.CreateBucket([]byte("node"))
		if err != nil {
			return err
		}
		return b.Put([]byte("position"), []byte{1})
	})
	if err != nil || digest(t, w) != before {
		t.Fatalf("the digest contains the bucket node (error %v)", err)
	}
}

// TestRecorderRefuses discards a transaction whose changes cannot be recorded.
func TestRecorderRefuses(t *testing.T) {
	t.Parallel()
	full := errors.New("spool is full")
	w := openRecorded(t, refusing{full})
	before := digest(t, w)
	err := transact(t, w, func(tx *boltfile.Tx) error { return tx.Bucket([]byte("first")).Put([]byte("k"), []byte("v")) })
	if err == nil || digest(t, w) != before {
		t.Fatalf("the transaction was committed: %v", err)
	}
}

type refusing struct{ err error }

func (r refusing) Append([]byte) (uint64, error) { return 0, r.err }
func (refusing) Settle(bool)                     { panic("settled a set that was refused") }

// TestApplyForeignSets refuses sets that do not fit the file, and changes nothing.
func TestApplyForeignSets(t *testing.T) {
	t.Parallel()
	set := func(fill func(*change.Set)) []byte {
		var s change.Set
		fill(&s)
		return s.Bytes()
	}
	for what, foreign := range map[string][]byte{
		"no such bucket":        set(func(s *change.Set) { s.In([]byte("second")); s.Put([]byte("k"), []byte("v")) }),
		"no such nested bucket": set(func(s *change.Set) { s.In([]byte("first"), []byte("x")); s.Delete([]byte("k")) }),
		"the bucket exists":     set(func(s *change.Set) { s.In(); s.Make([]byte("first")) }),
		"nothing to drop":       set(func(s *change.Set) { s.In(); s.Drop([]byte("second")) }),
		"the bucket node":       set(func(s *change.Set) { s.In(); s.Make([]byte("node")) }),
		"a key in node":         set(func(s *change.Set) { s.In([]byte("node")); s.Put([]byte("k"), []byte("v")) }),
		"a key at the root":     set(func(s *change.Set) { s.In(); s.Put([]byte("k"), []byte("v")) }),
		"an unknown operation":  {99},
		"a cut set":             set(func(s *change.Set) { s.In([]byte("first")); s.Put([]byte("k"), []byte("v")) })[:12],
	} {
		w := openRecorded(t, nil)
		before := digest(t, w)
		if err := transact(t, w, func(tx *boltfile.Tx) error { return tx.Apply(foreign) }); err == nil || digest(t, w) != before {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
