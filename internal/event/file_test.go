package event_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/event"
)

// TestDamagedFileIsRefused checks that Open refuses a file with a destroyed page, for
// each page in turn. Without the examination in Open, bbolt would end the process at such
// a page.
func TestDamagedFileIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	for i := range 40 {
		w.send(t, fmt.Sprint("u", i), "s", fmt.Sprint("n", i%7), noon-int64(i)*3600, fmt.Sprint(i))
	}
	w.reopen(t) // everything is in blocks
	whole, err := os.ReadFile(w.path)
	check(t, err)
	const page = 4096
	path := filepath.Join(t.TempDir(), "events.db")
	check(t, os.WriteFile(path, whole, 0o600))
	refused := 0
	for at := 2 * page; at < 128*page; at += page {
		put(t, path, bytes.Repeat([]byte{0xff}, page), at)
		seen := event.Probe(path)
		e, err := event.Open(path, event.Options{})
		if errors.Is(err, event.ErrDamaged) && !errors.Is(seen, event.ErrDamaged) {
			t.Errorf("page %d: Look says %v, Open says %v", at/page, seen, err)
		}
		switch {
		case err == nil: // a free page
			check(t, e.Close())
			put(t, path, whole, 0)
		case errors.Is(err, event.ErrDamaged):
			refused++
		default:
			t.Errorf("page %d: got %v, want ErrDamaged", at/page, err)
		}
		put(t, path, whole[at:at+page], at)
	}
	if refused < 10 {
		t.Errorf("only %d pages are missed when they are destroyed", refused)
	}
}

// put overwrites a part of a file.
func put(t *testing.T, path string, b []byte, at int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	check(t, err)
	_, err = f.WriteAt(b, int64(at))
	check(t, errors.Join(err, f.Close()))
}

// TestLook checks that Probe returns the error that Open would return, and leaves the
// file unchanged.
func TestLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	w.send(t, "u", "s", "format", noon, "format", "abcd") // named like the key of the format
	if err := event.Probe(w.path); !errors.Is(err, event.ErrLocked) {
		t.Errorf("in use: got %v, want ErrLocked", err)
	}
	w.reopen(t)
	path := filepath.Join(t.TempDir(), "events.db")
	whole, err := os.ReadFile(w.path)
	check(t, err)
	check(t, os.WriteFile(path, whole, 0o600))
	if err := event.Probe(path); err != nil {
		t.Errorf("a whole file: got %v", err)
	}
	after, err := os.ReadFile(path)
	check(t, err)
	if !bytes.Equal(after, whole) {
		t.Error("the file was changed by looking at it")
	}
	setFormat(t, path, event.Format+1)
	if err := event.Probe(path); !errors.Is(err, event.ErrNewer) {
		t.Errorf("a newer file: got %v, want ErrNewer", err)
	}
}

// TestFileWithoutWALIsDamaged checks that a file that lacks a bucket of the layout is
// refused and not changed.
func TestFileWithoutWALIsDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.db")
	e, err := event.Open(path, event.Options{})
	check(t, err)
	check(t, e.Close())
	check(t, bolttest.Change(path, func(tx *boltfile.Tx) error { return tx.DeleteBucket([]byte("wal")) }))
	before, err := os.ReadFile(path)
	check(t, err)
	if _, err := event.Open(path, event.Options{}); !errors.Is(err, event.ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want ErrDamaged with the path", err)
	}
	after, err := os.ReadFile(path)
	check(t, err)
	if !bytes.Equal(after, before) {
		t.Error("the file that was refused has changed")
	}
}

// setFormat sets the format of a file.
func setFormat(t *testing.T, path string, format uint32) {
	t.Helper()
	check(t, bolttest.Change(path, func(tx *boltfile.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("format"), binary.BigEndian.AppendUint32(nil, format))
	}))
}

// TestLockedFileIsRefused checks that a file is never open for writing in two processes.
func TestLockedFileIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	if _, err := event.Open(w.path, event.Options{}); !errors.Is(err, event.ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
}
