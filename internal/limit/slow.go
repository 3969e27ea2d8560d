package limit

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"svc/internal/fault"
)

const (
	slowAfter  = 100         // failures ...
	slowWithin = time.Hour   // ... within this time
	slowEvery  = time.Second // then one attempt in this time
	slowMost   = 10 * time.Second
	slowQueue  = 9 // attempts that wait, so that each has its turn in less than slowMost
)

// Slow is a brake on guessing one account's password from many addresses, each
// of which stays below its own limit. After 100 failures within an hour
// attempts are spaced one second apart, until the hour has fewer. The turns are
// shared fairly by network: the next one is for the network that has had the
// fewest within the last hour, so that many attempts of some networks do not
// keep out one of another. It slows and never locks: a lock would be a way to
// lock the owner out. It is safe for concurrent use.
type Slow struct {
	mu       sync.Mutex
	failures [slowAfter]time.Time // the latest ones, as a ring; guarded by mu, like all below
	next     int                  // where the next one goes, so the oldest

	last    time.Time            // of the last turn
	turns   []turn               // of the last hour, the oldest first
	had     map[netip.Prefix]int // how many of turns a network has had
	waiting []*waiter            // in the order of their arrival
	armed   bool                 // serve is going to be called
}

// turn is an attempt that was made while the brake was applied.
type turn struct {
	at      time.Time
	network netip.Prefix
}

// waiter is an attempt that waits for its turn.
type waiter struct {
	network netip.Prefix
	given   chan bool // true is a turn, false that another one took its place
}

// NewSlow makes a brake that is not applied.
func NewSlow() *Slow { return &Slow{had: map[netip.Prefix]int{}} }

// Network returns the network by which turns are shared: the /24 of an IPv4
// address, the /48 of an IPv6 address. That of the zero Addr is the zero Prefix.
func Network(a netip.Addr) netip.Prefix {
	bits := 48
	if a = a.Unmap().WithZone(""); a.Is4() {
		bits = 24
	}
	if !a.IsValid() {
		return netip.Prefix{}
	}
	return netip.PrefixFrom(a, bits).Masked()
}

// Failed records a failed attempt. The time is of the same clock as time.Now,
// which is the one Wait goes by.
func (s *Slow) Failed(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures[s.next] = now
	s.next = (s.next + 1) % slowAfter
}

// Applied reports whether attempts have to wait.
func (s *Slow) Applied() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.applied(time.Now())
}

// Wait returns nil when the attempt of a network may be made, at once while the
// brake is not applied. Where it cannot have a turn within ten seconds, it
// returns a fault of kind TooMany, at once where that is known. When the context
// ends while waiting it returns the context's error.
func (s *Slow) Wait(ctx context.Context, network netip.Prefix) error {
	w, err := s.enter(time.Now(), network)
	if w == nil || err != nil {
		return err
	}
	patience := time.NewTimer(slowMost)
	defer patience.Stop()
	select {
	case given := <-w.given:
		return orSlow(given)
	case <-patience.C:
		if s.leave(w) {
			return errSlow()
		}
		return orSlow(<-w.given) // at the same moment
	case <-ctx.Done():
		s.leave(w)
		return ctx.Err()
	}
}

// orSlow is nil for an attempt that was given a turn.
func orSlow(given bool) error {
	if given {
		return nil
	}
	return errSlow()
}

func errSlow() error {
	return fault.New(fault.TooMany, "too many failed logins; try again in %d seconds", slowMost/time.Second).After(slowMost)
}

// enter gives an attempt its turn, which is a nil waiter, or its place among
// those that wait.
func (s *Slow) enter(now time.Time, network netip.Prefix) (*waiter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.applied(now) {
		return nil, nil
	}
	free := s.last.Add(slowEvery).Sub(now)
	if len(s.waiting) == 0 && free <= 0 {
		s.take(now, network)
		return nil, nil
	}
	if len(s.waiting) == slowQueue {
		worst := s.worst()
		if s.rank(len(s.waiting), network) >= s.rank(worst, s.waiting[worst].network) {
			return nil, errSlow()
		}
		s.waiting[worst].given <- false
		s.waiting = slices.Delete(s.waiting, worst, worst+1)
	}
	w := &waiter{network, make(chan bool, 1)}
	s.waiting = append(s.waiting, w)
	s.arm(free)
	return w, nil
}

// arm sees to it that serve is called after a while, once.
func (s *Slow) arm(after time.Duration) {
	if !s.armed {
		s.armed = true
		time.AfterFunc(after, s.serve)
	}
}

// serve gives the turn that is due and sees to the next one.
func (s *Slow) serve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = false
	if len(s.waiting) == 0 {
		return
	}
	now, best := time.Now(), 0
	if early := s.last.Add(slowEvery).Sub(now); early > 0 { // those who waited have left, another one took the turn, and others have come
		s.arm(early)
		return
	}
	for i, w := range s.waiting {
		if s.rank(i, w.network) < s.rank(best, s.waiting[best].network) {
			best = i
		}
	}
	w := s.waiting[best]
	s.waiting = slices.Delete(s.waiting, best, best+1)
	s.take(now, w.network)
	w.given <- true
	if len(s.waiting) > 0 {
		s.arm(slowEvery)
	}
}

// leave gives up the place of a waiter, and reports whether it still waited.
func (s *Slow) leave(w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting, w)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return i >= 0
}

// take counts a turn of a network, and forgets those of more than an hour ago.
func (s *Slow) take(now time.Time, network netip.Prefix) {
	for len(s.turns) > 0 && now.Sub(s.turns[0].at).Abs() >= slowWithin {
		old := s.turns[0].network
		if s.had[old]--; s.had[old] == 0 {
			delete(s.had, old)
		}
		s.turns = s.turns[1:]
	}
	s.last = now
	s.turns = append(s.turns, turn{now, network})
	s.had[network]++
}

// rank is how many turns a network has had before the one of the waiter at place i,
// those of the waiters before it included.
func (s *Slow) rank(i int, network netip.Prefix) int {
	rank := s.had[network]
	for _, w := range s.waiting[:i] {
		if w.network == network {
			rank++
		}
	}
	return rank
}

// worst is the place of the waiter that comes last.
func (s *Slow) worst() (worst int) {
	for i, w := range s.waiting {
		if s.rank(i, w.network) >= s.rank(worst, s.waiting[worst].network) {
			worst = i
		}
	}
	return worst
}

// applied reports whether the hour has too many failures. The caller must hold mu.
func (s *Slow) applied(now time.Time) bool {
	// The absolute value, so that a clock set back releases the brake.
	oldest := s.failures[s.next]
	return !oldest.IsZero() && now.Sub(oldest).Abs() < slowWithin
}
