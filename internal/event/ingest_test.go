package event

import (
	"fmt"
	"path/filepath"
	"testing"

	"svc/internal/event/submission"
)

// TestLookupOfAnOlderStateIsRepeated checks that a commit repeats a lookup if all events
// have moved from memory to the file since the lookup.
func TestLookupOfAnOlderStateIsRepeated(t *testing.T) {
	t.Parallel()
	e, err := Open(filepath.Join(t.TempDir(), "events.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	batch := func(ids ...int) *Batch {
		b := &Batch{Project: 1, Received: 1764547200, Subject: "somebody", Session: "first"}
		for _, id := range ids {
			b.Items = append(b.Items, submission.Item{ID: fmt.Sprint(id), Name: "open", At: 1764547200})
		}
		return b
	}
	if n, err := e.Ingest(batch(1, 2, 3)); n.Accepted != 3 || err != nil {
		t.Fatalf("%d accepted, %v", n.Accepted, err)
	}
	group := []*ingestion{{batch: batch(2, 3, 4)}, {batch: batch(4, 5)}}
	e.lookUpGroup(group)
	if err := e.Flush(); err != nil {
		t.Fatal(err)
	}
	e.file.Lock()
	err = e.commitGroup(group)
	e.file.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 1} {
		if w := group[i]; w.Accepted != want {
			t.Errorf("batch %d: %d accepted, want %d", i, w.Accepted, want)
		}
	}
	if err := e.Flush(); err != nil {
		t.Fatal(err)
	}
	p := e.project(1)
	if n, m := p.subjects.Next(), p.sessions.Next(); n != 2 || m != 2 {
		t.Errorf("next subject is %d and next session %d: the sender got a number twice", n, m)
	}
}
