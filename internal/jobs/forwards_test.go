package jobs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSettlingForwards: it is tried at the start and again and again, and a code host
// that stays away is reported once.
func TestSettlingForwards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var away atomic.Bool
		away.Store(true)
		j := New(Config{
			DB: openStore(t), Log: slog.New(slog.NewTextHandler(&log, nil)), Flush: func() error { return nil },
			SettleForwards: func(context.Context) error {
				if away.Load() {
					return errors.New("code host away")
				}
				return nil
			},
		})
		j.Start()
		<-time.After(settleEvery + time.Second)
		synctest.Wait()
		if s := named(t, j, "forwarded-feedback"); s.Runs != 2 || s.Failed != 2 || s.Failure != "code host away" {
			t.Errorf("got %+v, want a run at the start and another", s)
		}
		if n := strings.Count(log.String(), "code host away"); n != 1 {
			t.Errorf("it is logged %d times:\n%s", n, log.String())
		}
		away.Store(false)
		<-time.After(settleEvery)
		synctest.Wait()
		if s := named(t, j, "forwarded-feedback"); s.Runs != 3 || s.Failed != 2 || s.Failure != "" {
			t.Errorf("got %+v, want a third run that went well", s)
		}
		if err := j.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestNothingToSettle: without a code host there is no such job.
func TestNothingToSettle(t *testing.T) {
	t.Parallel()
	for _, s := range quiet(openStore(t)).List() {
		if s.Name == "forwarded-feedback" {
			t.Errorf("there is %+v", s)
		}
	}
}
