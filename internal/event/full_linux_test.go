package event_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"svc/internal/event"
	"svc/internal/fault"
	"svc/internal/testutil"
)

// fullFile is the environment variable that passes the path of the file to a test binary.
// The test needs its own process because it changes limits of the whole process.
const fullFile = "SVC_EVENT_FULL"

// TestDiskIsFull runs the tests that need a full disk in their own process.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	inItsOwnProcess(t, onAFullDisk)
}

func TestNoRoomInMemory(t *testing.T) {
	t.Parallel()
	inItsOwnProcess(t, noRoomInMemory)
}

// inItsOwnProcess runs a test in another process and passes it the path of the file to
// create.
func inItsOwnProcess(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if os.Getenv(fullFile) != "" {
		test(t)
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), fullFile+"="+filepath.Join(t.TempDir(), "events.db"))
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v:\n%s", err, out)
	}
	t.Logf("%s", out)
}

// onAFullDisk makes writes beyond an offset of the file fail, for one offset after
// another. In the meantime, events arrive, blocks are written and merged, subjects are
// erased and old events are removed. Acknowledged events must be stored and counted once.
// Refused events must not be stored, and must be accepted when they are sent again once
// there is space. With SVC_LONG=1, it tries the offset of every page.
func onAFullDisk(t *testing.T) {
	path := os.Getenv(fullFile)
	limitFiles(t, 100)
	if e, err := openForCrash(path); err == nil {
		t.Fatalf("a new file could be written: %v", e)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Fatalf("a start that failed leaves %v, %v", left, err)
	}
	limitFiles(t, unlimited)
	e, err := openForCrash(path)
	check(t, err)
	s := &crashStory{path: path}
	step := 5
	if os.Getenv("SVC_LONG") != "" {
		step = 1
	}
	refused := 0
	for page := 2; page < 110; page += step {
		w := page % writers
		for range 12 { // events from which blocks can be written
			s.ingestSoon(t, e, w)
		}
		limitFiles(t, uint64(page*4096-page%3*1000))
		for _, fn := range []func() error{
			func() error { return s.ingest(e, w) },
			func() error { return s.ingest(e, (w+1)%writers) }, // shortly afterwards
			e.Flush,
			func() error { _, err := e.Compact(); return err },
			func() error { return s.forget(e, w) },
		} {
			if err := fn(); err != nil {
				refused++
				if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.NoSpace || f.RetryAfter == 0 {
					t.Fatalf("page %d: got %v, want a fault that there is no space", page, err)
				}
			}
		}
		limitFiles(t, unlimited)
		check(t, s.forget(e, w)) // always accepted
		s.ingestSoon(t, e, w)
		s.ingestSoon(t, e, (w+1)%writers)
		if page%3 == 0 {
			s.verify(t, e)
		}
	}
	if refused < 20 {
		t.Errorf("only %d calls were refused", refused)
	}
	t.Log(refused, "refused")
	compactAll(t, e)
	s.verify(t, e)
	s.ingestSoon(t, e, 0)
	limitFiles(t, 100)
	if err := e.Close(); err != nil {
		t.Errorf("closing on a full disk: %v", err)
	}
	limitFiles(t, unlimited)
	e, err = openForCrash(path)
	check(t, err)
	s.verify(t, e)
	check(t, e.Close())
}

// ingest sends a writer's next batch. No event of the batch may be stored yet.
func (s *crashStory) ingest(e *event.Engine, w int) error {
	err := ingestExactly(e, crashBatch(w, s.next[w]), crashItems)
	if err == nil {
		s.stored[w] = append(s.stored[w], s.next[w])
		s.next[w]++
	}
	return err
}

// ingestSoon sends a writer's next batch once writes are accepted again. After a failure,
// including one in the background, the engine refuses writes for a short time.
func (s *crashStory) ingestSoon(t *testing.T, e *event.Engine, w int) {
	t.Helper()
	testutil.Until(t, "events are taken", func() bool {
		err := s.ingest(e, w)
		if err != nil && !fault.Is(err, fault.NoSpace) {
			t.Fatal(err)
		}
		return err == nil
	})
}

// forget erases subjects of the eraser, cleans up, or changes a definition.
func (s *crashStory) forget(e *event.Engine, w int) error {
	n := s.next[w] - 1
	switch {
	case n < 0:
		return nil
	case w == eraser:
		_, err := e.DeleteSubject(context.Background(), crashBatch(w, n).Project, crashBatch(w, n).Subject)
		return err
	case w == cleaner:
		return e.ApplyRetention(context.Background(), crashBatch(w, n).Project, crashOld+86400, 0)
	}
	return deleteDefinitionOf(e, crashBatch(w, n))
}

// noRoomInMemory checks that events are refused if the events in memory cannot be written
// as blocks and take too much memory. Events must be accepted again without intervention
// once there is space.
func noRoomInMemory(t *testing.T) {
	path := os.Getenv(fullFile)
	e, err := event.Open(path, event.Options{HeadEvents: 50})
	check(t, err)
	release := e.HoldMaintenance()
	s := &crashStory{path: path}
	for range 9 + 17 { // a full head, and another of twice the size
		check(t, s.ingest(e, 0))
	}
	limitFiles(t, 100)
	if err := e.FlushHeld(); !fault.Is(err, fault.NoSpace) {
		t.Fatalf("writing blocks: got %v, want that there is no space", err)
	}
	limitFiles(t, unlimited)
	testutil.Until(t, "the file is tried again", func() bool { return e.Refused() == nil })
	err = s.ingest(e, 0)
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.NoSpace || f.RetryAfter == 0 {
		t.Fatalf("with no room in memory: got %v, want a fault that there is no space", err)
	}
	release()
	s.ingestSoon(t, e, 0)
	s.verify(t, e)
	check(t, e.Close())
}

const unlimited = 1 << 62

// limitFiles makes writes beyond an offset fail in all files of this process.
func limitFiles(t *testing.T, size uint64) {
	t.Helper()
	var l syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l))
	l.Cur = min(size, l.Max)
	check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l))
}
