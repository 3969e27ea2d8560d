package limit

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var start = time.Unix(1_800_000_000, 0)

func TestWindows(t *testing.T) {
	t.Parallel()
	type step struct {
		call string // "take" or "peek"
		key  string
		at   time.Duration
		want Verdict
	}
	const s = time.Second
	for _, tc := range []struct {
		name         string
		limit, table int
		steps        []step
	}{
		{"attempts are counted up to the limit", 2, 9, []step{
			{"take", "a", 0, Verdict{true, 2, 1, 60 * s}},
			{"take", "a", s, Verdict{true, 2, 0, 59 * s}},
			{"take", "a", 2 * s, Verdict{false, 2, 0, 58 * s}},
		}},
		{"keys are counted apart", 1, 9, []step{
			{"take", "a", 0, Verdict{true, 1, 0, 60 * s}},
			{"take", "b", s, Verdict{true, 1, 0, 60 * s}},
			{"take", "a", s, Verdict{false, 1, 0, 59 * s}},
		}},
		{"a window ends a period after its first attempt, not its last", 1, 9, []step{
			{"take", "a", 0, Verdict{true, 1, 0, 60 * s}},
			{"take", "a", 60*s - 1, Verdict{false, 1, 0, 1}},
			{"take", "a", 60 * s, Verdict{true, 1, 0, 60 * s}},
		}},
		{"peek does not count", 1, 9, []step{
			{"peek", "a", 0, Verdict{true, 1, 1, 0}},
			{"take", "a", 0, Verdict{true, 1, 0, 60 * s}},
			{"peek", "a", s, Verdict{false, 1, 0, 59 * s}},
			{"peek", "a", 60 * s, Verdict{true, 1, 1, 0}},
		}},
		{"no limit allows everything", 0, 9, []step{
			{"take", "a", 0, Verdict{Allowed: true}},
			{"peek", "a", 0, Verdict{Allowed: true}},
		}},
		{"a limit below zero is none", -1, 9, []step{{"take", "a", 0, Verdict{Allowed: true}}}},
		{"a full table drops the window that opened first", 1, 2, []step{
			{"take", "a", 0, Verdict{true, 1, 0, 60 * s}},
			{"take", "b", s, Verdict{true, 1, 0, 60 * s}},
			{"take", "a", 2 * s, Verdict{false, 1, 0, 58 * s}},
			{"take", "c", 3 * s, Verdict{true, 1, 0, 60 * s}},
			{"peek", "b", 4 * s, Verdict{false, 1, 0, 57 * s}},
			{"peek", "a", 4 * s, Verdict{true, 1, 1, 0}},
		}},
		{"a window opened again is young", 1, 2, []step{
			{"take", "a", 0, Verdict{true, 1, 0, 60 * s}},
			{"take", "b", 30 * s, Verdict{true, 1, 0, 60 * s}},
			{"take", "a", 60 * s, Verdict{true, 1, 0, 60 * s}},
			{"take", "c", 61 * s, Verdict{true, 1, 0, 60 * s}},
			{"peek", "a", 62 * s, Verdict{false, 1, 0, 58 * s}},
		}},
		{"a table of no keys holds one", 1, 0, []step{
			{"take", "a", 0, Verdict{true, 1, 0, 60 * s}},
			{"take", "a", 0, Verdict{false, 1, 0, 60 * s}},
		}},
		{"requests that overtake each other do not lengthen a window", 1, 9, []step{
			{"take", "a", s, Verdict{true, 1, 0, 60 * s}},
			{"take", "a", 0, Verdict{false, 1, 0, 60 * s}},
		}},
		{"a clock set back by more than a period forgets the counts", 1, 9, []step{
			{"take", "a", 3600 * s, Verdict{true, 1, 0, 60 * s}},
			{"peek", "a", 0, Verdict{true, 1, 1, 0}},
			{"take", "a", 0, Verdict{true, 1, 0, 60 * s}},
			{"take", "a", s, Verdict{false, 1, 0, 59 * s}},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := NewWindows(tc.limit, time.Minute, tc.table)
			for i, st := range tc.steps {
				call := w.Take
				if st.call == "peek" {
					call = w.Peek
				}
				if got := call(st.key, start.Add(st.at)); got != st.want {
					t.Errorf("step %d, %s %s after %v: got %+v, want %+v", i, st.call, st.key, st.at, got, st.want)
				}
			}
		})
	}
}

// naiveWindows is a simple implementation of Windows.
type naiveWindows struct {
	limit, maxKeys int
	period         time.Duration
	windows        map[string]naiveWindow
}

type naiveWindow struct {
	start time.Time
	count int
}

func (n *naiveWindows) ask(key string, now time.Time, count bool) Verdict {
	for k, w := range n.windows {
		if now.Sub(w.start) >= n.period {
			delete(n.windows, k)
		}
	}
	w, ok := n.windows[key]
	if !ok {
		if !count {
			return Verdict{Allowed: true, Limit: n.limit, Remaining: n.limit}
		}
		if len(n.windows) == n.maxKeys {
			first := ""
			for k, other := range n.windows {
				if first == "" || other.start.Before(n.windows[first].start) {
					first = k
				}
			}
			delete(n.windows, first)
		}
		w.start = now
	}
	v := Verdict{Allowed: w.count < n.limit, Limit: n.limit, Reset: w.start.Add(n.period).Sub(now)}
	if count && v.Allowed {
		w.count++
	}
	if count {
		n.windows[key] = w
	}
	v.Remaining = n.limit - w.count
	return v
}

func TestWindowsEqualNaiveMap(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range 20 {
		limit, period, maxKeys := 1+random.IntN(4), time.Duration(1+random.IntN(200)), 1+random.IntN(20)
		w := NewWindows(limit, period, maxKeys)
		naive := naiveWindows{limit, maxKeys, period, map[string]naiveWindow{}}
		now := start
		for step := range 5000 {
			now = now.Add(time.Duration(1 + random.IntN(8)*random.IntN(8)))
			key := fmt.Sprint(random.IntN(1 + random.IntN(40)))
			call, count := w.Take, random.IntN(4) > 0
			if !count {
				call = w.Peek
			}
			got, want := call(key, now), naive.ask(key, now, count)
			if got != want {
				t.Fatalf("round %d, step %d, key %s, count %v: got %+v, want %+v", round, step, key, count, got, want)
			}
			checkWindows(t, w)
		}
	}
}

// checkWindows checks the invariants of the table.
func checkWindows(t *testing.T, w *Windows) {
	t.Helper()
	if len(w.byKey) > w.maxKeys {
		t.Fatalf("%d keys in the table, want at most %d", len(w.byKey), w.maxKeys)
	}
	n := 0
	for one := w.ends.next; one != &w.ends; one = one.next {
		if w.byKey[one.key] != one || one.next.prev != one {
			t.Fatalf("window %q is in the ring, but not in the table", one.key)
		}
		if one.prev != &w.ends && one.start.Before(one.prev.start) {
			t.Fatalf("window %q is older than the one before it", one.key)
		}
		if n++; n > len(w.byKey) {
			t.Fatal("the ring is longer than the table")
		}
	}
	if n != len(w.byKey) {
		t.Fatalf("%d windows in the ring, want %d", n, len(w.byKey))
	}
}

func TestWindowsShrink(t *testing.T) {
	t.Parallel()
	w := NewWindows(1, time.Minute, 1000)
	for i := range 1000 {
		w.Take(fmt.Sprint(i), start)
	}
	for range 1000 {
		w.Take("a", start.Add(time.Minute))
	}
	if got := len(w.byKey); got != 1 {
		t.Errorf("got %d keys, want only the one in use", got)
	}
	checkWindows(t, w)
}

func TestWindowsConcurrently(t *testing.T) {
	t.Parallel()
	const limit, callers, attempts = 300, 8, 2000
	w := NewWindows(limit, time.Hour, 100)
	var allowed atomic.Int64
	var wait sync.WaitGroup
	for c := range callers {
		wait.Go(func() {
			for i := range attempts {
				// times of concurrent callers are out of order
				now := start.Add(time.Duration(i))
				if w.Take("shared", now).Allowed {
					allowed.Add(1)
				}
				w.Take(fmt.Sprintf("own %d %d", c, i%10), now)
				w.Peek("shared", now)
			}
		})
	}
	wait.Wait()
	checkWindows(t, w)
	if got := allowed.Load(); got != limit {
		t.Errorf("got %d attempts allowed, want %d", got, limit)
	}
}

func TestAddrKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		addr netip.Addr
		want string
	}{
		{"IPv4 as a whole", netip.MustParseAddr("192.0.2.7"), "192.0.2.7"},
		{"IPv4 mapped into IPv6", netip.MustParseAddr("::ffff:192.0.2.7"), "192.0.2.7"},
		{"the /64 of IPv6", netip.MustParseAddr("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64"},
		{"a zone does not matter", netip.MustParseAddr("fe80::1%eth0"), "fe80::/64"},
		{"no address", netip.Addr{}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := AddrKey(tc.addr); got != tc.want {
				t.Errorf("AddrKey(%v): got %q, want %q", tc.addr, got, tc.want)
			}
		})
	}
}

func BenchmarkWindows(b *testing.B) {
	b.Run("one_key", func(b *testing.B) {
		w := NewWindows(300, time.Minute, 1000)
		b.ReportAllocs()
		for b.Loop() {
			w.Take("192.0.2.7", start)
		}
	})
	b.Run("full_table", func(b *testing.B) {
		w := NewWindows(300, time.Minute, 100_000)
		keys := make([]string, 200_000)
		for i := range keys {
			keys[i] = fmt.Sprint(i)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			w.Take(keys[i%len(keys)], start.Add(time.Duration(i)))
		}
	})
}

func TestGiveBack(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_000_000, 0)
	w := NewWindows(2, time.Minute, 10)
	w.GiveBack("new", start) // this must not create a window
	for range 5 {
		if v := w.Take("a", start); !v.Allowed {
			t.Fatalf("refused although every attempt was given back: %+v", v)
		}
		w.GiveBack("a", start)
	}
	w.Take("a", start)
	w.Take("a", start)
	if v := w.Take("a", start); v.Allowed {
		t.Fatalf("a third attempt passed: %+v", v)
	}
	w.GiveBack("a", start.Add(time.Minute)) // the window has expired
	w.Take("a", start.Add(time.Minute))
	w.Take("a", start.Add(time.Minute))
	if v := w.Take("a", start.Add(time.Minute)); v.Allowed {
		t.Errorf("the next window allowed more than its limit: %+v", v)
	}
}
