package limit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/fault"
)

func TestSlowWaits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		failures int
		apart    time.Duration // between failures
		later    time.Duration // after the last one
		want     []time.Duration
	}{
		{"nobody waits at first", 0, 0, 0, []time.Duration{0, 0, 0}},
		{"99 failures do not slow", 99, time.Second, 0, []time.Duration{0, 0, 0}},
		{"100 failures space attempts one second apart", 100, time.Second, 0, []time.Duration{0, time.Second, time.Second}},
		{"100 failures over more than an hour do not slow", 100, 37 * time.Second, 0, []time.Duration{0, 0, 0}},
		{"only the latest 100 count", 300, 30 * time.Second, 0, []time.Duration{0, time.Second, time.Second}},
		{"it ends when the hour has fewer than 100", 100, time.Second, time.Hour - 99*time.Second, []time.Duration{0, 0, 0}},
		{"it lasts until then", 100, time.Second, time.Hour - 104*time.Second, []time.Duration{0, time.Second, time.Second}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := NewSlow()
				first := time.Now().Add(-tc.later - time.Duration(tc.failures-1)*tc.apart)
				for i := range tc.failures {
					s.Failed(first.Add(time.Duration(i) * tc.apart))
				}
				var got []time.Duration
				for range tc.want {
					before := time.Now()
					if err := s.Wait(t.Context()); err != nil {
						t.Fatalf("got %v, want no error", err)
					}
					got = append(got, time.Since(before))
				}
				if !slices.Equal(got, tc.want) {
					t.Errorf("waits: got %v, want %v", got, tc.want)
				}
			})
		})
	}
}

// failOften applies the brake.
func failOften(s *Slow) {
	for range slowAfter {
		s.Failed(time.Now())
	}
}

func TestSlowNeverLocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSlow()
		failOften(s)
		var mu sync.Mutex
		passed, refused := 0, 0
		attempt := func() {
			err := s.Wait(t.Context())
			mu.Lock()
			defer mu.Unlock()
			switch f, ok := errors.AsType[*fault.Error](err); {
			case err == nil:
				passed++
			case ok && f.Kind == fault.TooMany && f.RetryAfter == slowMost:
				refused++
			default:
				t.Errorf("got %v, want a turn or a fault that says when to come again", err)
			}
		}
		var wait sync.WaitGroup
		for range 1000 {
			wait.Go(attempt)
		}
		wait.Wait()
		if passed != 11 || refused != 989 {
			t.Errorf("of 1000 at once: got %d turns and %d refused, want one now and ten within ten seconds", passed, refused)
		}
		// Those who were refused have not pushed the next one back.
		before := time.Now()
		if err := s.Wait(t.Context()); err != nil || time.Since(before) > time.Second {
			t.Errorf("the next one: got %v after %v, want a turn within a second", err, time.Since(before))
		}
	})
}

func TestSlowHonoursContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSlow()
		failOften(s)
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Wait(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: got %v, want %v", err, context.Canceled)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		before := time.Now()
		if err := s.Wait(ctx); !fault.Is(err, fault.TooMany) || time.Since(before) != 0 {
			t.Errorf("a deadline before the turn: got %v after %v, want a fault at once", err, time.Since(before))
		}
	})
}

func TestSlowForgetsAClockSetBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSlow()
		for range slowAfter {
			s.Failed(time.Now().Add(2 * time.Hour))
		}
		before := time.Now()
		for range 3 {
			if err := s.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(before); got != 0 {
			t.Errorf("got a wait of %v, want none", got)
		}
	})
}
