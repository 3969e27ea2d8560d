package boltfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/boltfile"
)

// secret is contained in all values that are deleted.
const secret = "the-secret-that-goes"

func secretValue(n, size int) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("%s %d ", secret, n), 1+size/len(secret)))
}

// fillSecrets stores values of all sizes, some of which will be deleted. It uses many
// transactions, so that older versions of pages also contain these values.
func fillSecrets(t *testing.T, w *writer) {
	t.Helper()
	for n := range 60 {
		update(t, w, func(b *boltfile.Bucket) error {
			return errors.Join(b.PutValue(key(uint64(2*n)), secretValue(n, n*n*40)), b.PutValue(key(uint64(2*n+1)), value(uint64(n))))
		})
	}
}

// writer is a file that can be reopened.
type writer struct{ *boltfile.Writer }

// openWriter opens a file with a map that is large enough for writers not to wait for
// readers. At the end of the test, it verifies that the file is sound.
func openWriter(t *testing.T, path string) *writer {
	t.Helper()
	w := &writer{}
	w.open(t, path)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := boltfile.Verify(path); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *writer) open(t *testing.T, path string) {
	t.Helper()
	err := boltfile.Create(path, func(tx *boltfile.Tx) error {
		_, err := tx.CreateBucket(bucket)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := boltfile.Open(path, boltfile.Options{MapSize: 64 << 20, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	w.Writer = boltfile.NewWriter(db, slog.New(slog.DiscardHandler))
}

// reopen closes a file cleanly, which writes the list of free pages, and opens it again.
func (w *writer) reopen(t *testing.T) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t, w.Path())
}

func deleteSecrets(t *testing.T, w *writer) {
	t.Helper()
	update(t, w, func(b *boltfile.Bucket) error {
		var err error
		for n := range 60 {
			err = errors.Join(err, b.DeleteValue(key(uint64(2*n))))
		}
		return err
	})
}

// update changes the bucket that the tests use.
func update(t *testing.T, w *writer, fn func(*boltfile.Bucket) error) {
	t.Helper()
	w.Lock()
	defer w.Unlock()
	err := w.Update(func(tx *boltfile.Tx) error {
		return fn(tx.Bucket(bucket))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// wantKept verifies that the file contains exactly the values that were not deleted.
func wantKept(t *testing.T, tx *boltfile.Tx) {
	t.Helper()
	n := uint64(0)
	err := tx.Bucket(bucket).EachValue(func(k, v []byte) error {
		if !bytes.Equal(k, key(2*n+1)) || !bytes.Equal(v, value(n)) {
			return fmt.Errorf("key %x is not what it was", k)
		}
		n++
		return nil
	})
	if err != nil || n != 60 {
		t.Errorf("got %d values that stay, %v, want 60", n, err)
	}
}

func hasSecret(t *testing.T, path string) bool {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(content, []byte(secret))
}

// TestZeroFreePages checks that ZeroFreePages leaves no deleted data in the bytes of the
// file and does not change any other data.
func TestZeroFreePages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	w := openWriter(t, path)
	fillSecrets(t, w)
	deleteSecrets(t, w)
	if !hasSecret(t, path) {
		t.Fatal("what was deleted is not in the file before")
	}
	zeroed, err := w.ZeroFreePages(t.Context())
	if err != nil || zeroed == 0 {
		t.Fatalf("overwrote %d bytes, %v", zeroed, err)
	}
	if hasSecret(t, path) {
		t.Error("what was deleted is still in the file")
	}
	if err := w.View(func(tx *boltfile.Tx) error { wantKept(t, tx); return nil }); err != nil {
		t.Error(err)
	}
	if again, err := w.ZeroFreePages(t.Context()); err != nil || again != 0 {
		t.Errorf("again: overwrote %d bytes, %v, want none", again, err)
	}
}

// TestZeroFreePagesBehindTheEnd checks that ZeroFreePages also overwrites bytes after the
// last page, which an interrupted transaction may have left.
func TestZeroFreePagesBehindTheEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	w := openWriter(t, path)
	fillSecrets(t, w)
	deleteSecrets(t, w)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(secretValue(1, 10_000)[:8192], info.Size()-8192)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ZeroFreePages(t.Context()); err != nil {
		t.Fatal(err)
	}
	if hasSecret(t, path) {
		t.Error("what was behind the last page is still in the file")
	}
}

// TestZeroFreePagesNeedsNeitherMetaPage checks that all data can still be read after
// ZeroFreePages if one of the two meta pages is lost, for example by a torn write at a
// power failure.
func TestZeroFreePagesNeedsNeitherMetaPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	w := openWriter(t, path)
	fillSecrets(t, w)
	// After a clean stop, one meta page refers to a list of the free pages.
	w.reopen(t)
	deleteSecrets(t, w)
	if _, err := w.ZeroFreePages(t.Context()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for meta := range 2 {
		torn := filepath.Join(t.TempDir(), "torn.db")
		copied := bytes.Clone(content)
		clear(copied[meta*os.Getpagesize()+16 : meta*os.Getpagesize()+80])
		if err := os.WriteFile(torn, copied, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := boltfile.Open(torn, boltfile.Options{})
		if err != nil {
			t.Fatalf("without meta page %d: %v", meta, err)
		}
		err = db.View(func(tx *boltfile.Tx) error {
			wantKept(t, tx)
			for found := range tx.Check() {
				t.Errorf("without meta page %d: %v", meta, found)
			}
			return nil
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestZeroFreePagesLeavesReadersAlone checks that freed pages are not overwritten while
// an open transaction reads them, and are overwritten after it has ended.
func TestZeroFreePagesLeavesReadersAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	w := openWriter(t, path)
	fillSecrets(t, w)
	var zeroing sync.WaitGroup
	var done atomic.Bool
	err := w.View(func(tx *boltfile.Tx) error {
		deleteSecrets(t, w)
		zeroing.Go(func() {
			if _, err := w.ZeroFreePages(t.Context()); err != nil {
				t.Error(err)
			}
			done.Store(true)
		})
		for late := time.Now().Add(300 * time.Millisecond); time.Now().Before(late); {
			for n := range 60 {
				if got := tx.Bucket(bucket).Value(key(uint64(2 * n))); !bytes.Equal(got, secretValue(n, n*n*40)) {
					return fmt.Errorf("value %d has changed under a reader", n)
				}
			}
		}
		if done.Load() {
			t.Error("it did not wait for a reader")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	zeroing.Wait()
	if hasSecret(t, path) {
		t.Error("what was deleted is still in the file")
	}
}

// TestZeroFreePagesStops checks that ZeroFreePages returns when its context is cancelled,
// and that writers can continue.
func TestZeroFreePagesStops(t *testing.T) {
	t.Parallel()
	w := openWriter(t, filepath.Join(t.TempDir(), "x.db"))
	fillSecrets(t, w)
	ctx, stop := context.WithCancel(t.Context())
	err := w.View(func(*boltfile.Tx) error {
		deleteSecrets(t, w)
		stop()
		_, err := w.ZeroFreePages(ctx)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was stopped", err)
	}
	deleteSecrets(t, w)
}

// TestZeroFreePagesInUse checks that every transaction sees the stored data while
// ZeroFreePages runs concurrently with writers, readers and compactions.
func TestZeroFreePagesInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	w := openWriter(t, path)
	var running sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		running.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := w.View(func(tx *boltfile.Tx) error {
					_, err := whole(tx)
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	running.Go(func() {
		for n := uint64(1); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			w.Lock()
			err := w.Update(func(tx *boltfile.Tx) error { return next(tx, n) })
			w.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	rounds := 12
	if testing.Short() {
		rounds = 4 // each takes ten times as long as its work, because the others need pauses
	}
	for round := range rounds {
		if round%4 == 3 {
			if _, err := w.Compact(true); err != nil {
				t.Error(err)
			}
		}
		if _, err := w.ZeroFreePages(t.Context()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	running.Wait()
}

// next stores key n and deletes the oldest key, so that the number of keys stays the
// same.
func next(tx *boltfile.Tx, n uint64) error {
	b := tx.Bucket(bucket)
	err := errors.Join(b.Put(key(n), value(n)), b.SetSequence(n))
	if n > kept {
		err = errors.Join(err, b.Delete(key(n-kept)))
	}
	return err
}

// writeAndZero stores keys and overwrites free pages until it is killed.
func writeAndZero(path string) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	w := boltfile.NewWriter(f.DB, slog.New(slog.DiscardHandler))
	failed := make(chan error)
	go func() {
		for {
			if _, err := w.ZeroFreePages(context.Background()); err != nil {
				failed <- err
				return
			}
		}
	}()
	go func() {
		for n := f.last + 1; ; n++ {
			w.Lock()
			err := w.Update(func(tx *boltfile.Tx) error { return next(tx, n) })
			w.Unlock()
			if err == nil {
				_, err = fmt.Println(n)
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	return <-failed
}

// TestZeroFreePagesIsKilled checks that a file contains all acknowledged data after a
// process was killed while it was overwriting free pages.
func TestZeroFreePagesIsKilled(t *testing.T) {
	t.Parallel()
	rounds := 5
	if os.Getenv("SVC_LONG") != "" {
		rounds = 200
	}
	path := filepath.Join(t.TempDir(), "x.db")
	for range rounds {
		last := killed(t, path, "zero", time.Duration(rand.IntN(100_000))*time.Microsecond)
		sound(t, path, last)
	}
}

// TestExamineCopy checks that an examined copy is sound and contains no deleted data,
// whether or not the file has a list of its free pages.
func TestExamineCopy(t *testing.T) {
	t.Parallel()
	for _, listed := range []bool{false, true} {
		dir := t.TempDir()
		path, to := filepath.Join(dir, "x.db"), filepath.Join(dir, "copy.db")
		w := openWriter(t, path)
		fillSecrets(t, w)
		deleteSecrets(t, w)
		if listed {
			w.reopen(t)
		}
		i, err := w.Image()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(i.Copy(to), i.Close()); err != nil {
			t.Fatal(err)
		}
		if !hasSecret(t, to) {
			t.Fatal("what was deleted is not in the copy before")
		}
		if err := boltfile.ExamineCopy(to); err != nil {
			t.Fatal(err)
		}
		if hasSecret(t, to) {
			t.Errorf("with a list of free pages %v: what was deleted is still in the copy", listed)
		}
		if err := boltfile.Verify(to); err != nil {
			t.Error(err)
		}
		copied := openWriter(t, to)
		if err := copied.View(func(tx *boltfile.Tx) error { wantKept(t, tx); return nil }); err != nil {
			t.Error(err)
		}
	}
}
