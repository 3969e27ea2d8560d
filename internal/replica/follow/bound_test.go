package follow_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/fault"
	"svc/internal/replica"
	"svc/internal/replica/follow"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
)

const (
	// every is the interval of segments in the tests of bounds.
	every = time.Second
	// request is how long each request of the old primary takes. It has its effect after half of that time.
	request = 100 * time.Millisecond
	// writeEvery is the time between two writes.
	writeEvery = 10 * time.Millisecond
)

// duel has a primary and a standby. Every request of the primary takes the same time, and those of the standby take none.
type duel struct {
	t       *testing.T
	old     *server
	standby *standby
	config  replica.Config
	memory  *targettest.Memory
	cut     atomic.Bool  // the primary does not reach the target
	claimed atomic.Int64 // when the next epoch was created, Unix nanoseconds
}

var errCut = errors.New("the network is down")

func newDuel(t *testing.T, lease time.Duration) *duel {
	t.Helper()
	d := &duel{t: t, memory: targettest.NewMemory(), config: replica.Config{
		Lease: lease, Log: slog.New(slog.DiscardHandler),
		Tunable: replica.Tunable{Every: every, SnapshotEvery: 24 * time.Hour, Retain: 7 * 24 * time.Hour},
	}}
	dir := filepath.Join(t.TempDir(), "old")
	check(t, create(dir))
	view := d.memory.View()
	half := func(ctx context.Context, _ targettest.Call) error {
		if err := pause(ctx, request/2); err != nil || !d.cut.Load() {
			return err
		}
		return errCut
	}
	view.Before, view.After = half, half
	var err error
	d.old, err = serve(dir, "old", view, d.config)
	check(t, err)
	for d.old.replication().Status().LastSnapshot == 0 {
		check(t, pause(t.Context(), request))
	}
	fast := d.memory.View()
	fast.After = func(_ context.Context, c targettest.Call) error {
		if c.Name == format.EpochName(2) && c.Operation == "Create" {
			d.claimed.Store(time.Now().UnixNano())
		}
		return nil
	}
	d.standby = &standby{config: follow.Config{
		Target: target.Count(fast), Address: "memory", Data: filepath.Join(t.TempDir(), "new"), Every: every, Host: "new", Log: d.config.Log,
	}}
	check(t, d.standby.start(t.Context()))
	return d
}

// write writes to a server for a while. It returns when the first and the last write was accepted.
func (d *duel) write(s *server, during time.Duration) (first, last time.Time) {
	d.t.Helper()
	for begun := time.Now(); time.Since(begun) < during; {
		_, accepted, err := s.accept(fmt.Sprint(s.name, time.Since(begun)))
		check(d.t, err)
		if accepted {
			last = time.Now()
			if first.IsZero() {
				first = last
			}
		}
		check(d.t, pause(d.t.Context(), writeEvery))
	}
	return first, last
}

// promote promotes the standby and returns its server, and how long that took.
func (d *duel) promote(oldPrimaryIsDown bool) (s *server, took time.Duration) {
	d.t.Helper()
	begun := time.Now()
	_, err := d.standby.Promote(d.t.Context(), oldPrimaryIsDown)
	check(d.t, err)
	took = time.Since(begun)
	_, err = d.standby.end()
	check(d.t, errors.Join(err, d.standby.Finish()))
	s, err = serve(d.standby.config.Data, "new", d.memory.View(), d.config)
	check(d.t, err)
	return s, took
}

func (d *duel) claim() time.Time { return time.Unix(0, d.claimed.Load()) }

// end ends both servers.
func (d *duel) end(servers ...*server) {
	d.t.Helper()
	for _, s := range servers {
		check(d.t, s.kill())
	}
}

// TestAsyncBound promotes a standby at many moments while the old primary writes and reaches the target. The old primary
// acknowledges nothing later than the interval of segments and one request after the promotion, and only what it has
// acknowledged in an interval and one request before is lost.
func TestAsyncBound(t *testing.T) {
	t.Parallel()
	const bound = every + request
	var longestAfter, longestBefore time.Duration
	for phase := range 20 {
		synctest.Test(t, func(t *testing.T) {
			d := newDuel(t, 0)
			check(t, pause(t.Context(), 2*time.Second))
			done := make(chan time.Time, 1)
			go func() {
				_, last := d.write(d.old, 6*time.Second)
				done <- last
			}()
			check(t, pause(t.Context(), 2*time.Second+time.Duration(phase)*53*time.Millisecond))
			s, _ := d.promote(false)
			after := (<-done).Sub(d.claim())
			longestAfter = max(longestAfter, after)
			if after > bound {
				t.Errorf("phase %d: the old primary acknowledges for %s after the promotion, want at most %s", phase, after, bound)
			}
			status := d.old.replication().Status()
			d.end(d.old, s)
			kept := map[string]bool{}
			all, err := texts(s.dir)
			check(t, err)
			for _, text := range all {
				kept[text] = true
			}
			for _, e := range d.old.accepted() {
				if kept[e.text] {
					continue
				}
				before := d.claim().Sub(e.begun)
				longestBefore = max(longestBefore, before)
				if before > bound {
					t.Errorf("phase %d: a write is lost that was acknowledged %s before the promotion, want at most %s", phase, before, bound)
				}
			}
			if !status.Fenced {
				t.Errorf("phase %d: the old primary is not fenced", phase)
			}
		})
	}
	t.Logf("at most %s after the promotion, and %s before it", longestAfter, longestBefore)
	if longestAfter < every-2*request || longestBefore < every-2*request {
		t.Error("the promotions do not come close to the bound")
	}
}

// TestAsyncIdle promotes a standby while the old primary is idle. It finds that out within the interval in which it
// reads the epoch. If it accepts a write before, that makes it look.
func TestAsyncIdle(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, 4 * time.Second, 9 * time.Second, 11 * time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDuel(t, 0)
				check(t, pause(t.Context(), time.Hour))
				s, _ := d.promote(false)
				check(t, pause(t.Context(), after))
				first, last := d.write(d.old, 20*time.Second)
				if took := last.Sub(first); took > every+request {
					t.Errorf("the old primary acknowledges for %s, want at most %s", took, every+request)
				}
				if late := after > 10*time.Second+request; late && !first.IsZero() {
					t.Errorf("the old primary acknowledges %s after the promotion, although it looks every 10s", first.Sub(d.claim()))
				}
				d.end(d.old, s)
			})
		})
	}
}

// TestAsyncCutOff promotes a standby while the old primary does not reach the target. It goes on until it reaches the
// target again.
func TestAsyncCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDuel(t, 0)
		d.cut.Store(true)
		s, _ := d.promote(false)
		_, last := d.write(d.old, time.Minute)
		if since := time.Since(last); since > writeEvery {
			t.Errorf("the old primary has refused writes for %s", since)
		}
		d.cut.Store(false)
		back := time.Now()
		_, last = d.write(d.old, time.Minute)
		// the longest pause between two attempts, and the requests of one
		if took, most := last.Sub(back), 10*time.Second+3*request; took > most {
			t.Errorf("the old primary acknowledges for %s after it reaches the target again, want at most %s", took, most)
		}
		d.end(d.old, s)
	})
}

// TestAsyncLease checks that no server acknowledges after another one has begun to, if there is a lease, and that the
// promotion waits for exactly that.
func TestAsyncLease(t *testing.T) {
	t.Parallel()
	const lease = 20 * time.Second
	for _, tc := range []struct {
		name      string
		cut, down bool
	}{
		{"the old primary reaches the target", false, false},
		{"the old primary is cut off", true, false},
		{"the old primary is said to be down", true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { d := newDuel(t, lease); d.lease(lease, tc.cut, tc.down) })
		})
	}
}

func (d *duel) lease(lease time.Duration, cut, down bool) {
	t := d.t
	d.write(d.old, 5*time.Second) // the epoch is read in each second
	d.cut.Store(cut)
	begun, done := time.Now(), make(chan time.Time, 1)
	go func() {
		_, last := d.write(d.old, 2*lease)
		done <- last
	}()
	s, took := d.promote(down)
	first, _ := d.write(s, time.Second)
	last := <-done
	wantTook, most := lease, begun.Add(every+request)
	if down {
		wantTook = 0
	}
	if cut {
		most = begun.Add(lease)
	}
	if took != wantTook {
		t.Errorf("the promotion took %s, want %s", took, wantTook)
	}
	if last.After(most) {
		t.Errorf("the old primary has acknowledged %s after the promotion began", last.Sub(begun))
	}
	if cut && last.Before(begun.Add(lease-lease/10-every-2*request)) {
		t.Errorf("the old primary has acknowledged for %s only", last.Sub(begun))
	}
	if !down && !last.Before(first) {
		t.Errorf("the old primary has acknowledged %s after the new one", last.Sub(first))
	}
	if cut {
		f, ok := errors.AsType[*fault.Error](d.old.replication().Admit())
		if !ok || f.Kind != fault.Unavailable || f.RetryAfter != 5*time.Second || f.Changed != fault.OutcomeNone {
			t.Errorf("after the lease, got %#v", f)
		}
		d.cut.Store(false)
	}
	for !d.old.replication().Status().Fenced {
		check(t, pause(t.Context(), time.Second))
	}
	d.end(d.old, s)
}

// TestLeaseIsRenewed checks that a primary with a lease accepts writes again when it reaches the target again.
func TestLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDuel(t, 20*time.Second)
		d.cut.Store(true)
		_, last := d.write(d.old, time.Minute)
		if since := time.Since(last); since < 40*time.Second {
			t.Errorf("the primary has refused writes for %s only", since)
		}
		d.cut.Store(false)
		_, last = d.write(d.old, 15*time.Second)
		if since := time.Since(last); since > writeEvery {
			t.Errorf("the primary has refused writes for %s", since)
		}
		_, err := d.standby.end()
		check(t, err)
		d.end(d.old)
	})
}
