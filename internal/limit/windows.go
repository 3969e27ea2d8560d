// Package limit counts what callers do and says when it is too much. It holds
// bounded tables in memory and nothing else: a restart forgets them.
//
//	windows.go     Windows: attempts in fixed windows
//	sliding.go     Sliding: attempts in the time that has just passed
//	slow.go        Slow: the brake on guessing passwords
//	duplicates.go  Duplicates: what was submitted before
//	budget.go      Budget: an amount that requests share
//	slots.go       Slots: what each key has in progress
package limit

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Windows counts per key in fixed windows: the first Take of a key opens its
// window, which ends one period later. It is safe for concurrent use and has no
// goroutine: windows that are over are dropped as others come. The table never
// has more keys than it was made for; when it is full the window that opened
// first makes room, so that a flood of addresses cannot fill the memory.
type Windows struct {
	limit   atomic.Int64
	period  time.Duration
	maxKeys int

	mu     sync.Mutex
	byKey  map[string]*window // guarded by mu, like all below
	ends   window             // its next is the oldest window, its prev the newest
	steady steady
}

// window is one key's count, in a ring ordered by start.
type window struct {
	key        string
	start      time.Time
	count      int
	prev, next *window
}

// Verdict is the answer to one attempt.
type Verdict struct {
	// Allowed is false when the limit had been reached before this attempt.
	Allowed bool
	// Limit is the number of attempts in a window, Remaining what is left of it
	// in this one. Both are zero where there is no limit.
	Limit, Remaining int
	// Reset is the time until the window ends; zero where none is open.
	Reset time.Duration
}

// NewWindows makes counters that allow limit attempts per key and period. A
// limit of zero or less allows everything and counts nothing. The table holds
// maxKeys keys, at least one.
func NewWindows(limit int, period time.Duration, maxKeys int) *Windows {
	w := &Windows{period: period, maxKeys: max(maxKeys, 1), byKey: map[string]*window{}}
	w.ends.prev, w.ends.next = &w.ends, &w.ends
	w.SetLimit(limit)
	return w
}

// SetLimit changes the limit. What is counted in the open windows stays.
func (w *Windows) SetLimit(limit int) { w.limit.Store(int64(limit)) }

// Limited reports whether there is a limit.
func (w *Windows) Limited() bool { return w.limit.Load() > 0 }

// Take counts one attempt, unless the limit of the window has been reached.
// The times of successive calls may be slightly out of order, as those of
// concurrent requests are.
func (w *Windows) Take(key string, now time.Time) Verdict {
	limit := int(w.limit.Load())
	if limit <= 0 {
		return Verdict{Allowed: true}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now = w.clock(now)
	w.dropOver(now)
	one := w.open(key, now)
	allowed := one.count < limit
	if allowed {
		one.count++
	}
	return w.verdict(one, limit, allowed, now)
}

// GiveBack takes one attempt back that turned out not to count.
func (w *Windows) GiveBack(key string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one := w.byKey[key]; one != nil && !w.over(one, w.clock(now)) && one.count > 0 {
		one.count--
	}
}

// Peek answers as Take would and counts nothing.
func (w *Windows) Peek(key string, now time.Time) Verdict {
	limit := int(w.limit.Load())
	if limit <= 0 {
		return Verdict{Allowed: true}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now = w.clock(now)
	one := w.byKey[key]
	if one == nil || w.over(one, now) {
		return Verdict{Allowed: true, Limit: limit, Remaining: limit}
	}
	return w.verdict(one, limit, one.count < limit, now)
}

func (w *Windows) verdict(one *window, limit int, allowed bool, now time.Time) Verdict {
	return Verdict{
		Allowed:   allowed,
		Limit:     limit,
		Remaining: max(limit-one.count, 0),
		Reset:     one.start.Add(w.period).Sub(now),
	}
}

// clock keeps time from running backwards, which would break the order of the
// ring. Requests that overtake each other are moved up to the latest time seen.
// When the clock was really set back, by more than a period, every count is
// forgotten instead of lasting until the old time comes again.
func (w *Windows) clock(now time.Time) time.Time {
	now, setBack := w.steady.at(now, w.period)
	if setBack {
		clear(w.byKey)
		w.ends.prev, w.ends.next = &w.ends, &w.ends
	}
	return now
}

// steady is a clock that does not run backwards.
type steady struct{ latest time.Time } // the greatest time seen

// at returns now or the latest time, unless the clock was set back by more than a
// period.
func (s *steady) at(now time.Time, period time.Duration) (_ time.Time, setBack bool) {
	if back := s.latest.Sub(now); back > 0 {
		if back <= period {
			return s.latest, false
		}
		setBack = true
	}
	s.latest = now
	return now, setBack
}

func (w *Windows) over(one *window, now time.Time) bool {
	return now.Sub(one.start) >= w.period
}

// open returns the window of a key, opening one where none is.
func (w *Windows) open(key string, now time.Time) *window {
	one := w.byKey[key]
	if one != nil && !w.over(one, now) {
		return one
	}
	if one != nil {
		w.drop(one)
	} else if len(w.byKey) == w.maxKeys {
		w.drop(w.ends.next)
	}
	one = &window{key: key, start: now, prev: w.ends.prev, next: &w.ends}
	one.prev.next, one.next.prev = one, one
	w.byKey[key] = one
	return one
}

// dropOver drops at most two windows that are over. Each call adds at most one,
// so the table shrinks, and no call pays for all the others.
func (w *Windows) dropOver(now time.Time) {
	for range 2 {
		oldest := w.ends.next
		if oldest == &w.ends || !w.over(oldest, now) {
			return
		}
		w.drop(oldest)
	}
}

func (w *Windows) drop(one *window) {
	one.prev.next, one.next.prev = one.next, one.prev
	delete(w.byKey, one.key)
}

// AddrKey is the key under which an address is counted: an IPv4 address as a
// whole, also when it comes mapped into IPv6, and of an IPv6 address its /64,
// which is what one household has. The zero Addr has the empty key, so callers
// without an address share one counter.
func AddrKey(a netip.Addr) string {
	a = a.Unmap()
	if !a.IsValid() {
		return ""
	}
	if a.Is4() {
		return a.String()
	}
	return netip.PrefixFrom(a.WithZone(""), 64).Masked().String()
}
