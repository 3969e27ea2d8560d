package jobs

import (
	"fmt"
	"sync"
	"time"
)

const (
	// clockSlack is how far the wall clock may be ahead of the last clean-up plus the time
	// that has passed since.
	clockSlack = 48 * time.Hour
	// clockDoubt is the time for which a wall clock that is further ahead is not believed.
	clockDoubt = 24 * time.Hour
)

// clockGuard keeps a wrong wall clock from deleting data: a single reading that is two years
// ahead would make everything too old. It compares the wall clock with the time of the last
// clean-up plus the monotonic time since. A clock that stays ahead for clockDoubt is
// believed, since a server may have been stopped for weeks. It is safe for concurrent use.
type clockGuard struct {
	mu sync.Mutex
	// These are guarded by mu.
	last  time.Time // wall time of the last clean-up; zero if there was none
	noted time.Time // monotonic time at which last was noted
	ahead time.Time // monotonic time since which the wall clock is too far ahead; zero if it is not
}

// trust notes a clean-up at a wall time.
func (g *clockGuard) trust(wall time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last, g.noted, g.ahead = wall.Round(0), time.Now(), time.Time{}
}

// check returns an error while a wall time must not be believed.
func (g *clockGuard) check(wall time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.last.IsZero() || !wall.Round(0).After(g.last.Add(now.Sub(g.noted)+clockSlack)) {
		g.ahead = time.Time{}
		return nil
	}
	if g.ahead.IsZero() {
		g.ahead = now
	}
	left := clockDoubt - now.Sub(g.ahead)
	if left <= 0 {
		return nil
	}
	return fmt.Errorf("the clock is at %s, and the last clean-up was at %s: nothing is deleted for the next %s, in case the clock is wrong; "+
		"if it is right: svc job run retention",
		wall.UTC().Format(time.RFC3339), g.last.UTC().Format(time.RFC3339), left.Round(time.Minute))
}
