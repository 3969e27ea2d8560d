package limit

import (
	"sync"
	"time"
)

// Sliding limits how many attempts of each key are allowed in any period of a given length. It is
// safe for concurrent use and has no goroutine. The number of keys is limited. When the table is
// full, Sliding removes the key with the least recent allowed attempt.
type Sliding struct {
	limit   int
	period  time.Duration
	maxKeys int

	mu     sync.Mutex
	byKey  map[string]*attempts // guarded by mu, like the fields below
	ends   attempts             // its next is the key that was least recently allowed, and its prev the one most recently allowed
	steady steady
}

// attempts holds the allowed attempts of one key. All keys form a ring in the order of
// their last allowed attempt.
type attempts struct {
	key        string
	times      []time.Time // the allowed attempts of the period, the oldest first
	prev, next *attempts
}

// NewSliding returns a Sliding that allows limit attempts per key and period. The table
// holds up to maxKeys keys, and takes 24 bytes for each allowed attempt. limit and
// maxKeys must be at least 1.
func NewSliding(limit int, period time.Duration, maxKeys int) *Sliding {
	s := &Sliding{limit: max(limit, 1), period: period, maxKeys: max(maxKeys, 1)}
	s.forget()
	return s
}

func (s *Sliding) forget() {
	s.byKey = map[string]*attempts{}
	s.ends.prev, s.ends.next = &s.ends, &s.ends
}

// Take allows and counts an attempt, unless the limit has been reached. Reset in the
// result is the time until the oldest counted attempt expires, after which another
// attempt is allowed. The times of successive calls may be slightly out of order, because
// requests are concurrent.
func (s *Sliding) Take(key string, now time.Time) Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, setBack := s.steady.at(now, s.period)
	if setBack { // otherwise the counts would not expire until the clock reaches the old time again
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

// dropOver removes at most two expired keys. That is enough for the table to shrink,
// because each call of Take adds at most one. The work is thus spread evenly over the
// calls.
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
