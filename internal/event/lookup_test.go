package event

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestLookupOfAnOlderStateIsRepeated looks up batches, lets everything move from
// memory to the file, and stores them then.
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
		b := &Batch{Project: 1, Received: monday, Subject: "somebody", Session: "first"}
		for _, id := range ids {
			b.Items = append(b.Items, Item{ID: fmt.Sprint(id), Name: "open", At: monday})
		}
		return b
	}
	if n, err := e.Ingest(batch(1, 2, 3)); n != 3 || err != nil {
		t.Fatalf("%d accepted, %v", n, err)
	}
	group := []*waiter{{batch: batch(2, 3, 4), done: make(chan struct{})}, {batch: batch(4, 5), done: make(chan struct{})}}
	var found lookup
	e.lookUp(group, &found)
	if err := e.Flush(); err != nil {
		t.Fatal(err)
	}
	e.writing.Lock()
	e.commitGroup(group, &found, nil)
	e.writing.Unlock()
	for i, want := range []int{1, 1} {
		if w := group[i]; w.err != nil || w.accepted != want {
			t.Errorf("batch %d: %d accepted, %v, want %d", i, w.accepted, w.err, want)
		}
	}
	if err := e.Flush(); err != nil {
		t.Fatal(err)
	}
	p := e.project(1)
	if n, m := p.subjects.next(), p.sessions.next(); n != 2 || m != 2 {
		t.Errorf("next subject is %d and next session %d: the sender got a number twice", n, m)
	}
}
