package event_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/event"
	"svc/internal/event/query"
)

// crashStory is the content that a file is expected to have after the processes that
// wrote to it were killed.
type crashStory struct {
	path   string
	random *rand.Rand
	next   cursors
	stored [writers][]int // batches that are stored, including those that have been erased since

	// Of the process that was killed last:
	first    cursors // its first batches
	unerased []int   // batches of the eraser whose erasure was not acknowledged
}

// crash starts a process that writes, kills it at a random time, possibly during its
// start, and records the batches that it had acknowledged.
func (s *crashStory) crash(t *testing.T, starting bool) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), writerFile+"="+s.path, writerFrom+"="+s.next.String())
	out, err := c.StdoutPipe()
	check(t, err)
	check(t, c.Start())
	lines := bufio.NewReader(out)
	first, most := "", 100_000
	if !starting {
		first, err = lines.ReadString('\n')
		check(t, err)
		most = 700_000
	}
	timer := time.AfterFunc(time.Duration(s.random.IntN(most))*time.Microsecond, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	rest, err := io.ReadAll(lines)
	check(t, err)
	_ = c.Wait() // it was killed
	s.first, s.unerased = s.next, nil
	said := strings.Split(first+string(rest), "\n")
	for _, line := range said[:len(said)-1] { // the last line may be incomplete
		s.note(t, line)
	}
}

func (s *crashStory) note(t *testing.T, line string) {
	t.Helper()
	var w, n int
	if line == "open" {
		return
	}
	if _, err := fmt.Sscanf(line, "erased %d", &n); err == nil {
		s.unerased = slices.DeleteFunc(s.unerased, func(one int) bool { return one == n })
		return
	}
	if _, err := fmt.Sscan(line, &w, &n); err != nil || n != s.next[w] {
		t.Fatalf("the writer says %q", line)
	}
	s.stored[w] = append(s.stored[w], n)
	s.next[w]++
	if w == eraser {
		s.unerased = append(s.unerased, n)
	}
}

// doubt determines which of the unacknowledged batches are stored. It fails the test if a
// batch is stored only in part.
func (s *crashStory) doubt(t *testing.T, e *event.Engine) {
	t.Helper()
	for w := range writers {
		b, n := crashBatch(w, s.next[w]), 0
		if w == cleaner { // its events may already be removed, but they are counted
			n = int(countsByName(t, e, b.Project)["old"]) - len(s.stored[w])*crashItems
		} else {
			for _, got := range exportOf(t, e, b.Project, b.Subject) {
				if got.Received == b.Received && got.Name != "repeated" {
					n++
				}
			}
		}
		switch n {
		case 0:
		case crashItems:
			s.stored[w] = append(s.stored[w], s.next[w])
		default:
			t.Fatalf("batch %d of writer %d, which was not acknowledged, has %d of %d events", s.next[w], w, n, crashItems)
		}
	}
}

// verify compares all stored data with the expected content.
func (s *crashStory) verify(t *testing.T, e *event.Engine) {
	t.Helper()
	check(t, e.Check())
	for p := event.Project(1); p <= 2; p++ {
		counts, total := map[string]int64{}, int64(0)
		details := map[string][]event.Event{}
		for w := int(p) - 1; w < writers; w += 2 {
			for _, n := range s.stored[w] {
				b := crashBatch(w, n)
				for _, one := range crashEvents(b) {
					counts[one.Name]++
					total++
					if w < keepers {
						details[b.Subject] = append(details[b.Subject], one)
					}
				}
			}
		}
		if got := countsByName(t, e, p); !maps.Equal(got, counts) {
			t.Fatalf("project %d: counted %v, want %v", p, got, counts)
		}
		if o, err := e.Overview(t.Context(), p, everything); err != nil || o.Total != total || o.EventTypes != int64(len(counts)) {
			t.Fatalf("project %d: overview is %+v, %v, want %d events", p, o, err, total)
		}
		for subject, want := range details {
			slices.SortStableFunc(want, func(a, b event.Event) int { return cmp.Compare(a.At, b.At) })
			if got := exportOf(t, e, p, subject); !reflect.DeepEqual(got, want) {
				t.Fatalf("subject %s has %d events, want %d:\n%+v\n%+v", subject, len(got), len(want), got, want)
			}
		}
	}
}

// crashEvents returns the events of a batch that are stored.
func crashEvents(b *event.Batch) (list []event.Event) {
	for _, item := range b.Items {
		if item.Name != "repeated" {
			list = append(list, event.Event{
				Name: item.Name, ID: item.ID, Session: b.Session, At: item.At, Received: b.Received,
				Properties: item.Properties, Client: b.Client,
			})
		}
	}
	return list
}

var everything = query.Range{Start: 0, End: 2 * noon}

func countsByName(t *testing.T, e *event.Engine, p event.Project) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	b, err := e.Breakdown(t.Context(), p, query.BreakdownQuery{Range: everything, Dimension: query.ByEvent, Limit: 1 << 20})
	check(t, err)
	for _, g := range b.Groups {
		counts[g.Key] = g.Count
	}
	return counts
}

func exportOf(t *testing.T, e *event.Engine, p event.Project, subject string) (list []event.Event) {
	t.Helper()
	check(t, e.Export(t.Context(), p, subject, func(one *event.Event) error {
		list = append(list, *one)
		return nil
	}))
	return list
}

// finish repeats the operations that may have been interrupted, and removes everything
// that was erased or is too old.
func (s *crashStory) finish(t *testing.T, e *event.Engine) {
	t.Helper()
	for _, n := range append(s.unerased, s.next[eraser]) {
		b := crashBatch(eraser, n)
		_, err := e.DeleteSubject(t.Context(), b.Project, b.Subject)
		check(t, err)
	}
	check(t, e.ApplyRetention(t.Context(), 2, crashOld+86400, 0))
	for p := event.Project(1); p <= 2; p++ {
		if list, err := e.Unused(p); err != nil || len(list) > 0 {
			t.Fatalf("project %d still knows %q, %v", p, list, err)
		}
	}
}

// repeat resends the batches of keepers, including the unacknowledged ones.
func (s *crashStory) repeat(t *testing.T, e *event.Engine) {
	t.Helper()
	for w := range keepers {
		for n := s.first[w]; n <= s.next[w]; n++ {
			want := 0
			if !slices.Contains(s.stored[w], n) {
				s.stored[w] = append(s.stored[w], n)
				want = crashItems
			}
			if err := ingestExactly(e, crashBatch(w, n), want); err != nil {
				t.Fatalf("batch %d of writer %d again: %v", n, w, err)
			}
		}
	}
	for w := range s.next {
		s.next[w]++
	}
}

// compactAll merges blocks until Compact has no work to do.
func compactAll(t *testing.T, e *event.Engine) {
	t.Helper()
	check(t, e.Flush())
	for worked := true; worked; {
		var err error
		worked, err = e.Compact()
		check(t, err)
	}
}

// TestKilledAtAnyMoment checks that every batch that was acknowledged before a process
// was killed is stored once and counted once. Unacknowledged batches must be stored
// completely or not at all. It must be possible to complete interrupted erasures and
// cleanups, and the file must be sound. With SVC_LONG=1, the test kills more processes.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	rounds := 5
	if os.Getenv("SVC_LONG") != "" {
		rounds = 60
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var s *crashStory
	batches := 0
	for round := range rounds {
		if round%15 == 0 {
			s = &crashStory{path: filepath.Join(t.TempDir(), "events.db"), random: rand.New(rand.NewPCG(seed, uint64(round)))}
		}
		s.crash(t, round%15 == 0 || round%4 == 3)
		e, err := openForCrash(s.path)
		check(t, err)
		s.doubt(t, e)
		s.verify(t, e)
		s.finish(t, e)
		if round%2 == 0 {
			compactAll(t, e)
		}
		s.repeat(t, e)
		s.verify(t, e)
		check(t, e.Close())
		for w := range writers {
			batches += s.next[w] - s.first[w]
		}
	}
	t.Logf("%d rounds, %d batches", rounds, batches)
}
