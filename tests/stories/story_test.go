package stories

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	firstSeed = flag.Uint64("story.seed", 0, "the seed of the first story; 0 chooses one at random")
	number    = flag.Int("story.count", 0, "the number of stories; 0 means 20, or 20,000 with SVC_LONG")
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // stories allocate much and keep little
	os.Exit(m.Run())
}

// step is something that can happen in a story. It may find nothing to do.
type step struct {
	name   string
	weight int
	do     func(*story)
	silent bool // it must not record any change
	counts bool // it counts itself, and other steps count if they have recorded a change
}

var allSteps = slices.Concat(recordSteps, upkeepSteps, damageSteps)

// chapters end the stories, in turn. Each consists of steps until what it is about has happened.
var chapters = []struct {
	counts string // what it is about
	steps  []string
}{
	{"compaction of the records", []string{"publish a version", "compaction of the records", "submit logs"}},
	{"compaction of the events", []string{"send events", "compaction of the events", "send events"}},
	{"erasure of free pages", []string{"send events", "flush of events", "submit logs", "erasure of free pages"}},
	{"merging of blocks", []string{"send events", "flush of events", "send events", "compaction of blocks"}},
	{"retention of events", []string{"send events", "flush of events", "retention", "send events"}},
	{"erasure of a person", []string{"send events", "flush of events", "send events", "erasure of a person"}},
	{"removal of a project", []string{"send events", "send events", "send events", "delete a project", "job deleted-projects"}},
	{"import", []string{"publish a version", "submit feedback", "submit logs", "send events", "import"}},
	{"failed import", []string{"publish a version", "failed import"}},
	{"repair of the records", []string{"publish a version", "repair of the records", "publish a version"}},
	{"repair of the events", []string{"send events", "flush of events", "repair of the events", "send events"}},
	{"failed transaction", []string{"failed transaction"}},
	{"failed commit", []string{"create a project", "full disk", "send events"}},
	{"restart", []string{"send events", "restart", "send events"}},
	{"kill", []string{"send events", "kill", "send events"}},
}

// story is a running story.
type story struct {
	*testing.T
	*rand.Rand
	*directory
	copy copied

	repairs  bool                // damage will occur, which a standby does not bear
	compared uint64              // the position at which the directory and its copy were compared
	serial   int                 // of names and event IDs
	made     map[string][]string // paths of created records, by kind
	told     []string            // the steps so far
	counts   map[string]int      // the steps that have done something
}

// happened counts a step that has done something.
func (s *story) happened(name string) { s.counts[name]++ }

// must ends the story after an error.
func (s *story) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// tell runs the story of a seed, and returns how often each step has done something.
func tell(t *testing.T, made template, seed uint64) map[string]int {
	t.Helper()
	s := &story{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), made: map[string][]string{}, counts: map[string]int{}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("run again: go test ./tests/stories -run TestStories -story.seed=%d -story.count=1\nsteps:\n%s", seed, strings.Join(s.told, "\n"))
		}
	})
	total := 0
	for _, one := range allSteps {
		total += one.weight
	}
	chapter := chapters[seed%uint64(len(chapters))]
	s.repairs = strings.HasPrefix(chapter.counts, "repair")
	s.begin(made)
	for range 2 {
		s.step(recordSteps[0]) // most steps need a project
	}
	for range s.IntN(40) {
		n, at := s.IntN(total), 0
		for n >= allSteps[at].weight {
			n -= allSteps[at].weight
			at++
		}
		s.step(allSteps[at])
	}
	for tries := 0; tries < 10 && s.counts[chapter.counts] == 0; tries++ {
		if len(s.db.Projects()) == 0 {
			s.step(recordSteps[0])
		}
		for _, name := range chapter.steps {
			s.step(allSteps[slices.IndexFunc(allSteps, func(one step) bool { return one.name == name })])
		}
	}
	s.compareClosed()
	s.end()
	return s.counts
}

func (s *story) step(one step) {
	s.told = append(s.told, one.name)
	s.advance(time.Duration(s.IntN(5000)) * time.Millisecond)
	before := s.spool.Position()
	one.do(s)
	switch recorded := s.spool.Position() > before; {
	case s.spool.Gap():
		s.Fatalf("%s: changes are missing in the spool", one.name)
	case recorded && one.silent:
		s.Fatalf("%s: recorded a change", one.name)
	case recorded && !one.counts:
		s.happened(one.name)
	}
}

// TestStories tells random stories. Over all of them, each chapter must have happened, and over many
// stories each step.
func TestStories(t *testing.T) {
	t.Parallel()
	n, seed := *number, *firstSeed
	switch {
	case n > 0:
	case os.Getenv("SVC_LONG") != "":
		n = 20_000
	default:
		n = 20
	}
	if seed == 0 {
		seed = 1 + rand.Uint64N(1<<40)
	}
	t.Logf("seeds %d to %d", seed, seed+uint64(n)-1)
	made, err := newTemplate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var next atomic.Int64
	var tellers sync.WaitGroup
	var mu sync.Mutex
	counts := map[string]int{}
	for range min(n, 16) {
		tellers.Go(func() {
			for i := next.Add(1); i <= int64(n) && !t.Failed(); i = next.Add(1) {
				t.Run(fmt.Sprint(seed+uint64(i)-1), func(t *testing.T) {
					told := tell(t, made, seed+uint64(i)-1)
					mu.Lock()
					defer mu.Unlock()
					for name, count := range told {
						counts[name] += count
					}
				})
			}
		})
	}
	tellers.Wait()
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%8d %s", counts[name], name)
	}
	for _, one := range chapters {
		if n >= len(chapters) && counts[one.counts] == 0 && !t.Failed() {
			t.Errorf("no story had: %s", one.counts)
		}
	}
	for _, one := range allSteps {
		if n >= 1000 && counts[one.name] == 0 && !t.Failed() {
			t.Errorf("no story had the step: %s", one.name)
		}
	}
}
