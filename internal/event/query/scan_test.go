package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"svc/internal/event/block"
	"svc/internal/fault"
	"svc/internal/stats"
)

// secondsPart returns a part in which only the column of seconds is set.
func secondsPart(hour int64, seconds []uint16) *block.Columns {
	r := block.Rows{Seconds: seconds, Senders: []block.Sender{{Subject: 1}}}
	r.Names, r.SenderOf, r.Props = make([]uint32, len(seconds)), make([]uint32, len(seconds)), make([]block.Properties, len(seconds))
	return columnsOf(hour, &r)
}

// TestInOrder checks that the rows of several parts are visited in order of time, then
// part, then row, and that only rows in the range are visited.
func TestInOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 1))
		spread := 1 + random.IntN(40) // few distinct seconds, so that many rows have equal times
		parts := make([]*block.Columns, random.IntN(5))
		for i := range parts {
			seconds := make([]uint16, random.IntN(30))
			for row := range seconds {
				seconds[row] = uint16(random.IntN(spread) * (hourSeconds / spread))
			}
			slices.Sort(seconds)
			parts[i] = secondsPart(monday, seconds)
		}
		r := Range{Start: monday - 10 + int64(random.IntN(hourSeconds)), End: monday + hourSeconds + 10}
		r.End = r.Start + random.Int64N(r.End-r.Start)
		type row struct{ second, part, row int }
		var want, got []row
		for i, p := range parts {
			for at := range p.N {
				if moment := monday + int64(p.Second(at)); moment >= r.Start && moment <= r.End {
					want = append(want, row{p.Second(at), i, at})
				}
			}
		}
		slices.SortFunc(want, func(a, b row) int {
			return slices.Compare([]int{a.second, a.part, a.row}, []int{b.second, b.part, b.row})
		})
		inOrder(parts, r, func(at, low, high int) {
			for ; low < high; low++ {
				got = append(got, row{parts[at].Second(low), at, low})
			}
		})
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\ngot  %v\nwant %v", seed, got, want)
		}
	}
}

// TestInOrderVisitsWholeParts checks that a part is visited in a single call if its rows
// do not interleave with those of other parts.
func TestInOrderVisitsWholeParts(t *testing.T) {
	t.Parallel()
	parts := []*block.Columns{secondsPart(monday, make([]uint16, 5000)), secondsPart(monday, slices.Repeat([]uint16{7}, 3000))}
	visits := 0
	inOrder(parts, Range{Start: monday, End: monday + hourSeconds}, func(_, low, high int) {
		visits++
		if low != 0 || high < 3000 {
			t.Errorf("visit from %d to %d, want a whole part", low, high)
		}
	})
	if visits != 2 {
		t.Errorf("got %d visits, want 2", visits)
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, exampleFacts(), func(int) int { return 0 })
	t.Run("the workers own each number once", func(t *testing.T) {
		t.Parallel()
		owners := map[uint32]int{}
		for shift := range uint32(3) {
			seen := map[[2]uint32]bool{}
			for own := range uint32(1 << shift) {
				for number := uint32(1); number < 100; number++ {
					if slot := (worker{own, shift}).slot(number); slot != 0 {
						owners[number]++
						seen[[2]uint32{own, slot}] = true
					}
				}
			}
			if len(seen) != 99 {
				t.Errorf("%d workers: got %d different places for 99 numbers", 1<<shift, len(seen))
			}
		}
		for number, n := range owners {
			if n != 3 {
				t.Errorf("number %d has %d owners in 3 divisions", number, n)
			}
		}
	})
	t.Run("an error of one reaches the caller and stops the others", func(t *testing.T) {
		t.Parallel()
		broken := errors.New("broken")
		_, err := spread(w.query(t.Context(), exampleRange()), func(q *query, w worker) (int, error) {
			if w.own == 0 {
				return 0, broken
			}
			<-q.ctx.Done()
			return 0, q.ctx.Err()
		})
		if !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	})
	t.Run("a panic goes on in the caller", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if p := fmt.Sprint(recover()); !strings.HasPrefix(p, "bug") {
				t.Errorf("got %.40q, want the panic", p)
			}
		}()
		_, _ = spread(w.query(t.Context(), exampleRange()), func(*query, worker) (int, error) { panic("bug") })
	})
	t.Run("a query that nobody waits for ends", func(t *testing.T) {
		t.Parallel()
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, _, err := w.query(ctx, exampleRange()).uniques(); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
	t.Run("a damaged hour is an error", func(t *testing.T) {
		t.Parallel()
		q, broken := w.query(t.Context(), exampleRange()), errors.New("broken")
		q.hours[1].Open = func([]*block.Columns) ([]*block.Columns, error) { return nil, broken }
		if _, err := q.funnel(FunnelQuery{Range: q.Range, Steps: stepsOf("open", "buy"), Window: 60}); !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	})
}

// TestMemoryIsBounded checks that every analysis that stores state limits its memory, and
// that the error for an exceeded limit explains how to reduce the query.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, exampleFacts(), func(int) int { return 0 })
	m := MetricQuery{Events: []MetricEvent{{Name: "open", Measure: MeasureUsers}}, GroupBy: ByProperty, Property: "plan", Limit: 20}
	for name, ask := range map[string]func(q *query) error{
		"funnel": func(q *query) error {
			_, err := q.funnel(FunnelQuery{Range: q.Range, Steps: stepsOf("open", "buy")})
			return err
		},
		"cohorts": func(q *query) error {
			_, err := q.cohorts(CohortQuery{Range: q.Range, StartEvent: "open", Periods: 2})
			return err
		},
		"paths":   func(q *query) error { _, err := q.paths(PathsQuery{Range: q.Range, Depth: 2}); return err },
		"uniques": func(q *query) error { _, _, err := q.uniques(); return err },
		"properties": func(q *query) error {
			_, err := q.propertyBreakdown(BreakdownQuery{Range: q.Range, Property: "plan"})
			return err
		},
		"tally":  func(q *query) error { _, err := q.totals(m, stats.Whole(q.Start, q.End)); return err },
		"groups": func(q *query) error { _, err := q.metricBreakdown(m); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := w.query(t.Context(), exampleRange())
			q.memory.max = 10
			err := ask(q)
			if want := "it needs more than 0 MiB of memory: ask for less"; !fault.Is(err, fault.Invalid) || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	memory := &budget{max: 1 << 30}
	s, other := newBitset(memory), newBitset(memory)
	want := map[uint32]bool{}
	random := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		n := random.Uint32N(1 << (1 + random.IntN(24)))
		if got := s.add(n); got == want[n] {
			t.Fatalf("add %d: got %v", n, got)
		}
		want[n] = true
		other.add(n + 1)
	}
	if s.len() != int64(len(want)) {
		t.Errorf("got %d numbers, want %d", s.len(), len(want))
	}
	both := maps.Clone(want) // an element with n in one set has n + 1 in the other
	for n := range want {
		both[n+1] = true
	}
	s.union(other)
	if s.len() != int64(len(both)) {
		t.Errorf("got %d numbers of both, want %d", s.len(), len(both))
	}
	left := s.without(other, memory) // s now contains the elements of both
	for n := range both {
		if want := !want[n-1]; left.add(n) != !want {
			t.Fatalf("%d: got it left or not, want %v", n, want)
		}
	}
	if got := s.common(other); got != other.len() {
		t.Errorf("got %d numbers in common, want %d", got, other.len())
	}
	if used := memory.used.Load(); used == 0 {
		t.Error("pages take no memory")
	}
	for _, set := range []*bitset{s, other, left} {
		set.clear()
		if set.len() != 0 {
			t.Errorf("got %d numbers after clear", set.len())
		}
		set.release()
	}
	if used := memory.used.Load(); used != 0 {
		t.Errorf("got %d bytes in use after release", used)
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	m := members{memory: &budget{max: 1 << 30}}
	want := map[[2]uint32]bool{}
	random := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		group, slot := random.Uint32N(2*maxSets), 1+random.Uint32N(300)
		if got := m.add(group, slot); got == want[[2]uint32{group, slot}] {
			t.Fatalf("add %d to %d: got %v", slot, group, got)
		}
		want[[2]uint32{group, slot}] = true
	}
	if m.made != maxSets || m.n == 0 {
		t.Errorf("got %d sets and %d pairs, want %d and some", m.made, m.n, maxSets)
	}
}
