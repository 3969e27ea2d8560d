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
	slowAfter  = 100              // number of failures after which attempts are limited
	slowWithin = time.Hour        // only failures within this time count
	slowEvery  = time.Second      // interval at which one attempt is allowed while attempts are limited
	slowMost   = 10 * time.Second // maximum time that an attempt waits for its turn
	slowQueue  = 9                // maximum number of waiting attempts, so that each has its turn within slowMost
)

// Slow slows down attempts to guess one account's password from many addresses, each of
// which stays below its own limit. After 100 failures within an hour, it allows only one
// attempt per second, until the last hour has fewer failures.
//
// Networks share these attempts fairly: the next attempt is given to the network that had
// the fewest within the last hour. Many attempts from some networks therefore do not
// exclude the others. Slow never locks an account, because an attacker could use that to
// exclude the account's owner. Slow is safe for concurrent use.
type Slow struct {
	mu       sync.Mutex
	failures [slowAfter]time.Time // times of the latest failures, as a ring; guarded by mu, like the fields below
	next     int                  // index of the oldest failure, which is replaced next

	last    time.Time            // time of the last turn
	turns   []turn               // turns of the last hour, the oldest first
	had     map[netip.Prefix]int // number of turns of each network
	waiting []*waiter            // the waiting attempts, in the order in which they arrived
	armed   bool                 // whether a call of serve is scheduled
}

// turn is an attempt that was allowed while attempts were limited.
type turn struct {
	at      time.Time
	network netip.Prefix
}

// waiter is an attempt that waits for its turn.
type waiter struct {
	network netip.Prefix
	given   chan bool // receives true if the attempt gets its turn, and false if another attempt has displaced it
}

// NewSlow returns a Slow without failures.
func NewSlow() *Slow { return &Slow{had: map[netip.Prefix]int{}} }

// Network returns the network of an address: the /24 of an IPv4 address or the /48 of an
// IPv6 address. The network of the zero Addr is the zero Prefix.
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

// Failed records a failed attempt at the given time, which must come from time.Now, the
// clock that Wait uses.
func (s *Slow) Failed(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures[s.next] = now
	s.next = (s.next + 1) % slowAfter
}

// Applied reports whether attempts are limited at present.
func (s *Slow) Applied() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.applied(time.Now())
}

// Wait blocks until an attempt from the given network may be made. It returns immediately
// if attempts are not limited. If the attempt cannot have its turn within ten seconds,
// Wait returns a fault of kind TooMany as soon as that is known. If the context ends
// first, Wait returns the context's error.
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
		return orSlow(<-w.given) // the turn may have been given at the same moment
	case <-ctx.Done():
		s.leave(w)
		return ctx.Err()
	}
}

// orSlow returns nil if an attempt has been given a turn, and a fault of kind TooMany
// otherwise.
func orSlow(given bool) error {
	if given {
		return nil
	}
	return errSlow()
}

func errSlow() error {
	return fault.New(fault.TooMany, "too many failed logins; try again in %d seconds", slowMost/time.Second).After(slowMost)
}

// enter returns nil if the attempt need not wait, and records its turn if attempts are limited.
// Otherwise it adds a waiter for the attempt to the queue and returns the waiter. If the queue is
// full, enter rejects whichever attempt would be served last: it removes that waiter, or returns a
// fault of kind TooMany if it is the new attempt.
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

// arm schedules a call of serve after the given time, unless one is already scheduled.
func (s *Slow) arm(after time.Duration) {
	if !s.armed {
		s.armed = true
		time.AfterFunc(after, s.serve)
	}
}

// serve gives a turn to the next waiter and schedules the turn after that.
func (s *Slow) serve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = false
	if len(s.waiting) == 0 {
		return
	}
	now, best := time.Now(), 0
	if early := s.last.Add(slowEvery).Sub(now); early > 0 { // another attempt had a turn after all waiters had left
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

// leave removes a waiter and reports whether it was still waiting.
func (s *Slow) leave(w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting, w)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return i >= 0
}

// take records a turn of a network, and removes the turns that are older than an hour.
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

// rank returns the number of turns that a network had within the last hour, plus the number of its
// waiters before index i of the queue. The waiter with the lowest rank is served next.
func (s *Slow) rank(i int, network netip.Prefix) int {
	rank := s.had[network]
	for _, w := range s.waiting[:i] {
		if w.network == network {
			rank++
		}
	}
	return rank
}

// worst returns the index of the waiter that would be served last.
func (s *Slow) worst() (worst int) {
	for i, w := range s.waiting {
		if s.rank(i, w.network) >= s.rank(worst, s.waiting[worst].network) {
			worst = i
		}
	}
	return worst
}

// applied reports whether attempts are limited. The caller must hold mu.
func (s *Slow) applied(now time.Time) bool {
	// the absolute value, so that the limit also ends if the clock is set back
	oldest := s.failures[s.next]
	return !oldest.IsZero() && now.Sub(oldest).Abs() < slowWithin
}
