package jobs

import (
	"testing"
	"testing/synctest"
	"time"

	"svc/store"
)

// TestClockGuard checks that the guard trusts a clock that is at most two days ahead of the
// expected time. It must trust a clock that is further ahead only after a day of uptime.
func TestClockGuard(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	type reading struct {
		after    time.Duration // time that the process has run since the previous check
		ahead    time.Duration // time by which the wall clock is ahead of the expected time
		believed bool
	}
	for _, tc := range []struct {
		name     string
		readings []reading
	}{
		{"in time", []reading{{0, 0, true}, {30 * day, 0, true}}},
		{"behind", []reading{{0, -400 * day, true}}},
		{"two days ahead", []reading{{0, 2 * day, true}, {0, 2*day + time.Second, false}}},
		{"a single reading", []reading{{day, 730 * day, false}, {time.Hour, 0, true}, {day, 730 * day, false}}},
		{"ahead for a day", []reading{{0, 30 * day, false}, {day - time.Minute, 30 * day, false}, {time.Minute, 30 * day, true}}},
		{"right in between", []reading{{0, 30 * day, false}, {23 * time.Hour, 0, true}, {time.Hour, 30 * day, false}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				last, begun := time.Date(2026, 5, 10, 3, 0, 0, 0, time.UTC), time.Now()
				g := &clockGuard{}
				g.trust(last)
				for i, r := range tc.readings {
					<-time.After(r.after)
					wall := last.Add(time.Since(begun) + r.ahead)
					if err := g.check(wall); (err == nil) != r.believed {
						t.Errorf("reading %d of %s: got %v, want it believed: %t", i, wall, err, r.believed)
					}
				}
			})
		})
	}
}

// TestWrongClockDeletesNothing checks that no data is deleted while the clock is two
// years ahead, neither at the start nor later. If an administrator runs the job, however,
// the clock must be trusted.
func TestWrongClockDeletesNothing(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	p := project(t, db, "p", 90)
	now := time.Now()
	count(t, db, p, store.HourOf(now)-24)
	if err := db.Update(func(tx *store.Tx) error { return tx.MarkCleaned(now.Add(-25 * time.Hour)) }); err != nil {
		t.Fatal(err)
	}
	j := quiet(db)
	wrong := now.AddDate(2, 0, 0)
	if err := j.cleanIfDue(t.Context(), wrong); err == nil {
		t.Error("a wrong clock is no error")
	}
	if got := kept(t, db, p); len(got) != 1 {
		t.Errorf("got %d hours, want the one", len(got))
	}
	if state := j.List(); state[2].Name != "retention" || state[2].Failure == "" {
		t.Errorf("the job does not say so: %+v", state[2])
	}
	if err := j.cleanIfDue(t.Context(), now); err != nil {
		t.Errorf("when the clock is right again: %v", err)
	}
	if err := j.cleanIfDue(t.Context(), now.Add(25*time.Hour)); err != nil {
		t.Errorf("within two days: %v", err)
	}
	j.Now = func() time.Time { return wrong }
	if _, err := j.Run(t.Context(), "retention"); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, db, p); len(got) != 0 {
		t.Errorf("by hand: got %d hours, want none", len(got))
	}
}
