package jobs

import (
	"fmt"
	"sync"
	"time"
)

const (
	// clockSlack is the time by which the wall clock may be ahead of the expected time,
	// which is the time of the last clean-up plus the time elapsed since then.
	clockSlack = 48 * time.Hour
	// clockDoubt is how long a wall clock must stay ahead by more than clockSlack before it
	// is trusted.
	clockDoubt = 24 * time.Hour
)

// clockGuard prevents a wrong wall clock from causing the deletion of data. If the clock
// were two years ahead just once, all data would seem too old. The guard compares the
// wall clock with the expected time: the time of the last clean-up plus the monotonic
// time elapsed since then. It trusts a clock that stays ahead for clockDoubt, because the
// server may have been stopped for weeks. A clockGuard is safe for concurrent use.
type clockGuard struct {
	mu sync.Mutex
	// The following fields are guarded by mu.
	last  time.Time // wall time of the last clean-up; zero if there was none
	noted time.Time // monotonic time at which last was recorded
	ahead time.Time // monotonic time at which the wall clock was first too far ahead; zero if it is not
}

// trust records that a clean-up was done at the given wall time.
func (g *clockGuard) trust(wall time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last, g.noted, g.ahead = wall.Round(0), time.Now(), time.Time{}
}

// check returns an error if the given wall time must not be trusted.
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
