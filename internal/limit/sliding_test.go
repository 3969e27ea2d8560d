package limit

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSliding checks which attempts of one key are allowed.
func TestSliding(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		at   []time.Duration // times of the attempts, since the start
		want string          // y = allowed, n = refused
	}{
		{"the fourth within the hour is refused", []time.Duration{0, 1, 2, 3}, "yyyn"},
		{"an hour after the first one another is allowed", []time.Duration{0, 30 * time.Minute, 50 * time.Minute, time.Hour - 1, time.Hour, time.Hour}, "yyynyn"},
		{"two hours that touch have no more than one", []time.Duration{59 * time.Minute, 59 * time.Minute, 59 * time.Minute, 61 * time.Minute, 61 * time.Minute}, "yyynn"},
		{"what is refused is not counted", []time.Duration{0, 0, 0, 59 * time.Minute, 59 * time.Minute, time.Hour, time.Hour, time.Hour, time.Hour}, "yyynnyyyn"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, begin := NewSliding(3, time.Hour, 10), time.Now()
				got := ""
				for _, at := range tc.at {
					<-time.After(at - time.Since(begin))
					v := s.Take("a", time.Now())
					if v.Allowed {
						got += "y"
					} else {
						got += "n"
					}
					checkSliding(t, s)
				}
				if got != tc.want {
					t.Errorf("got %s, want %s", got, tc.want)
				}
			})
		})
	}
}

// TestSlidingReset checks that, after a refusal, the next attempt is allowed when the
// time Reset has passed, and not earlier.
func TestSlidingReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSliding(2, time.Hour, 10)
		s.Take("a", time.Now())
		<-time.After(20 * time.Minute)
		if v := s.Take("a", time.Now()); v != (Verdict{Allowed: true, Limit: 2, Remaining: 0, Reset: 40 * time.Minute}) {
			t.Errorf("the second: got %+v", v)
		}
		v := s.Take("a", time.Now())
		if v != (Verdict{Limit: 2, Reset: 40 * time.Minute}) {
			t.Errorf("the third: got %+v", v)
		}
		<-time.After(v.Reset - 1)
		if s.Take("a", time.Now()).Allowed {
			t.Error("it was allowed too early")
		}
		<-time.After(1)
		if !s.Take("a", time.Now()).Allowed {
			t.Error("it was refused after the wait")
		}
		if !s.Take("", time.Now()).Allowed {
			t.Error("another key was refused")
		}
	})
}

// TestSlidingWithClockSetBack checks that all counts are removed if the clock is set
// back.
func TestSlidingWithClockSetBack(t *testing.T) {
	t.Parallel()
	s := NewSliding(1, time.Hour, 10)
	s.Take("a", start)
	if s.Take("a", start.Add(-time.Hour)).Allowed {
		t.Error("a request that was overtaken is counted in another period")
	}
	if !s.Take("a", start.Add(-time.Hour-1)).Allowed {
		t.Error("the clock was set back, and the count stays")
	}
	checkSliding(t, s)
}

func TestSlidingIsBounded(t *testing.T) {
	t.Parallel()
	s := NewSliding(1, time.Hour, 100)
	s.Take("early", start)
	for i := range 1000 {
		s.Take(fmt.Sprint(i), start.Add(time.Duration(i)))
	}
	checkSliding(t, s)
	if len(s.byKey) != 100 || s.Take("950", start.Add(1000)).Allowed || !s.Take("early", start.Add(1000)).Allowed {
		t.Errorf("got %d keys, want the 100 that were allowed something last", len(s.byKey))
	}
	for i := range 1000 {
		s.Take("a", start.Add(2*time.Hour+time.Duration(i)))
	}
	if len(s.byKey) != 1 {
		t.Errorf("got %d keys, want only the one in use", len(s.byKey))
	}
	checkSliding(t, s)
}

// TestSlidingEqualsNaiveList compares the results of random attempts with those of a
// plain list of the allowed attempts.
func TestSlidingEqualsNaiveList(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range 20 {
		limit, period := 1+random.IntN(4), time.Duration(1+random.IntN(200))
		s := NewSliding(limit, period, 40)
		allowed := map[string][]time.Time{}
		now := start
		for step := range 3000 {
			now = now.Add(time.Duration(random.IntN(8) * random.IntN(8)))
			key := fmt.Sprint(random.IntN(1 + random.IntN(40)))
			within := 0
			for _, at := range allowed[key] {
				if now.Sub(at) < period {
					within++
				}
			}
			if want := within < limit; s.Take(key, now).Allowed != want {
				t.Fatalf("round %d, step %d, key %s: got %v, want %v", round, step, key, !want, want)
			}
			if within < limit {
				allowed[key] = append(allowed[key], now)
			}
			checkSliding(t, s)
		}
	}
}

func TestSlidingConcurrently(t *testing.T) {
	t.Parallel()
	s := NewSliding(300, time.Hour, 100)
	var allowed atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := range 1000 {
				if s.Take("shared", start.Add(time.Duration(i))).Allowed {
					allowed.Add(1)
				}
			}
		})
	}
	wait.Wait()
	checkSliding(t, s)
	if got := allowed.Load(); got != 300 {
		t.Errorf("got %d attempts allowed, want 300", got)
	}
}

// checkSliding checks the invariants of the table.
func checkSliding(t *testing.T, s *Sliding) {
	t.Helper()
	if len(s.byKey) > s.maxKeys {
		t.Fatalf("%d keys in the table, want at most %d", len(s.byKey), s.maxKeys)
	}
	n, last := 0, time.Time{}
	for one := s.ends.next; one != &s.ends && n <= len(s.byKey); one = one.next {
		n++
		if s.byKey[one.key] != one || one.next.prev != one {
			t.Fatalf("key %q is in the ring, but not in the table", one.key)
		}
		if len(one.times) == 0 || len(one.times) > s.limit || one.times[len(one.times)-1].Before(last) {
			t.Fatalf("key %q has %d attempts, of at most %d, or is out of order", one.key, len(one.times), s.limit)
		}
		last = one.times[len(one.times)-1]
	}
	if n != len(s.byKey) {
		t.Fatalf("%d keys in the ring, want %d", n, len(s.byKey))
	}
}
