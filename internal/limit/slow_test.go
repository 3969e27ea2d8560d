package limit

import (
	"context"
	"errors"
	"net/netip"
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
		apart    time.Duration // time between two failures
		later    time.Duration // time after the last failure
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
					if err := s.Wait(t.Context(), home); err != nil {
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

// home is the network of a legitimate user.
var home = Network(netip.MustParseAddr("203.0.113.7"))

// failOften records enough failures for attempts to be limited.
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
			err := s.Wait(t.Context(), home)
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
		if passed != 10 || refused != 990 {
			t.Errorf("of 1000 at once: got %d turns and %d refused, want one now and nine within ten seconds", passed, refused)
		}
		// refused attempts must not have delayed the next one
		before := time.Now()
		if err := s.Wait(t.Context(), home); err != nil || time.Since(before) > time.Second {
			t.Errorf("the next one: got %v after %v, want a turn within a second", err, time.Since(before))
		}
	})
}

func TestSlowHonoursContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSlow()
		failOften(s)
		if err := s.Wait(t.Context(), home); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Wait(ctx, home) }()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: got %v, want %v", err, context.Canceled)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := s.Wait(ctx, home); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a deadline before the turn: got %v, want %v", err, context.DeadlineExceeded)
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
			if err := s.Wait(t.Context(), home); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(before); got != 0 {
			t.Errorf("got a wait of %v, want none", got)
		}
	})
}

// TestSlowIsFair checks that the next turn is given to a network that had none yet,
// regardless of how many attempts of other networks wait, and that networks share the
// turns equally.
func TestSlowIsFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSlow()
		failOften(s)
		attackers := []netip.Prefix{Network(netip.MustParseAddr("198.51.100.1")), Network(netip.MustParseAddr("192.0.2.1"))}
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		turns := map[netip.Prefix]int{} // guarded by mu
		var wait sync.WaitGroup
		for i := range 40 {
			network := attackers[min(i, 1)] // all but one come from the same network
			wait.Go(func() {
				for ctx.Err() == nil {
					switch err := s.Wait(ctx, network); {
					case err == nil:
						mu.Lock()
						turns[network]++
						mu.Unlock()
					case fault.Is(err, fault.TooMany):
						<-time.After(50 * time.Millisecond) // each attacker tries again immediately
					}
				}
			})
		}
		<-time.After(time.Minute + time.Second/2)
		for range 20 {
			before := time.Now()
			if err := s.Wait(t.Context(), home); err != nil || time.Since(before) > time.Second {
				t.Fatalf("the owner: got %v after %v, want a turn within a second", err, time.Since(before))
			}
		}
		cancel()
		wait.Wait()
		mu.Lock()
		defer mu.Unlock()
		if few, many := turns[attackers[0]], turns[attackers[1]]; few < 25 || many < few || many > 60 {
			t.Errorf("got %d turns of the network with one attempt and %d of that with 39", few, many)
		}
	})
}

// TestSlowIsBounded checks that cancelled attempts and old turns are removed from memory.
func TestSlowIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSlow()
		failOften(s)
		for i := range 100 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
			_ = s.Wait(ctx, home)
			cancel()
		}
		if len(s.waiting) != 0 {
			t.Errorf("%d attempts wait, want none", len(s.waiting))
		}
		for range 2 {
			failOften(s)
			<-time.After(slowWithin - time.Minute)
			failOften(s)
			if err := s.Wait(t.Context(), home); err != nil {
				t.Fatal(err)
			}
		}
		if len(s.turns) > 2 || s.had[home] != len(s.turns) {
			t.Errorf("%d turns are kept, %d of the network; want those of the last hour", len(s.turns), s.had[home])
		}
	})
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, addr, want string }{
		{"the /24 of IPv4", "203.0.113.7", "203.0.113.0/24"},
		{"IPv4 mapped into IPv6", "::ffff:203.0.113.7", "203.0.113.0/24"},
		{"the /48 of IPv6", "2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"},
		{"a zone does not matter", "fe80::1%eth0", "fe80::/48"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := Network(netip.MustParseAddr(tc.addr)); got.String() != tc.want {
				t.Errorf("got %v, want %s", got, tc.want)
			}
		})
	}
	if got := Network(netip.Addr{}); got.IsValid() {
		t.Errorf("no address: got %v, want none", got)
	}
}
