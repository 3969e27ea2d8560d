package event_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/event/submission"
	"svc/internal/platform"
)

const noon = 1_790_000_000 / 3600 * 3600 // Unix second at which an hour begins

// world is an engine in a temporary directory, with a stopped clock.
type world struct {
	*event.Engine
	path string
	o    event.Options
}

func newWorld(t *testing.T, o event.Options) *world {
	t.Helper()
	w := &world{path: filepath.Join(t.TempDir(), "events.db"), o: o}
	if w.o.Now == nil {
		w.o.Now = func() time.Time { return time.Unix(noon, 0) }
	}
	w.open(t)
	t.Cleanup(func() {
		check(t, w.Close())
		check(t, boltfile.Verify(w.path))
	})
	return w
}

func (w *world) open(t *testing.T) {
	t.Helper()
	e, err := event.Open(w.path, w.o)
	check(t, err)
	w.Engine = e
}

func (w *world) reopen(t *testing.T) {
	t.Helper()
	check(t, w.Close())
	w.open(t)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// send stores events of a subject, one second apart, and returns the number of events
// that were new.
func (w *world) send(t *testing.T, subject, session, name string, at int64, ids ...string) int {
	t.Helper()
	b := &event.Batch{Project: 1, Received: noon, Subject: subject, Session: session, Client: submission.Client{Platform: platform.Linux, Region: "DE", UserAgent: "ua"}}
	for i, id := range ids {
		b.Items = append(b.Items, submission.Item{ID: id, Name: name, At: at + int64(i), Properties: []byte(`{"n":` + fmt.Sprint(i) + `,"from":"` + subject + `"}`)})
	}
	in, err := w.Ingest(b)
	check(t, err)
	return in.Accepted
}

func (w *world) export(t *testing.T, subject string) (list []event.Event) {
	t.Helper()
	check(t, w.Export(context.Background(), 1, subject, func(e *event.Event) error {
		list = append(list, *e)
		return nil
	}))
	return list
}

func (w *world) total(t *testing.T) int64 {
	t.Helper()
	o, err := w.Overview(context.Background(), 1, query.Range{Start: noon - 90*86400, End: noon + 86400})
	check(t, err)
	return o.Total
}

// TestKeysAreExact checks that repeated events are not stored again while the original
// ones are in memory or in blocks, including after a restart, but are accepted after the
// original ones have been removed.
func TestKeysAreExact(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	uuid := "0b9f6c1e-8b7f-4f0e-9d55-0b7b1a6f9a10"
	for _, step := range []struct {
		name string
		do   func()
		want int
	}{
		{"first one wins, also inside a batch", func() {}, 2},
		{"in memory", func() {}, 0},
		{"in a block", func() { check(t, w.Flush()) }, 0},
		{"after a restart", func() { w.reopen(t) }, 0},
		{"of an older hour", func() { check(t, w.ApplyRetention(t.Context(), 1, noon-7200, 0)) }, 0},
		{"gone", func() { check(t, w.ApplyRetention(t.Context(), 1, noon+7200, 0)) }, 2},
		{"in memory again", func() {}, 0},
		{"of an erased subject", func() {
			if n, err := w.DeleteSubject(t.Context(), 1, "u"); n != 2 || err != nil {
				t.Fatalf("deleted %d, %v", n, err)
			}
		}, 2},
	} {
		step.do()
		if got := w.send(t, "u", "s", "open", noon-3600, uuid, "any text", uuid); got != step.want {
			t.Errorf("%s: accepted %d, want %d", step.name, got, step.want)
		}
	}
	if got := w.send(t, "other", "", "close", noon, uuid); got != 0 {
		t.Errorf("the key is taken for every subject, name and session: accepted %d", got)
	}
}

// TestEventsComeBack checks that the exported events of a subject are unchanged by each
// operation that moves them.
func TestEventsComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	w.send(t, "u", "s1", "open", noon, "1", "2", "3")
	w.send(t, "v", "s1", "open", noon, "x1", "x2")
	w.send(t, "u", "", "close", noon-5*3600, "4")
	w.send(t, "u", "s2", "view", noon+1, "5")
	want := w.export(t, "u")
	var ids []string
	for _, e := range want {
		ids = append(ids, e.ID)
	}
	if !reflect.DeepEqual(ids, []string{"4", "1", "2", "5", "3"}) {
		t.Fatalf("order by time, then receipt: got %v", ids)
	}
	first := event.Event{
		Name: "close", ID: "4", At: noon - 5*3600, Received: noon, Properties: []byte(`{"from":"u","n":0}`),
		Client: submission.Client{Platform: platform.Linux, Region: "DE", UserAgent: "ua"},
	}
	if !reflect.DeepEqual(want[0], first) {
		t.Errorf("got %+v, want %+v", want[0], first)
	}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"blocks", func() { check(t, w.Flush()) }},
		{"restart", func() { w.reopen(t) }},
		{"late events in further parts", func() {
			for i := range 6 {
				w.send(t, "w", "s1", "open", noon, fmt.Sprint("late", i))
				check(t, w.Flush())
			}
		}},
		{"merge", func() {
			for worked := true; worked; {
				var err error
				worked, err = w.Compact()
				check(t, err)
			}
		}},
		{"erasure of another", func() { _, err := w.DeleteSubject(t.Context(), 1, "v"); check(t, err) }},
	} {
		step.do()
		if got := w.export(t, "u"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", step.name, got, want)
		}
	}
	if got := w.total(t); got != 13 {
		t.Errorf("counted %d events, want 13: erasure leaves counters", got)
	}
}

// TestDefinitionsOutlive checks which parts of a definition outlive its deletion and the
// erasure of its events.
func TestDefinitionsOutlive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	list := func() []event.Definition {
		_, list, err := w.Definitions(t.Context(), 1, event.DefinitionsQuery{Range: query.Range{End: 2 * noon}, Limit: 10})
		check(t, err)
		return list
	}
	w.send(t, "u", "", "open", noon, "1", "2")
	w.send(t, "u", "", "open", noon-100, "3")
	one := list()[0]
	if one.FirstSeen != noon-100 || one.LastSeen != noon+1 || one.Count != 3 {
		t.Fatalf("got %+v", one)
	}
	check(t, w.DeleteDefinition(1, one.ID, nil))
	if got := list(); len(got) != 0 {
		t.Fatalf("deleted one is still listed: %+v", got)
	}
	w.reopen(t) // events in memory are restored from the log, their definition is not
	if got := list(); len(got) != 0 {
		t.Fatalf("a restart made it anew: %+v", got)
	}
	_, err := w.DeleteSubject(t.Context(), 1, "u")
	check(t, err)
	w.send(t, "u", "", "open", noon-50, "4")
	again := list()[0]
	if again.ID == one.ID || again.FirstSeen != noon-100 || again.LastSeen != noon+1 || again.Count != 4 {
		t.Errorf("made anew: got %+v", again)
	}
}

// TestManyTogether checks that every acknowledged event is counted exactly once while
// many goroutines ingest, heads are written and queries run.
func TestManyTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{HeadEvents: 500})
	const senders, batches, size = 8, 40, 20
	var wait sync.WaitGroup
	for s := range senders {
		wait.Go(func() {
			for b := range batches {
				batch := &event.Batch{Project: event.Project(1 + s%2), Received: noon, Subject: fmt.Sprint("u", s), Session: fmt.Sprint("s", s, b/4)}
				for i := range size {
					batch.Items = append(batch.Items, submission.Item{ID: fmt.Sprint(s, "-", b, "-", i), Name: fmt.Sprint("n", i%3), At: noon - int64(b*97+i)})
				}
				for attempt := range 2 {
					in, err := w.Ingest(batch)
					if err != nil || in.Accepted != size*(1-attempt) {
						t.Errorf("accepted %d, %v", in.Accepted, err)
						return
					}
				}
				got := 0
				err := w.Export(t.Context(), batch.Project, batch.Subject, func(*event.Event) error { got++; return nil })
				if err != nil || got != (b+1)*size {
					t.Errorf("after %d batches the subject has %d events, %v", b+1, got, err)
					return
				}
			}
		})
	}
	wait.Wait()
	w.reopen(t)
	for p := event.Project(1); p <= 2; p++ {
		o, err := w.Overview(t.Context(), p, query.Range{End: 2 * noon})
		check(t, err)
		want := query.Overview{Total: senders / 2 * batches * size, EventTypes: 3, Users: senders / 2, Sessions: senders / 2 * batches / 4}
		if o != want {
			t.Errorf("project %d: got %+v, want %+v", p, o, want)
		}
	}
}

// lines is a channel that receives log output, one line at a time.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// TestSlowQueryIsReported checks that a transaction that stays open is logged together
// with the code that opened it. Package records does the same for its transactions.
func TestSlowQueryIsReported(t *testing.T) {
	t.Parallel()
	log := make(lines, 100)
	w := newWorld(t, event.Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	w.send(t, "u", "s", "open", noon, "1")
	check(t, w.Flush())
	var line string
	check(t, w.EachEvent(t.Context(), 1, func(string, *event.Event) error {
		for line = <-log; !strings.Contains(line, "transaction open for too long"); line = <-log {
		}
		return nil
	}))
	if !strings.Contains(line, "events.db") || !strings.Contains(line, "svc/internal/event.(*") {
		t.Errorf("got %q, want the file and a function of this package", line)
	}
}
