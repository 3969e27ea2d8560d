package event_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/platform"
)

// The environment variables of a test binary that will be killed: the file to which it
// writes, and the next batch of each of its writers.
const (
	writerFile = "SVC_EVENT_WRITER"
	writerFrom = "SVC_EVENT_WRITER_FROM"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(writerFile); path != "" {
		fmt.Println("error:", writeUntilKilled(path, os.Getenv(writerFrom)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// The writers. The keepers write events that are never removed. The eraser creates
// subjects and erases them. The cleaner stores events that are already too old and then
// applies retention.
const (
	keepers = 4
	eraser  = keepers
	cleaner = keepers + 1
	writers = keepers + 2

	crashSubjects = 5 // per keeper
	crashItems    = 6 // per batch
	crashOld      = noon - 90*86400
)

// cursors holds the number of the next batch of each writer.
type cursors [writers]int

func (c *cursors) String() string { return strings.Trim(fmt.Sprint(*c), "[]") }

func parseCursors(text string) (c cursors, err error) {
	for w := range c {
		head, rest, _ := strings.Cut(text, " ")
		if _, err := fmt.Sscan(head, &c[w]); err != nil {
			return c, err
		}
		text = rest
	}
	return c, nil
}

// crashBatch returns batch n of a writer. A keeper's batch repeats an event of the
// previous one.
func crashBatch(w, n int) *event.Batch {
	b := &event.Batch{
		Project: event.Project(1 + w%2), Received: noon + int64(n),
		Subject: fmt.Sprintf("u%d-%d", w, n%crashSubjects), Session: fmt.Sprintf("s%d-%d", w, n/3),
		Client: submission.Client{Platform: platform.Linux, Region: "DE", City: fmt.Sprintf("city %d", w), UserAgent: "ua"},
	}
	for i := range crashItems {
		b.Items = append(b.Items, submission.Item{
			ID: crashID(w, n, i), Name: fmt.Sprintf("n%d-%d", w, (n+i)%3),
			At:         noon - int64(n*97+i*1301)%(30*3600),
			Properties: fmt.Appendf(nil, `{"i":%d,"n":%d}`, i, n),
		})
	}
	switch {
	case w == eraser:
		b.Subject = fmt.Sprintf("gone%d", n)
		for i := range b.Items {
			b.Items[i].Name = "gone"
		}
	case w == cleaner:
		for i := range b.Items {
			b.Items[i].Name, b.Items[i].At = "old", crashOld+int64(i*600)
		}
	case n > 0:
		b.Items = slices.Insert(b.Items, 2, submission.Item{ID: crashID(w, n-1, 3), Name: "repeated", At: noon})
	}
	return b
}

// crashID returns the event_id of event i in batch n of a writer: a UUID for some events
// and another text for others, because the two are stored differently.
func crashID(w, n, i int) string {
	if i%2 == 0 {
		return fmt.Sprintf("%08x-0000-7000-8000-%012x", w, n*crashItems+i)
	}
	return fmt.Sprintf("id %d %d %d", w, n, i)
}

func openForCrash(path string) (*event.Engine, error) {
	return event.Open(path, event.Options{HeadEvents: 150, Now: func() time.Time { return time.Unix(noon, 0) }})
}

// writeUntilKilled runs all writers. For each acknowledged operation it prints a line:
// "writer batch" for a batch, and "erased batch" for an erasure.
func writeUntilKilled(path, from string) error {
	next, err := parseCursors(from)
	if err != nil {
		return err
	}
	e, err := openForCrash(path)
	if err != nil {
		return err
	}
	fmt.Println("open")
	var out sync.Mutex
	say := func(words ...any) {
		out.Lock()
		defer out.Unlock()
		_, _ = fmt.Println(words...) // one write, so that a line is complete or missing
	}
	failed := make(chan error)
	for w := range writers {
		go func() {
			for n := next[w]; ; n++ {
				if err := crashWrite(e, w, n, say); err != nil {
					failed <- fmt.Errorf("writer %d, batch %d: %w", w, n, err)
				}
			}
		}()
	}
	return <-failed
}

// crashWrite writes batch n of a writer and then performs the writer's other operations.
func crashWrite(e *event.Engine, w, n int, say func(...any)) error {
	if err := ingestExactly(e, crashBatch(w, n), crashItems); err != nil {
		return err
	}
	say(w, n)
	switch {
	case w == eraser:
		deleted, err := e.DeleteSubject(context.Background(), 1, crashBatch(w, n).Subject)
		if err != nil || deleted != crashItems {
			return fmt.Errorf("erased %d events: %w", deleted, err)
		}
		say("erased", n)
	case w == cleaner && n%4 == 3:
		return e.ApplyRetention(context.Background(), crashBatch(w, n).Project, crashOld+86400, 0)
	case n%4 == 3:
		return ingestExactly(e, crashBatch(w, n-1), 0)
	case n%7 == 5:
		return deleteDefinitionOf(e, crashBatch(w, n))
	}
	return nil
}

func ingestExactly(e *event.Engine, b *event.Batch, want int) error {
	in, err := e.Ingest(b)
	if err == nil && in.Accepted != want {
		err = fmt.Errorf("accepted %d events, want %d", in.Accepted, want)
	}
	return err
}

// deleteDefinitionOf deletes the definition of the first event of a batch, unless it has
// already been deleted.
func deleteDefinitionOf(e *event.Engine, b *event.Batch) error {
	_, list, err := e.Definitions(context.Background(), b.Project, event.DefinitionsQuery{Search: b.Items[0].Name, Limit: 1})
	if err != nil || len(list) == 0 {
		return err
	}
	return e.DeleteDefinition(b.Project, list[0].ID, nil)
}
