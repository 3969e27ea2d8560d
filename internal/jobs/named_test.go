package jobs

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/fault"
)

func named(t *testing.T, j *Jobs, name string) State {
	t.Helper()
	list := j.List()
	at := slices.IndexFunc(list, func(s State) bool { return s.Name == name })
	if at < 0 {
		t.Fatalf("no job %s in %v", name, list)
	}
	return list[at]
}

func TestRunByName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		var failure error
		enter, leave := make(chan struct{}), make(chan struct{})
		j := New(Config{DB: openStore(t), Log: slog.New(slog.DiscardHandler), Flush: func() error {
			enter <- struct{}{}
			<-leave
			return failure
		}})
		const name = "request-statistics"
		if s := named(t, j, name); s.Runs != 0 || !s.Begun.IsZero() || s.Running || s.About == "" {
			t.Errorf("before: got %+v", s)
		}
		run := func() (ended chan error) {
			ended = make(chan error)
			go func() {
				_, err := j.Run(context.Background(), name)
				ended <- err
			}()
			<-enter
			return ended
		}

		begun := time.Now()
		ended := run()
		if s := named(t, j, name); !s.Running || s.Runs != 0 {
			t.Errorf("while it runs: got %+v", s)
		}
		if _, err := j.Run(context.Background(), name); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second time: got %v, want a conflict", err)
		}
		<-time.After(3 * time.Second)
		leave <- struct{}{}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if s := named(t, j, name); s.Running || s.Runs != 1 || s.Failed != 0 || s.Took != 3*time.Second || !s.Begun.Equal(begun) || s.Failure != "" {
			t.Errorf("after: got %+v", s)
		}

		failure = full
		ended = run()
		leave <- struct{}{}
		if err := <-ended; !errors.Is(err, full) {
			t.Errorf("got %v, want %v", err, full)
		}
		if s := named(t, j, name); s.Runs != 2 || s.Failed != 1 || s.Failure != full.Error() {
			t.Errorf("after a failure: got %+v", s)
		}
		failure = nil
		ended = run()
		leave <- struct{}{}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if s := named(t, j, name); s.Runs != 3 || s.Failed != 1 || s.Failure != "" {
			t.Errorf("when it goes again: got %+v", s)
		}

		if _, err := j.Run(context.Background(), "coffee"); !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v, want that there is no such job", err)
		}
	})
}

// TestStoppedRunDoesNotCount checks that a run that is stopped is not counted.
func TestStoppedRunDoesNotCount(t *testing.T) {
	t.Parallel()
	j := quiet(openStore(t))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	p := project(t, j.DB, "p", 1)
	count(t, j.DB, p, 1, 2, 3)
	if _, err := j.Run(ctx, "retention"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was stopped", err)
	}
	if s := named(t, j, "retention"); s.Runs != 0 || s.Failure != "" || s.Running {
		t.Errorf("got %+v, want no run", s)
	}
}

// TestScheduledRunsAreSeen checks that scheduled runs are counted like requested runs.
func TestScheduledRunsAreSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := quiet(openStore(t))
		j.Start()
		<-time.After(2*flushEvery + time.Second)
		synctest.Wait()
		for name, want := range map[string]uint64{"request-statistics": 2, "deleted-projects": 1, "retention": 1} {
			if s := named(t, j, name); s.Runs != want || s.Failed != 0 {
				t.Errorf("%s: got %d runs, %d failed, want %d", name, s.Runs, s.Failed, want)
			}
		}
		if err := j.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestPanicIsAFailure checks that a panic in a job counts as a failure of the job and does not end
// the server.
func TestPanicIsAFailure(t *testing.T) {
	t.Parallel()
	j := New(Config{DB: openStore(t), Log: slog.New(slog.DiscardHandler), Flush: func() error { panic("a bug") }})
	s, err := j.Run(t.Context(), "request-statistics")
	if err == nil || s.Runs != 1 || s.Failed != 1 || !strings.Contains(s.Failure, "a bug") || s.Running {
		t.Errorf("got %+v and %v, want a failed run", s, err)
	}
}

// TestLastRunSurvives checks that the time, duration and failure of a job's last run survive a
// restart.
func TestLastRunSurvives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		failure := errors.New("disk full")
		start := func() *Jobs {
			return New(Config{DB: db, Log: slog.New(slog.DiscardHandler), Flush: func() error {
				<-time.After(3 * time.Second)
				return failure
			}})
		}
		const name = "request-statistics"
		begun := time.Now()
		if _, err := start().Run(t.Context(), name); !errors.Is(err, failure) {
			t.Errorf("got %v, want %v", err, failure)
		}
		if s := named(t, start(), name); !s.Begun.Equal(begun) || s.Took != 3*time.Second || s.Failure != "disk full" || s.Runs != 0 || s.Running {
			t.Errorf("after a run that somebody asked for: got %+v", s)
		}
		failure = nil
		j := start()
		j.Start()
		<-time.After(flushEvery + 4*time.Second)
		synctest.Wait()
		if s := named(t, start(), name); s.Failure != "" || !s.Begun.After(begun) {
			t.Errorf("after a run that goes again: got %+v", s)
		}
		commits := db.Commits()
		<-time.After(saveEvery - time.Minute)
		synctest.Wait()
		if n := db.Commits() - commits; n != 0 {
			t.Errorf("%d commits by a server that idles, want none", n)
		}
		if err := j.Stop(); err != nil {
			t.Error(err)
		}
		last := named(t, j, name).Begun
		if s := named(t, start(), name); s.Begun.Unix() != last.Unix() || last.Sub(begun) < saveEvery-time.Minute {
			t.Errorf("after a stop: got %+v, want the run of %s", s, last)
		}
	})
}
