package counter_test

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"svc/internal/counter"
)

// key is a key in the tests. It consists of a group and a text.
type key struct {
	group uint32
	text  string
}

// pair is a combination of two keys.
type pair struct{ a, b key }

func (p pair) keys() iter.Seq[key] { return slices.Values([]key{p.a, p.b}) }

// newCounter returns a counter that splits pairs when it holds a hundred of them.
func newCounter(most, perGroup int) *counter.Counter[pair, key] {
	return counter.New(counter.Rules[pair, key]{
		Combinations: 100, Keys: pair.keys,
		Keep: func(p pair) pair {
			p.a.text, p.b.text = strings.Clone(p.a.text), strings.Clone(p.b.text)
			return p
		},
		Most: most, PerGroup: perGroup,
		Group: func(k key) uint32 { return k.group },
		Fold:  func(k key) key { return key{k.group, "(other)"} },
	})
}

func sum(counts map[key]uint64) (total uint64) {
	for _, n := range counts {
		total += n
	}
	return total
}

func TestCountsUntilDrained(t *testing.T) {
	t.Parallel()
	c := newCounter(100, 100)
	a, b := key{1, "a"}, key{2, "a"}
	if got := c.Drain(); got != nil {
		t.Errorf("nothing counted: got %v, want nil", got)
	}
	c.Add(pair{a, b})
	c.Add(pair{a, b})
	c.Add(pair{a, a})
	want := map[key]uint64{a: 4, b: 2}
	if got := c.Drain(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	c.Add(pair{b, b})
	if got, want := c.Drain(), map[key]uint64{b: 2}; !maps.Equal(got, want) {
		t.Errorf("after a drain: got %v, want %v", got, want)
	}
}

func TestRestoreIsAsIfNeverDrained(t *testing.T) {
	t.Parallel()
	c := newCounter(100, 100)
	a, b := key{1, "a"}, key{1, "b"}
	c.Add(pair{a, b})
	taken := c.Drain()
	c.Add(pair{a, a})
	c.Restore(taken)
	if got, want := c.Drain(), (map[key]uint64{a: 3, b: 1}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestWhatIsHeldIsKept checks that the counter keeps copies that do not refer to the
// caller's memory.
func TestWhatIsHeldIsKept(t *testing.T) {
	t.Parallel()
	const times = 1000
	var calls atomic.Int64
	c := counter.New(counter.Rules[string, string]{
		Combinations: 10, Most: 10, PerGroup: 10,
		Keys: func(s string) iter.Seq[string] { return slices.Values([]string{s, s + s}) },
		Keep: func(s string) string {
			calls.Add(1)
			return strings.Clone(s)
		},
		Group: func(string) uint32 { return 0 },
		Fold:  func(s string) string { return s },
	})
	callers := []byte("ab")
	for range times {
		c.Add(unsafe.String(&callers[0], len(callers)))
	}
	callers[0] = 'x'
	if got, want := c.Drain(), (map[string]uint64{"ab": times, "abab": times}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := calls.Load(); n > int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("got %d calls for one combination, want one on each core that counted", n)
	}
}

// TestManyCombinations checks the count of each key after many pairs have been split
// repeatedly.
func TestManyCombinations(t *testing.T) {
	t.Parallel()
	const side = 120
	c := newCounter(1000, 1000)
	for i := range side {
		for j := range side {
			c.Add(pair{key{1, fmt.Sprint("a", i)}, key{2, fmt.Sprint("b", j)}})
		}
	}
	got := c.Drain()
	if len(got) != 2*side {
		t.Errorf("got %d keys, want %d", len(got), 2*side)
	}
	for k, n := range got {
		if n != side {
			t.Errorf("%v: got %d, want %d", k, n, side)
		}
	}
}

// TestBounds checks the limits. Because they apply to each core, the test counts with
// Restore, which uses only the first part.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		most, perGroup int
		groups, texts  int // each text of each group is counted once
		keys, dropped  int // number of keys that are held, and number of counts that are dropped
	}{
		{"all fit", 10, 10, 2, 5, 10, 0},
		{"a full group has one more key, the coarse one", 100, 10, 1, 50, 11, 0},
		{"another group has its own room", 100, 10, 2, 50, 22, 0},
		{"without room each later group has its coarse key", 10, 10, 4, 10, 13, 0},
		{"coarse keys are not without bound either", 10, 10, 40, 10, 20, 400 - 110},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newCounter(tc.most, tc.perGroup)
			for g := range tc.groups {
				for i := range tc.texts {
					c.Restore(map[key]uint64{{uint32(g), fmt.Sprint(i)}: 1})
				}
			}
			got := c.Drain()
			if len(got) != tc.keys {
				t.Errorf("got %d keys, want %d: %v", len(got), tc.keys, got)
			}
			if c.Dropped() != uint64(tc.dropped) {
				t.Errorf("got %d dropped, want %d", c.Dropped(), tc.dropped)
			}
			if total, want := sum(got)+c.Dropped(), uint64(tc.groups*tc.texts); total != want {
				t.Errorf("got %d counted or dropped, want %d", total, want)
			}
		})
	}
}

func TestDrainMakesRoom(t *testing.T) {
	t.Parallel()
	c := newCounter(10, 5)
	for round := range 3 {
		for i := range 5 {
			c.Restore(map[key]uint64{{1, fmt.Sprint(round, i)}: 1})
		}
		if got := c.Drain(); len(got) != 5 || got[key{1, "(other)"}] != 0 {
			t.Errorf("round %d: got %v, want the five keys", round, got)
		}
	}
}

// TestNothingIsLostBetweenDrains checks that counts are neither lost nor repeated if all
// cores count during calls of Drain.
func TestNothingIsLostBetweenDrains(t *testing.T) {
	t.Parallel()
	const workers, each = 8, 20_000
	c := newCounter(1<<20, 1<<20)
	want := make([]map[key]uint64, workers)
	var counting sync.WaitGroup
	for w := range workers {
		counting.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			want[w] = map[key]uint64{}
			for range each {
				one := pair{key{uint32(random.IntN(3)), fmt.Sprint(random.IntN(50))}, key{3, fmt.Sprint(random.IntN(50))}}
				c.Add(one)
				want[w][one.a]++
				want[w][one.b]++
			}
		})
	}
	done := make(chan struct{})
	go func() {
		counting.Wait()
		close(done)
	}()
	got := map[key]uint64{}
	add := func(counts map[key]uint64) {
		for k, n := range counts {
			got[k] += n
		}
	}
	for drains := 0; ; drains++ {
		select {
		case <-done:
			add(c.Drain())
			all := map[key]uint64{}
			for _, one := range want {
				for k, n := range one {
					all[k] += n
				}
			}
			if !maps.Equal(got, all) {
				t.Errorf("got %d of %d after %d drains", sum(got), sum(all), drains)
			}
			return
		default:
			if taken := c.Drain(); drains%3 == 0 {
				c.Restore(taken)
			} else {
				add(taken)
			}
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	c := newCounter(1<<14, 1<<13)
	all := make([]pair, 90)
	for i := range all {
		all[i] = pair{key{uint32(i % 10), fmt.Sprintf("1.%d.0-beta.2", i)}, key{uint32(i % 10), fmt.Sprintf("10.%d", i)}}
	}
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for i := 0; p.Next(); i++ {
			c.Add(all[i%len(all)])
		}
	})
}
