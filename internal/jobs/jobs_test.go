package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/boltfile"
	"svc/internal/platform"
	"svc/store"
)

func openStore(t *testing.T) *store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), boltfile.Verify(path)); err != nil {
			t.Error(err)
		}
	})
	return db
}

// project creates a project that keeps its statistics for keepDays days.
func project(t *testing.T, db *store.Store, key string, keepDays int) *store.Project {
	t.Helper()
	p := &store.Project{Key: key, StatsRetentionDays: keepDays, EventRetentionDays: 90}
	if err := db.Update(func(tx *store.Tx) error { return tx.CreateProject(p) }); err != nil {
		t.Fatal(err)
	}
	return p
}

// count adds one request of each kind to the statistics of each of the given hours.
func count(t *testing.T, db *store.Store, p *store.Project, hours ...store.Hour) {
	t.Helper()
	counts := map[store.RequestCounter]uint64{}
	for _, h := range hours {
		counts[store.CountRequest(p.ID, h, store.NewRequest(1, platform.Web, 0, 0))] = 1
		counts[store.CountSystem(p.ID, h, platform.Web, "")] = 1
		counts[store.CountClient(p.ID, h, platform.Web, "1.0")] = 1
	}
	if err := db.Update(func(tx *store.Tx) error { return tx.AddRequests(counts) }); err != nil {
		t.Fatal(err)
	}
}

// kept returns the hours for which a project has counters.
func kept(t *testing.T, db *store.Store, p *store.Project) (hours []store.Hour) {
	t.Helper()
	var systems, clients int
	err := db.View(func(tx *store.Tx) error {
		const end = 1<<32 - 1
		return errors.Join(
			tx.EachRequest(p.ID, 0, end, func(h store.Hour, _ store.Request, _ int64) { hours = append(hours, h) }),
			tx.EachSystemVersion(p.ID, 0, end, func(store.Hour, platform.Platform, []byte, int64) { systems++ }),
			tx.EachClientVersion(p.ID, 0, end, func(store.Hour, platform.Platform, []byte, int64) { clients++ }),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	if systems != len(hours) || clients != len(hours) {
		t.Errorf("%s keeps %d hours of requests, %d of systems, %d of clients; all must be the same", p.Key, len(hours), systems, clients)
	}
	return hours
}

func cleanedAt(t *testing.T, db *store.Store) (at time.Time) {
	t.Helper()
	err := db.View(func(tx *store.Tx) error {
		at = tx.CleanedAt()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func quiet(db *store.Store) *Jobs {
	return New(Config{DB: db, Log: slog.New(slog.DiscardHandler), Flush: func() error { return nil }})
}

func TestNights(t *testing.T) {
	t.Parallel()
	zone := func(name string) *time.Location {
		l, err := time.LoadLocation(name)
		if err != nil {
			t.Skipf("needs time zones: install the package tzdata: %v", err)
		}
		return l
	}
	const form = "2006-01-02 15:04:05 -0700"
	for _, tc := range []struct{ name, zone, at, last, next string }{
		{"by day", "UTC", "2026-05-10 12:00:00 +0000", "2026-05-10 03:00:00 +0000", "2026-05-11 03:00:00 +0000"},
		{"after midnight", "UTC", "2026-05-10 02:59:59 +0000", "2026-05-09 03:00:00 +0000", "2026-05-10 03:00:00 +0000"},
		{"at the moment itself", "UTC", "2026-05-10 03:00:00 +0000", "2026-05-10 03:00:00 +0000", "2026-05-11 03:00:00 +0000"},
		{"local nights count", "Asia/Shanghai", "2026-05-10 02:00:00 +0800", "2026-05-09 03:00:00 +0800", "2026-05-10 03:00:00 +0800"},
		{"turn of the year", "UTC", "2026-12-31 23:00:00 +0000", "2026-12-31 03:00:00 +0000", "2027-01-01 03:00:00 +0000"},
		{"the hour before is skipped", "Europe/Berlin", "2026-03-29 01:30:00 +0100", "2026-03-28 03:00:00 +0100", "2026-03-29 03:00:00 +0200"},
		{"the hour before comes twice", "Europe/Berlin", "2026-10-25 02:30:00 +0200", "2026-10-24 03:00:00 +0200", "2026-10-25 03:00:00 +0100"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			at, err := time.ParseInLocation(form, tc.at, zone(tc.zone))
			if err != nil {
				t.Fatal(err)
			}
			at = at.In(zone(tc.zone))
			if got := lastNight(at).Format(form); got != tc.last {
				t.Errorf("last: got %s, want %s", got, tc.last)
			}
			if got := nextNight(at).Format(form); got != tc.next {
				t.Errorf("next: got %s, want %s", got, tc.next)
			}
		})
	}
}

func TestRetentionDropsWholeHours(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	now := time.Date(2026, 5, 10, 12, 34, 56, 0, time.UTC)
	edge := func(days int) store.Hour { return store.HourOf(now) - store.Hour(24*days) }
	tests := []struct {
		name       string
		keep, days int // the project's setting, and the retention that it must result in, in days
	}{
		{"one day", 1, 1},
		{"a month", 30, 30},
		{"a year", 365, 365},
		{"less than a day is a day", 0, 1},
		{"more than a year is a year", 1000, 365},
	}
	var projects []*store.Project
	for i, tc := range tests {
		p := project(t, db, fmt.Sprint("p", i), tc.keep)
		count(t, db, p, edge(tc.days)-2000, edge(tc.days)-1, edge(tc.days), edge(tc.days)+1, store.HourOf(now))
		projects = append(projects, p)
	}
	j := quiet(db)
	for range 2 { // repeating the job changes nothing
		if err := j.clean(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		for i, tc := range tests {
			want := fmt.Sprint([]store.Hour{edge(tc.days), edge(tc.days) + 1, store.HourOf(now)})
			if got := fmt.Sprint(kept(t, db, projects[i])); got != want {
				t.Errorf("%s: got hours %s, want %s", tc.name, got, want)
			}
		}
	}
	if got := cleanedAt(t, db); !got.Equal(now) {
		t.Errorf("got cleaned at %s, want %s", got, now)
	}
}

// TestCleanUpDropsDeliveries checks that expired deliveries of the code host are removed,
// regardless of their number.
func TestCleanUpDropsDeliveries(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	err := db.Update(func(tx *store.Tx) error {
		for i := range 2*dropStep + 1 {
			if err := tx.RememberDelivery(1, fmt.Sprint(i), -time.Second); err != nil {
				return err
			}
		}
		return tx.RememberDelivery(1, "stays", time.Hour)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := quiet(db).clean(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *store.Tx) error {
		n, err := tx.DropDeliveries(dropStep)
		if n != 0 || !tx.Delivered(1, "stays") {
			t.Errorf("%d are left, and what stays is remembered: %v", n, tx.Delivered(1, "stays"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCleanUpIsTakenUpAgain checks that an interrupted clean-up keeps its progress, does not count
// as a clean-up, and is continued later.
func TestCleanUpIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	p := project(t, db, "p", 1)
	var hours []store.Hour
	for h := range store.Hour(dropStep) { // each hour has three values
		hours = append(hours, 1000+h)
	}
	count(t, db, p, hours...)
	j := quiet(db)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	now := time.Now()
	if err := j.clean(ctx, now); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want that it was stopped", err)
	}
	if at := cleanedAt(t, db); !at.IsZero() {
		t.Errorf("got cleaned at %s, want never", at)
	}
	var left int
	err := db.View(func(tx *store.Tx) error {
		return tx.EachSystemVersion(p.ID, 0, 1<<32-1, func(store.Hour, platform.Platform, []byte, int64) { left++ })
	})
	if err != nil || left != dropStep {
		t.Errorf("got %d values of the second kind after one step (%v), want %d", left, err, dropStep)
	}
	if err := j.cleanIfDue(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, db, p); len(got) != 0 {
		t.Errorf("got %d hours, want none", len(got))
	}
}

func TestCleanUpWhenDue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name string
		last time.Time
		want bool
	}{
		{"never before", time.Time{}, true},
		{"tonight", now.Add(-9 * time.Hour), false},
		{"just before this night", now.Add(-9*time.Hour - time.Second), true},
		{"two days before this night", now.AddDate(0, 0, -2), true},
		{"a moment ago", now, false},
		{"in the future, by a clock that was wrong", now.AddDate(10, 0, 0), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			db := openStore(t)
			if !tc.last.IsZero() {
				if err := db.Update(func(tx *store.Tx) error { return tx.MarkCleaned(tc.last) }); err != nil {
					t.Fatal(err)
				}
			}
			if err := quiet(db).cleanIfDue(t.Context(), now); err != nil {
				t.Fatal(err)
			}
			if got := cleanedAt(t, db).Equal(now); got != tc.want && !tc.last.Equal(now) {
				t.Errorf("got cleaned %v, want %v", got, tc.want)
			}
		})
	}
}

// TestJobsByTheClock runs the jobs with a fake clock, which advances whenever all goroutines are
// idle.
func TestJobsByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		p := project(t, db, "p", 1)
		count(t, db, p, store.HourOf(time.Now())-30)
		var flushed, fails atomic.Int64
		var log strings.Builder
		j := New(Config{DB: db, Log: slog.New(slog.NewTextHandler(&log, nil)), Flush: func() error {
			if fails.Load() > 0 {
				fails.Add(-1)
				return errors.New("disk full")
			}
			flushed.Add(1)
			return nil
		}})
		j.Start()
		synctest.Wait()
		if got := kept(t, db, p); len(got) != 0 {
			t.Errorf("overdue at the start: got hours %v, want none", got)
		}
		start := time.Now()

		<-time.After(flushEvery + time.Millisecond)
		synctest.Wait()
		if got := flushed.Load(); got != 1 {
			t.Errorf("after %s: got %d flushes, want 1", flushEvery, got)
		}
		fails.Store(3)
		<-time.After(4 * flushEvery)
		synctest.Wait()
		if cannot, again := strings.Count(log.String(), "cannot write"), strings.Count(log.String(), "written again"); cannot != 1 || again != 1 {
			t.Errorf("three failures: got %d lines, and %d when it went again, want 1 and 1:\n%s", cannot, again, log.String())
		}

		count(t, db, p, store.HourOf(time.Now())-30)
		<-time.After(25 * time.Hour)
		synctest.Wait()
		if got := kept(t, db, p); len(got) != 0 {
			t.Errorf("after a night: got hours %v, want none", got)
		}
		if got, want := cleanedAt(t, db), nightOf(start, 1); got.Before(lastNight(start)) || got.After(want.Add(24*time.Hour)) || got.Hour() != cleanAt {
			t.Errorf("got cleaned at %s, want %d o'clock", got, cleanAt)
		}

		before := flushed.Load()
		if err := j.Stop(); err != nil {
			t.Fatal(err)
		}
		if got := flushed.Load(); got != before+1 {
			t.Errorf("at the stop: got %d flushes, want 1", got-before)
		}
	})
}
