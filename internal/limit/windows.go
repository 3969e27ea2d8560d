// Package limit counts the actions of clients and reports when they exceed a limit. The
// counters are tables of bounded size in memory, so a restart clears them.
//
//	windows.go     Windows: attempts in fixed windows
//	sliding.go     Sliding: attempts in a sliding period
//	slow.go        Slow: slows down guessing of passwords
//	duplicates.go  Duplicates: recent submissions
//	budget.go      Budget: an amount shared by requests
//	slots.go       Slots: concurrent operations per key
package limit

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Windows counts the attempts of each key in fixed windows of time. The first Take of a
// key opens its window, which ends one period later. Windows is safe for concurrent use
// and has no goroutine: later calls remove expired windows. The number of keys is
// limited. When the table is full, the oldest window is removed, so that a flood of
// addresses cannot exhaust the memory.
type Windows struct {
	limit   atomic.Int64
	period  time.Duration
	maxKeys int

	mu     sync.Mutex
	byKey  map[string]*window // guarded by mu, like the fields below
	ends   window             // its next is the oldest window, and its prev the newest
	steady steady
}

// window holds the count of one key. All windows form a ring in the order of their start.
type window struct {
	key        string
	start      time.Time
	count      int
	prev, next *window
}

// Verdict is the result of one attempt.
type Verdict struct {
	// Allowed is false if the limit had already been reached.
	Allowed bool
	// Limit is the number of attempts that are allowed per window, and Remaining the number
	// that this window still allows. Both are 0 if there is no limit.
	Limit, Remaining int
	// Reset is the time until the window ends, or zero if no window is open.
	Reset time.Duration
}

// NewWindows returns a Windows that allows limit attempts per key and period. If limit is
// 0 or less, it allows everything and counts nothing. The table holds up to maxKeys keys,
// but at least one.
func NewWindows(limit int, period time.Duration, maxKeys int) *Windows {
	w := &Windows{period: period, maxKeys: max(maxKeys, 1), byKey: map[string]*window{}}
	w.ends.prev, w.ends.next = &w.ends, &w.ends
	w.SetLimit(limit)
	return w
}

// SetLimit changes the limit. The counts of open windows are kept.
func (w *Windows) SetLimit(limit int) { w.limit.Store(int64(limit)) }

// Limited reports whether there is a limit.
func (w *Windows) Limited() bool { return w.limit.Load() > 0 }

// Take allows and counts an attempt, unless the limit of the window has been reached. The
// times of successive calls may be slightly out of order, because requests are
// concurrent.
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

// GiveBack removes an attempt from the count of the key's window, if one is open.
func (w *Windows) GiveBack(key string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one := w.byKey[key]; one != nil && !w.over(one, w.clock(now)) && one.count > 0 {
		one.count--
	}
}

// Peek returns the result that Take would return, without counting an attempt.
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

// clock returns the time to use for an attempt at the given time. It never runs
// backwards, because that would break the order of the ring: an earlier time, as in
// concurrent requests, is raised to the latest time seen. If the clock has been set back
// by more than a period, clock removes all counts, because they would not expire until
// the clock reaches the old time again.
func (w *Windows) clock(now time.Time) time.Time {
	now, setBack := w.steady.at(now, w.period)
	if setBack {
		clear(w.byKey)
		w.ends.prev, w.ends.next = &w.ends, &w.ends
	}
	return now
}

// steady is a clock that does not run backwards.
type steady struct{ latest time.Time } // the latest time seen

// at returns the later of now and the latest time seen. If the clock was set back by more
// than a period, it returns now, and setBack is true.
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

// open returns the window of a key. It opens one if the key has none.
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

// dropOver removes at most two expired windows. That is enough for the table to shrink,
// because each call of Take adds at most one. The work is thus spread evenly over the
// calls.
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

// AddrKey returns the key under which the attempts of an address are counted. For IPv4 it
// is the whole address, even if it is mapped into IPv6. For IPv6 it is the /64, which is
// the network of one household. For the zero Addr it is empty, so that callers without an
// address share one count.
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
