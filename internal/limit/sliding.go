package limit

import (
	"sync"
	"time"
)

// Sliding counts per key what was allowed in the period before each attempt: however
// the attempts lie, no stretch of that length has more than the limit. It is safe for
// concurrent use and has no goroutine. The table never has more keys than it was made
// for; when it is full, the key that was allowed something least recently makes room.
type Sliding struct {
	limit   int
	period  time.Duration
	maxKeys int

	mu     sync.Mutex
	byKey  map[string]*attempts // guarded by mu, like all below
	ends   attempts             // its next was allowed something least recently, its prev most recently
	steady steady
}

// attempts are those of a key that were allowed, in a ring ordered by the last of them.
type attempts struct {
	key        string
	times      []time.Time // the oldest first
	prev, next *attempts
}

// NewSliding makes counters that allow limit attempts per key and period, one at least.
// The table holds maxKeys keys, at least one, and 24 bytes for each attempt that counts.
func NewSliding(limit int, period time.Duration, maxKeys int) *Sliding {
	s := &Sliding{limit: max(limit, 1), period: period, maxKeys: max(maxKeys, 1)}
	s.forget()
	return s
}

func (s *Sliding) forget() {
	s.byKey = map[string]*attempts{}
	s.ends.prev, s.ends.next = &s.ends, &s.ends
}

// Take counts one attempt, unless the limit has been reached. Reset is the time until
// the oldest one counts no more, and so, after a refusal, until another is allowed. The
// times of successive calls may be slightly out of order, as those of concurrent
// requests are.
func (s *Sliding) Take(key string, now time.Time) Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, setBack := s.steady.at(now, s.period)
	if setBack { // instead of counting until the old time comes again
		s.forget()
	}
	s.dropOver(now)
	one := s.byKey[key]
	if one == nil {
		if len(s.byKey) == s.maxKeys {
			s.drop(s.ends.next)
		}
		one = &attempts{key: key}
		one.prev, one.next = one, one
		s.byKey[key] = one
	}
	for len(one.times) > 0 && s.over(one.times[0], now) {
		one.times = one.times[1:]
	}
	allowed := len(one.times) < s.limit
	if allowed {
		one.times = append(one.times, now)
		one.unlink()
		one.prev, one.next = s.ends.prev, &s.ends
		one.prev.next, one.next.prev = one, one
	}
	return Verdict{Allowed: allowed, Limit: s.limit, Remaining: s.limit - len(one.times), Reset: one.times[0].Add(s.period).Sub(now)}
}

func (s *Sliding) over(at, now time.Time) bool { return now.Sub(at) >= s.period }

// dropOver drops at most two keys of which nothing counts any more. Each call adds at
// most one, so the table shrinks, and no call pays for all the others.
func (s *Sliding) dropOver(now time.Time) {
	for range 2 {
		oldest := s.ends.next
		if oldest == &s.ends || !s.over(oldest.times[len(oldest.times)-1], now) {
			return
		}
		s.drop(oldest)
	}
}

func (s *Sliding) drop(one *attempts) {
	one.unlink()
	delete(s.byKey, one.key)
}

func (a *attempts) unlink() { a.prev.next, a.next.prev = a.next, a.prev }
