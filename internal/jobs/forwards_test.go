package jobs

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/codehost"
	"svc/internal/forward"
	"svc/store"
)

// TestSettlingForwards checks that the job runs at the start and at regular intervals. It
// must log only once that the code host does not respond.
func TestSettlingForwards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var away atomic.Bool
		away.Store(true)
		db := openStore(t)
		pending := addForward(t, db)
		<-time.After(settleEvery) // the code host's list of issues may not contain a new issue immediately
		host := codehost.New(codehost.Config{HTTP: &http.Client{Transport: answering(func(r *http.Request) (*http.Response, error) {
			if away.Load() {
				return nil, errors.New("code host away")
			}
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("[]")), Request: r}, nil
		})}, API: "https://api.code.example", Now: time.Now})
		j := New(Config{
			DB: db, Log: slog.New(slog.NewTextHandler(&log, nil)), Flush: func() error { return nil },
			Forward: forward.New(forward.Config{DB: db, Log: slog.New(slog.DiscardHandler), Now: time.Now, Host: host, Limit: 1, Period: time.Hour}),
		})
		j.Start()
		<-time.After(settleEvery + time.Second)
		synctest.Wait()
		if s := named(t, j, "forwarded-feedback"); s.Runs != 2 || s.Failed != 2 || !strings.Contains(s.Failure, "the request failed") {
			t.Errorf("got %+v, want a run at the start and another", s)
		}
		if n := strings.Count(log.String(), "the request failed"); n != 1 {
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
		if left, err := db.Forwards(); err != nil || len(left) != 0 {
			t.Errorf("got %v (%v), want nothing left of the feedback %s, which has no issue", left, err, pending.ID)
		}
	})
}

// answering is an http.RoundTripper that is implemented by a function.
type answering func(*http.Request) (*http.Response, error)

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

// addForward stores a submission for which it is unknown whether an issue was created.
func addForward(t *testing.T, db *store.Store) *store.Forward {
	t.Helper()
	p := &store.Project{Key: "beacon"}
	if err := db.Update(func(tx *store.Tx) error { return tx.CreateProject(p) }); err != nil {
		t.Fatal(err)
	}
	w := &store.Forward{Project: p.ID, Repo: "lumen-works/beacon", Feedback: &store.Feedback{Content: "too dark"}}
	if err := db.TryForward(w); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestNothingToSettle checks that the job does not exist if no code host is configured.
func TestNothingToSettle(t *testing.T) {
	t.Parallel()
	for _, s := range quiet(openStore(t)).List() {
		if s.Name == "forwarded-feedback" {
			t.Errorf("there is %+v", s)
		}
	}
}
