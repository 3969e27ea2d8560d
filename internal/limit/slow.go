package limit

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"svc/internal/fault"
)

const (
	slowAfter  = 100         // failures ...
	slowWithin = time.Hour   // ... within this time
	slowEvery  = time.Second // then one attempt in this time
	slowMost   = 10 * time.Second
)

// Slow is a brake on guessing one account's password from many addresses, each
// of which stays below its own limit. After 100 failures within an hour
// attempts are spaced one second apart, until the hour has fewer. It slows and
// never locks: a lock would be a way to lock the owner out. It is safe for
// concurrent use.
type Slow struct {
	mu       sync.Mutex
	failures [slowAfter]time.Time // the latest ones, as a ring; guarded by mu
	next     int                  // where the next one goes, so the oldest; guarded by mu

	spacing *rate.Limiter // has its own lock
}

// NewSlow makes a brake that is not applied.
func NewSlow() *Slow {
	return &Slow{spacing: rate.NewLimiter(rate.Every(slowEvery), 1)}
}

// Failed records a failed attempt. The time is of the same clock as time.Now,
// which is the one Wait goes by.
func (s *Slow) Failed(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures[s.next] = now
	s.next = (s.next + 1) % slowAfter
}

// Wait returns nil when the attempt may be made, at once while the brake is
// not applied. Where the turn would come only after more than ten seconds, or
// after the deadline of the context, it does not wait at all and returns a
// fault of kind TooMany. When the context ends while waiting it returns the
// context's error.
func (s *Slow) Wait(ctx context.Context) error {
	if !s.applied(time.Now()) {
		return nil
	}
	// The limiter refuses a turn beyond the deadline without taking it, so
	// those who are refused do not push the others back.
	within, cancel := context.WithTimeout(ctx, slowMost)
	defer cancel()
	if s.spacing.Wait(within) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return fault.New(fault.TooMany, "too many failed logins; try again in %d seconds", slowMost/time.Second).After(slowMost)
}

func (s *Slow) applied(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The absolute value, so that a clock set back releases the brake.
	oldest := s.failures[s.next]
	return !oldest.IsZero() && now.Sub(oldest).Abs() < slowWithin
}
