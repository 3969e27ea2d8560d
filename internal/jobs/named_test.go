package jobs

import (
	"context"
	"errors"
	"log/slog"
	"slices"
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

// A run that is stopped says nothing about the work.
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

// What runs by itself is seen, too.
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
