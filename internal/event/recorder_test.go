package event_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/event"
)

// TestCopyFollowsTheRecord records everything that an engine writes. A copy to which only the change
// sets are applied has the same content, and its engine counts the same events.
func TestCopyFollowsTheRecord(t *testing.T) {
	t.Parallel()
	recording := &bolttest.Recording{}
	w := newWorld(t, event.Options{HeadEvents: 50, Recorder: recording})
	check(t, w.Close())
	content, err := os.ReadFile(w.path)
	check(t, err)
	copied := filepath.Join(t.TempDir(), "events.db")
	check(t, os.WriteFile(copied, content, 0o600))

	w.open(t)
	for i := range 120 {
		w.send(t, fmt.Sprint("u", i%7), "s", fmt.Sprint("n", i%3), noon-int64(i)*600, fmt.Sprint("a", i), fmt.Sprint("b", i))
	}
	check(t, w.Flush())
	for worked := true; worked; {
		worked, err = w.Compact()
		check(t, err)
	}
	_, err = w.DeleteSubject(t.Context(), 1, "u3")
	check(t, err)
	check(t, w.ApplyRetention(t.Context(), 1, noon-50*600, noon-50*600))
	if _, err := w.CompactFile(true); err != nil {
		t.Fatal(err)
	}
	w.send(t, "u1", "s", "late", noon-60, "stays in the WAL")
	total := w.total(t)
	check(t, w.Close())

	check(t, recording.ApplyTo(copied))
	want, position, err := boltfile.DigestFile(w.path)
	check(t, err)
	got, reached, err := boltfile.DigestFile(copied)
	check(t, err)
	if got != want || reached != position || position != recording.Position || position == 0 {
		t.Errorf("got digest %x at %d, want %x at %d; recorded to %d", got, reached, want, position, recording.Position)
	}
	follower := &world{path: copied, o: event.Options{Now: w.o.Now}}
	follower.open(t)
	if got := follower.total(t); got != total || total == 0 {
		t.Errorf("the copy counts %d events, want %d", got, total)
	}
	check(t, follower.Close())
	w.o.Recorder = nil
	w.open(t) // for the cleanup
}
