package crash

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// world holds the clients of a server and their state.
type world struct {
	clock    func() moment
	random   *rand.Rand
	token    string
	loggedIn moment        // a time after the administrator was logged in and the event projects were created
	pause    time.Duration // of each client after a step; longer for those with large batches
	editors  []*editor
	trackers []*tracker
}

// eventProject is the project used by all trackers.
const eventProject = "events"

func newWorld(seed uint64, clock func() moment) *world {
	source := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }
	w := &world{clock: clock, random: source(0)}
	for i := range 3 {
		w.editors = append(w.editors, &editor{name: fmt.Sprint("e", i), random: source(uint64(i + 1)), clock: clock})
	}
	w.trackers = []*tracker{
		newTracker("steady", eventProject, source(10), clock, 8, 200, 1, 5, 20),
		newTracker("shared", eventProject, source(11), clock, 8, 200, 1, 5, 20),
		newTracker("flood", eventProject, source(12), clock, 1, 2000, 50, 50, 400), // its large batches fill the heads of the event store
	}
	return w
}

// connect returns a client of the server at url. On the first call, it also creates the data that
// the other clients need.
func (w *world) connect(url string) (*client, error) {
	c := newClient(url, w.token)
	if w.loggedIn > 0 {
		return c, nil
	}
	if err := c.logIn(); err != nil {
		return nil, err
	}
	if _, err := c.must(201, "POST", projects.list, map[string]any{"project_key": eventProject, "name": eventProject}); err != nil {
		return nil, err
	}
	if _, err := c.must(201, "POST", projects.list+"/"+eventProject+versions.list, map[string]any{"version": "1.0.0", "comparable_version": "1.0.0"}); err != nil {
		return nil, err
	}
	w.token, w.loggedIn = c.token, w.clock()
	return c, nil
}

// load is the activity of all clients, which lasts until the server has ended.
type load struct {
	running sync.WaitGroup
	steps   atomic.Int64  // steps completed
	goal    int64         // sufficient number of steps
	enough  chan struct{} // closed when the goal is reached

	mu     sync.Mutex // guards the following fields
	failed error
}

// loading starts the clients. goal is the number of steps that suffice.
func (w *world) loading(c *client, goal int) *load {
	l := &load{goal: int64(goal), enough: make(chan struct{})}
	for _, e := range w.editors {
		l.run(func() error { return e.step(c) }, w.pause)
	}
	for _, t := range w.trackers {
		l.run(func() error { return t.step(c) }, w.pause*time.Duration(slices.Max(t.sizes)/10))
	}
	asker := rand.New(rand.NewPCG(w.random.Uint64(), 0))
	l.run(func() error { return ask(c, asker) }, w.pause)
	return l
}

// run repeats step until the server has ended, with a pause after each.
func (l *load) run(step func() error, pause time.Duration) {
	l.running.Go(func() {
		for ; ; <-time.After(pause) {
			if err := step(); err != nil {
				if !errors.Is(err, errGone) {
					l.mu.Lock()
					defer l.mu.Unlock()
					l.failed = errors.Join(l.failed, err)
				}
				return
			}
			if l.steps.Add(1) == l.goal {
				close(l.enough)
			}
		}
	})
}

// work waits until the clients have reached the goal. It then waits for a short random time, so
// that the server is in an arbitrary state. It returns an error if the server stops responding.
func (l *load) work(p *process, random *rand.Rand) error {
	for before := int64(0); ; {
		select {
		case <-l.enough:
			pause(p, within(random, 30*time.Millisecond))
			return nil
		case <-p.exited: // surprise reports this
			return nil
		case <-time.After(patience):
		}
		now := l.steps.Load()
		if now == before {
			l.mu.Lock()
			defer l.mu.Unlock()
			return errors.Join(fmt.Errorf("after %d steps nobody was answered for %s", now, patience), l.failed)
		}
		before = now
	}
}

// wait waits for the clients to notice that the server has ended.
func (l *load) wait(p *process) error {
	l.running.Wait()
	return errors.Join(l.failed, p.surprise())
}

// ask sends a random request of an app or a user, of the kinds that the statistics count.
func ask(c *client, random *rand.Rand) error {
	const of = "/admin/projects/" + eventProject
	switch random.IntN(6) {
	case 0:
		_, err := c.must(200, "POST", "/public/"+eventProject+"/versions/check-update", map[string]string{"current_version": "1.0.0"})
		return err
	case 1:
		_, err := c.must(200, "GET", of+"/events/stats/overview", nil)
		return err
	case 2:
		_, err := c.must(200, "GET", of+"/stats/requests/overview", nil)
		return err
	case 3:
		_, err := c.must(200, "GET", "/admin/search?q="+word(random, 3), nil)
		return err
	case 4:
		_, err := c.must(200, "GET", "/public/"+eventProject, nil)
		return err
	}
	_, err := c.must(200, "GET", "/admin/projects?limit=100&search="+word(random, 2), nil)
	return err
}

// verify compares the state of a server with the states that are possible after it ended at the
// time end. To do so, it also makes some changes.
func (w *world) verify(c *client, end moment) (*findings, error) { return w.verifyLoss(c, end, end) }

// verifyLoss is like verify, but what was acknowledged after the time sure may have been lost. Nothing may have been lost
// that was acknowledged before a request of which the effect is there.
func (w *world) verifyLoss(c *client, sure, end moment) (*findings, error) {
	f := &findings{world: w, client: c, sure: sure, end: end, seen: map[*thing]revision{}}
	if err := f.compareAll(); err != nil {
		return nil, err
	}
	return f, errors.Join(f.search(), f.events(), f.inOrder())
}

// settle records findings in the model.
func (w *world) settle(f *findings, forget bool) {
	now := w.clock()
	for _, e := range w.editors {
		e.settle(f.seen, now, forget)
	}
	for _, t := range w.trackers {
		t.settle(now, forget)
	}
}

// always is a moment that is later than all others.
const always = moment(math.MaxInt64)

// within returns a random duration of at most longest.
func within(random *rand.Rand, longest time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(longest)))
}

// pause waits for the given duration, or until the process has ended.
func pause(p *process, wait time.Duration) {
	select {
	case <-time.After(wait):
	case <-p.exited:
	}
}
