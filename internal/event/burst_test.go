package event_test

import (
	"fmt"
	"sync"
	"testing"

	"svc/internal/event"
	"svc/internal/event/submission"
)

// TestDefinitionDeletedInABurst checks that a definition can be deleted repeatedly while
// many clients send its events and heads are written. Every event must be counted, and
// the last definition must have the times of the earliest and the latest event.
func TestDefinitionDeletedInABurst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{HeadEvents: 60})
	const senders, batches, size = 8, 25, 5
	listing := event.DefinitionsQuery{Range: everything, Limit: 10}
	var sending, deleting sync.WaitGroup
	ended, seen := make(chan struct{}), map[string]bool{}
	deleting.Go(func() {
		for {
			_, list, err := w.Definitions(t.Context(), 1, listing)
			if err != nil {
				t.Error(err)
			}
			for _, d := range list {
				if seen[d.ID] {
					t.Errorf("definition %s came back", d.ID)
				}
				seen[d.ID] = true
				if err := w.DeleteDefinition(1, d.ID, nil); err != nil {
					t.Errorf("delete: %v", err)
				}
			}
			select {
			case <-ended:
				return
			default:
			}
		}
	})
	for s := range senders {
		sending.Go(func() {
			for n := range batches {
				b := &event.Batch{Project: 1, Received: noon, Subject: fmt.Sprint("u", s)}
				for i := range size {
					b.Items = append(b.Items, submission.Item{ID: fmt.Sprint(s, " ", n, " ", i), Name: "open", At: noon + int64((s*batches+n)*size+i)*(1-2*int64(n%2))})
				}
				if err := ingestExactly(w.Engine, b, size); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sending.Wait()
	close(ended)
	deleting.Wait()
	if t.Failed() {
		t.FailNow()
	}
	if got := w.send(t, "last", "", "open", noon, "the last one"); got != 1 {
		t.Fatalf("accepted %d", got)
	}
	const all = senders * batches * size
	var last event.Definition
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"in memory", func() {}},
		{"restart", func() { w.reopen(t) }},
		{"erasure", func() { _, err := w.DeleteSubject(t.Context(), 1, "u0"); check(t, err) }},
		{"retention", func() { check(t, w.ApplyRetention(t.Context(), 1, 2*noon, 0)) }},
		{"second restart", func() { w.reopen(t) }},
	} {
		step.do()
		_, list, err := w.Definitions(t.Context(), 1, listing)
		check(t, err)
		if len(list) != 1 || seen[list[0].ID] || last.ID != "" && list[0] != last {
			t.Fatalf("%s: got %+v, want one that is new and stays", step.name, list)
		}
		last = list[0]
		// The last event of the last sender belongs to an even batch, the one before to
		// an odd batch.
		latest, earliest := int64(all-1), int64(all-size-1)
		if last.Count != all+1 || last.LastSeen != noon+latest || last.FirstSeen != noon-earliest {
			t.Errorf("%s: got %+v, want %d events from %d to %d", step.name, last, all+1, noon-earliest, noon+latest)
		}
		check(t, w.Check())
	}
	if len(seen) == 0 {
		t.Error("no definition was deleted")
	}
	t.Logf("%d definitions deleted", len(seen))
}

// TestErasureInABurst checks that subjects can be erased, and old events removed,
// repeatedly while events of these and other subjects arrive and heads are written and
// merged. Events that arrived after the last erasure must be stored, and every event must
// have been counted.
func TestErasureInABurst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{HeadEvents: 60})
	const rounds, size = 12, 4
	var senders sync.WaitGroup
	for s := range 6 {
		senders.Go(func() {
			subject := fmt.Sprint("u", s)
			for n := range rounds {
				b := &event.Batch{Project: 1, Received: noon, Subject: subject, Session: "everybody's"}
				for i := range size {
					b.Items = append(b.Items, submission.Item{ID: fmt.Sprint(s, " ", n, " ", i), Name: "open", At: noon - int64(n*1000+i)})
				}
				if err := ingestExactly(w.Engine, b, size); err != nil {
					t.Error(err)
				}
				want := (n + 1) * size
				if s < 3 { // subjects that are erased
					want = size
				}
				got := 0
				if err := w.Export(t.Context(), 1, subject, func(one *event.Event) error {
					if got++; one.Session != "everybody's" {
						t.Errorf("%s has an event of session %q", subject, one.Session)
					}
					return nil
				}); err != nil || got != want {
					t.Errorf("%s has %d events after batch %d, want %d, %v", subject, got, n, want, err)
				}
				var err error
				switch {
				case s < 3 && n < rounds-1:
					var deleted int64
					if deleted, err = w.DeleteSubject(t.Context(), 1, subject); deleted != size {
						t.Errorf("deleted %d events of %s, want %d", deleted, subject, size)
					}
				case s == 3:
					err = w.ApplyRetention(t.Context(), 1, noon-86400, 0)
				case s == 4:
					_, err = w.Compact()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	senders.Wait()
	check(t, w.Check())
	w.reopen(t)
	check(t, w.Check())
	for s := range 6 {
		want := rounds * size
		if s < 3 {
			want = size
		}
		if got := len(w.export(t, fmt.Sprint("u", s))); got != want {
			t.Errorf("subject %d has %d events, want %d", s, got, want)
		}
	}
	if got := w.total(t); got != 6*rounds*size {
		t.Errorf("counted %d events, want %d", got, 6*rounds*size)
	}
	if got, err := w.Unused(1); err != nil || len(got) > 0 {
		t.Errorf("texts without events: %q, %v", got, err)
	}
}

// TestEventOlderThanRetention checks that an event that is already too old when it
// arrives is stored, counted and returned by queries, and that the next cleanup removes
// it but not its counter.
func TestEventOlderThanRetention(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	const keepFrom = noon - 30*86400
	w.send(t, "u", "s", "open", noon, "new")
	check(t, w.Flush())
	check(t, w.ApplyRetention(t.Context(), 1, keepFrom, 0))
	if got := w.send(t, "u", "old", "open", keepFrom-86400, "old"); got != 1 {
		t.Fatalf("accepted %d", got)
	}
	for _, step := range []struct {
		name   string
		do     func()
		events int
	}{
		{"in memory", func() {}, 2},
		{"in a block", func() { check(t, w.Flush()) }, 2},
		{"cleaned", func() { check(t, w.ApplyRetention(t.Context(), 1, keepFrom, 0)) }, 1},
		{"restart", func() { w.reopen(t) }, 1},
	} {
		step.do()
		if got := w.export(t, "u"); len(got) != step.events {
			t.Errorf("%s: got %+v, want %d events", step.name, got, step.events)
		}
		if got := w.total(t); got != 2 {
			t.Errorf("%s: counted %d events, want 2", step.name, got)
		}
		_, list, err := w.Definitions(t.Context(), 1, event.DefinitionsQuery{Range: everything, Limit: 1})
		check(t, err)
		if list[0].FirstSeen != keepFrom-86400 || list[0].LastSeen != noon {
			t.Errorf("%s: seen from %d to %d", step.name, list[0].FirstSeen, list[0].LastSeen)
		}
	}
	if got := w.send(t, "u", "old", "open", keepFrom-86400, "old"); got != 1 {
		t.Errorf("its id is still taken: accepted %d", got)
	}
}
