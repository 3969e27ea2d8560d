package event_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"svc/internal/event"
)

// TestDamagedFileIsRefused destroys each page of a file in turn. bbolt would end
// the process where it meets one.
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
		e, err := event.Open(path, event.Options{})
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

// TestLockedFileIsRefused: two processes never write to one file.
func TestLockedFileIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	if _, err := event.Open(w.path, event.Options{}); !errors.Is(err, event.ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
}
