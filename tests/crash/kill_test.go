package crash

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The situations in which a server is killed.
const (
	working    = iota // under load
	starting          // before it responds, while it replays or checks its data
	stopping          // during shutdown, while it writes the heads of events and the lists of free pages
	indexing          // while its search index is being rebuilt under load
	compacting        // while its data is being compacted under load
	ways
)

// chance holds the percentage of kills for each situation.
var chance = [ways]int{working: 45, starting: 20, stopping: 11, indexing: 12, compacting: 12}

// commands maps a situation to the command that runs while the server is killed.
var commands = map[int][]string{indexing: {"reindex"}, compacting: {"compact", "--always"}}

func anyWay(random *rand.Rand) int {
	roll := random.IntN(100)
	for way, n := range chance {
		if roll -= n; roll < 0 {
			return way
		}
	}
	return working
}

// TestKilledServer repeatedly kills a server under mixed load at random times. All servers use one
// data directory. After each start, the test checks that all acknowledged data exists, that
// unacknowledged changes exist completely or not at all, that events are counted once, that
// searches find all records, and that "svc check" reports nothing. SVC_LONG=1 kills more often and
// lets the server run longer.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	rounds, most := 7, 150
	if os.Getenv("SVC_LONG") != "" {
		rounds, most = 120, 800
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var now atomic.Int64
	s := &killing{
		world: newWorld(seed, func() moment { return moment(now.Add(1)) }),
		dir:   keepOnFailure(t), startTakes: 300 * time.Millisecond, most: most,
	}
	for round := range rounds {
		way := working
		if round > 0 {
			way = anyWay(s.world.random)
		}
		s.round(t, way)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	p, _ := s.whole(t)
	check(t, p.stop(patience))
	s.whole(t)
	t.Logf("%d kills under load, %d at the start, %d while stopping, %d while indexing, %d while compacting; %d requests",
		s.kills[working], s.kills[starting], s.kills[stopping], s.kills[indexing], s.kills[compacting], s.steps)
}

// killing holds a data directory and the state of its clients.
type killing struct {
	world      *world
	dir        string
	startTakes time.Duration
	most       int // maximum number of requests between two starts

	kills [ways]int
	steps int64
}

func (s *killing) data() string { return filepath.Join(s.dir, "data") }

func (s *killing) log() string { return filepath.Join(s.dir, "server.log") }

// round starts a server, verifies its content, and kills it in the given situation.
func (s *killing) round(t *testing.T, way int) {
	t.Helper()
	s.kills[way]++
	if way == starting {
		p := start(t, s.data(), s.log())
		pause(p, within(s.world.random, s.startTakes))
		p.kill()
		return
	}
	p, c := s.whole(t)
	clients := s.world.loading(c, 1+s.world.random.IntN(s.most))
	check(t, clients.work(p, s.world.random))
	var command sync.WaitGroup
	if args := commands[way]; args != nil {
		command.Go(func() { _ = run(append(args, "--data", s.data())...) }) // when the server is killed, the command fails or continues on its own
		pause(p, within(s.world.random, s.startTakes))
	}
	if way == stopping {
		check(t, p.stop(within(s.world.random, 150*time.Millisecond)))
	} else {
		p.end()
	}
	command.Wait()
	check(t, clients.wait(p))
	s.steps += clients.steps.Load()
	check(t, checkData(s.data()))
}

// whole starts a server and verifies its content.
func (s *killing) whole(t *testing.T) (*process, *client) {
	t.Helper()
	begun := time.Now()
	p := start(t, s.data(), s.log())
	url, err := p.ready()
	check(t, err)
	s.startTakes = time.Since(begun) * 5 / 4
	c, err := s.world.connect(url)
	check(t, err)
	f, err := s.world.verify(c, always)
	check(t, err)
	s.world.settle(f, true)
	check(t, checkData(s.data()))
	return p, c
}
