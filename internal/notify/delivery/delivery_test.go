package delivery_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/notify"
	"svc/internal/notify/delivery"
	"svc/internal/outbound"
	"svc/internal/seal"
	"svc/store"
)

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"

// fixture is an engine with its store. Only a test advances its clock.
type fixture struct {
	*delivery.Engine
	clock atomic.Int64 // Unix milliseconds
	path  string
	p     *store.Project
}

func newFixture(t *testing.T, ports ...uint16) *fixture {
	t.Helper()
	f := &fixture{path: filepath.Join(t.TempDir(), "svc.db"), p: &store.Project{Key: "demo", Name: "Demo"}}
	f.clock.Store(time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC).UnixMilli())
	now := func() time.Time { return time.UnixMilli(f.clock.Load()) }
	db, err := store.Open(f.path, store.Options{Now: now, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	f.Engine = delivery.New(delivery.Config{
		DB: db, Keys: seal.NewKeys([]byte("secret")), Log: slog.New(slog.DiscardHandler), Now: now,
		Client: outbound.New(outbound.Config{Profile: outbound.Operator, Version: "1.2.3", Ports: ports}),
	})
	f.update(t, func(tx *store.Tx) error { return tx.CreateProject(f.p) })
	return f
}

func (f *fixture) advance(d time.Duration) { f.clock.Add(d.Milliseconds()) }

func (f *fixture) update(t *testing.T, fn func(*store.Tx) error) {
	t.Helper()
	if err := f.DB.Update(fn); err != nil {
		t.Fatal(err)
	}
}

// hook adds a webhook of the project.
func (f *fixture) hook(t *testing.T, address string) *store.Hook {
	t.Helper()
	h := &store.Hook{Name: "H", Kind: notify.Webhook, Enabled: true, URL: address, Events: []string{"*"}}
	h.Secret = f.Keys.Seal(seal.HookSecret, secret)
	h.Authorization = f.Keys.Seal(seal.HookAuthorization, "Bearer of-the-receiver")
	f.update(t, func(tx *store.Tx) error { return tx.PutHook(f.p.ID, h) })
	return h
}

// notify causes events.
func (f *fixture) notify(t *testing.T, n int) {
	t.Helper()
	f.update(t, func(tx *store.Tx) error {
		for range n {
			e := notify.Event{Name: notify.FileFailedEvent, Data: notify.FileFailed{ID: "f", Filename: "a.zip", Error: "too large"}}
			if err := tx.Notify(f.p.ID, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// run sends what is due.
func (f *fixture) run(t *testing.T) {
	t.Helper()
	if err := f.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// deliveries returns the deliveries of a hook, the newest first, the hook and its state.
func (f *fixture) deliveries(t *testing.T, h *store.Hook) (list []*store.HookDelivery, now *store.Hook, state store.HookState) {
	t.Helper()
	err := f.DB.View(func(tx *store.Tx) (err error) {
		if list, _, err = tx.HookDeliveries(h.ID, store.DeliveryFilter{}, 0, 100); err != nil {
			return err
		}
		if now, err = tx.Hook(h.Project, h.ID); err != nil {
			return err
		}
		state, err = tx.HookState(h.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, now, state
}

// receiver answers requests on this machine, and counts them.
type receiver struct {
	*httptest.Server
	requests atomic.Int64
}

func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.requests.Add(1)
		answer(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

// TestDelivered checks the request of a delivered event, and what is stored about it.
func TestDelivered(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	type request struct {
		header http.Header
		body   string
	}
	got := make(chan request, 1)
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Error(err)
		}
		got <- request{q.Header, string(body)}
		_, _ = io.WriteString(w, strings.Repeat("a", 2000))
	})
	h := f.hook(t, r.URL)
	f.notify(t, 1)
	f.run(t)
	sent := <-got
	want := `{"type":"file.failed","timestamp":"2026-11-22T06:00:00Z","data":{"project":{"key":"demo","name":"Demo"},` +
		`"id":"f","filename":"a.zip","error":"too large"}}`
	if sent.body != want {
		t.Errorf("got  %s\nwant %s", sent.body, want)
	}
	list, _, state := f.deliveries(t, h)
	d := list[0]
	if len(list) != 1 || d.State != store.DeliveryDone || d.Attempts != 1 || *d.LastStatus != 200 || len(*d.Response) != 1024 ||
		d.DeliveredAt != 1795327200 || state.Waiting != 0 || state.Slow {
		t.Errorf("got %+v and %+v", d, state)
	}
	target := notify.Target{Kind: notify.Webhook, URL: r.URL, Secrets: []string{secret}}
	signed, err := target.Request(t.Context(), d.MessageID(), []byte(want), time.Unix(1795327200, 0))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Webhook-Id": d.MessageID(), "Webhook-Timestamp": "1795327200", "Webhook-Signature": signed.Header.Get("Webhook-Signature"),
		"Authorization": "Bearer of-the-receiver", "Content-Type": "application/json", "User-Agent": "svc/1.2.3",
	} {
		if got := sent.header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestSecretsAreEncrypted checks that the file contains no secret of a hook.
func TestSecretsAreEncrypted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.hook(t, newReceiver(t, func(http.ResponseWriter, *http.Request) {}).URL)
	f.notify(t, 1)
	f.run(t)
	raw, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{secret, strings.TrimPrefix(secret, "whsec_"), "of-the-receiver"} {
		if strings.Contains(string(raw), text) {
			t.Errorf("svc.db contains %q", text)
		}
	}
}

// TestRetried checks the pauses between the attempts of an event that fails: each has the length of
// the contract, and Retry-After makes it only longer.
func TestRetried(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var after atomic.Pointer[string]
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if value := after.Load(); value != nil {
			w.Header().Set("Retry-After", *value)
		}
		w.WriteHeader(http.StatusInternalServerError)
	})
	h := f.hook(t, r.URL)
	f.notify(t, 1)
	pauses := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	for i, pause := range pauses {
		switch i {
		case 1:
			after.Store(new("3600"))
			pause = time.Hour
		case 2:
			after.Store(new("60")) // shorter than the pause
		}
		f.run(t)
		list, _, state := f.deliveries(t, h)
		d, wait := list[0], time.UnixMilli(list[0].NextAt).Sub(f.Now())
		if d.State != store.DeliveryRetrying || d.Attempts != i+1 || *d.LastStatus != 500 || d.LastError != "the receiver answered 500" || !state.Slow {
			t.Fatalf("attempt %d: got %+v and %+v", i+1, d, state)
		}
		if wait < pause*9/10 || wait > pause*11/10 {
			t.Errorf("attempt %d: got a pause of %v, want %v", i+1, wait, pause)
		}
		f.advance(wait - time.Second)
		f.run(t) // too early
		f.advance(time.Second)
	}
	f.run(t)
	list, _, state := f.deliveries(t, h)
	if d := list[0]; d.State != store.DeliveryDead || d.Attempts != 10 || d.NextAt != 0 || state.Dead != 1 || r.requests.Load() != 10 {
		t.Fatalf("got %+v, %+v and %d requests", d, state, r.requests.Load())
	}
	f.update(t, func(tx *store.Tx) error {
		d, err := tx.SendAgain(h.ID, list[0].ID)
		if err == nil && (d.State != store.DeliveryQueued || d.Attempts != 0 || d.LastStatus != nil) {
			t.Errorf("again: got %+v", d)
		}
		return err
	})
	f.run(t)
	if again, _, _ := f.deliveries(t, h); again[0].ID != list[0].ID || again[0].State != store.DeliveryRetrying || again[0].Attempts != 1 {
		t.Errorf("again: got %+v", again[0])
	}
}

// TestDownForADay checks that all events of a day on which the receiver cannot be reached, or refuses
// them, arrive once it can, each exactly once, and that the hook stays enabled.
func TestDownForADay(t *testing.T) {
	t.Parallel()
	answer := func(status int) transport {
		return func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Body: http.NoBody, Request: r}, nil
		}
	}
	fails := func(err error) transport {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	for name, down := range map[string]transport{
		"no server": fails(syscall.ECONNREFUSED), "no name": fails(&net.DNSError{IsNotFound: true}), "no answer": fails(context.DeadlineExceeded),
		"unavailable": answer(http.StatusServiceUnavailable), "moved": answer(http.StatusFound), "forbidden": answer(http.StatusForbidden),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			h := f.hook(t, "https://receiver.example/")
			up, arrived := false, map[string]int{} // by id
			f.Client = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				if !up {
					return down(r)
				}
				arrived[r.Header.Get("Webhook-Id")]++
				return answer(http.StatusNoContent)(r)
			}), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			pass := func(d time.Duration) {
				for end := f.Now().Add(d); f.Now().Before(end); f.advance(5 * time.Minute) {
					f.run(t)
				}
			}
			const events = 24
			for range events {
				f.notify(t, 1)
				pass(time.Hour)
			}
			list, now, state := f.deliveries(t, h)
			if len(list) != events || !now.Enabled || state.Waiting != events || len(arrived) > 0 {
				t.Fatalf("after the day: got %d deliveries, %+v and %+v", len(list), now, state)
			}
			up = true
			f.notify(t, 1)
			pass(5 * time.Minute)
			if len(arrived) == 0 {
				t.Error("the event of the present has not arrived")
			}
			pass(16 * time.Hour) // longer than the longest pause after a day
			list, now, state = f.deliveries(t, h)
			for _, d := range list {
				if d.State != store.DeliveryDone || arrived[d.MessageID()] != 1 {
					t.Errorf("got %+v, which has arrived %d times", d, arrived[d.MessageID()])
				}
			}
			if len(arrived) != events+1 || !now.Enabled || state.Waiting != 0 || state.FailingSince != 0 {
				t.Errorf("%d events have arrived, got %+v and %+v", len(arrived), now, state)
			}
		})
	}
}

// TestGone checks that a receiver that answers 410 gets no more events, and that the hooks of the
// instance learn it.
func TestGone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	h := f.hook(t, r.URL)
	watch := &store.Hook{Name: "W", Kind: notify.Ntfy, URL: r.URL, Events: []string{"instance.*"}, Enabled: true}
	f.update(t, func(tx *store.Tx) error { return tx.PutHook(0, watch) })
	f.notify(t, 1500) // more than one transaction drops
	f.update(t, func(tx *store.Tx) error {
		watch.Enabled = true
		return tx.PutHook(0, watch)
	})
	f.run(t)
	_, now, state := f.deliveries(t, h)
	if now.Enabled || now.DisabledReason != store.HookGone || state.Waiting != 0 || state.Ended != 1500 {
		t.Fatalf("got %+v and %+v", now, state)
	}
	err := f.DB.View(func(tx *store.Tx) error {
		_, dropped, err := tx.HookDeliveries(h.ID, store.DeliveryFilter{State: store.DeliveryDropped}, 0, 1)
		if dropped != 1499 {
			t.Errorf("%d deliveries are dropped", dropped)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := f.deliveries(t, watch)
	if len(list) != 1 || list[0].Event != notify.HookDisabledEvent {
		t.Fatalf("got %+v", list)
	}
	f.update(t, func(tx *store.Tx) error {
		body, err := tx.HookBody(list[0])
		var got struct{ Data notify.Notice }
		if err == nil {
			err = json.Unmarshal(body, &got)
		}
		if want := `The hook "H" of Demo is disabled, because its receiver answered 410 Gone.`; got.Data.Message != want {
			t.Errorf("got  %s\nwant %s", got.Data.Message, want)
		}
		return err
	})
	f.notify(t, 1)
	f.run(t)
	if after, _, _ := f.deliveries(t, h); len(after) != 100 || after[0].State != store.DeliveryDropped {
		t.Error("a disabled hook gets new deliveries")
	}
}

// TestFailing checks that a hook that fails for five days is disabled, keeps what waits, and goes on
// when it is enabled again.
func TestFailing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var healthy atomic.Bool
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if !healthy.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	h := f.hook(t, r.URL)
	f.notify(t, 1)
	f.run(t)
	f.advance(5*24*time.Hour - time.Second)
	f.notify(t, 1)
	f.run(t)
	if _, now, _ := f.deliveries(t, h); !now.Enabled {
		t.Fatal("the hook is disabled too early")
	}
	f.advance(6 * time.Second)
	f.run(t)
	_, now, state := f.deliveries(t, h)
	if now.Enabled || now.DisabledReason != store.HookFailing || state.Waiting != 2 {
		t.Fatalf("got %+v and %+v", now, state)
	}
	made := r.requests.Load()
	f.advance(time.Hour)
	f.run(t)
	if r.requests.Load() != made {
		t.Error("a disabled hook is attempted")
	}
	healthy.Store(true)
	now.Enabled = true
	f.update(t, func(tx *store.Tx) error { return tx.PutHook(f.p.ID, now) })
	f.run(t)
	_, now, state = f.deliveries(t, h)
	if !now.Enabled || now.DisabledReason != "" || state.Waiting != 0 || state.Ended != 2 || state.FailingSince != 0 {
		t.Errorf("got %+v and %+v", now, state)
	}
}

// TestSlowReceiversDelayNoOther checks that receivers that hang do not delay others, and that those
// which hang share eight places.
func TestSlowReceiversDelayNoOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var hanging, most atomic.Int64
	release := make(chan struct{})
	var fail atomic.Bool
	fail.Store(true)
	hangs := newReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		if fail.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		n := hanging.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-release
		hanging.Add(-1)
	})
	t.Cleanup(sync.OnceFunc(func() { close(release) }))
	for range 12 {
		f.hook(t, hangs.URL)
	}
	f.notify(t, 1)
	f.run(t) // all have failed once
	fail.Store(false)
	f.advance(6 * time.Second)
	reached := make(chan time.Time, 1)
	ok := newReceiver(t, func(http.ResponseWriter, *http.Request) { reached <- time.Now() })
	healthy := f.hook(t, ok.URL)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = f.Run(ctx) })
	for hanging.Load() < 8 {
		runtime.Gosched()
	}
	caused := time.Now()
	f.notify(t, 1)
	if at := <-reached; at.Sub(caused) > 2*time.Second {
		t.Errorf("the request was made after %v", at.Sub(caused))
	}
	stop()
	running.Wait()
	if most.Load() != 8 {
		t.Errorf("%d attempts of failing hooks were made at the same time, not 8", most.Load())
	}
	if list, _, _ := f.deliveries(t, healthy); len(list) != 1 {
		t.Errorf("got %d deliveries", len(list))
	}
}

// transport answers requests without a network.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// TestBounds checks that an attempt ends after 20 seconds, and that at most 64 KiB of an answer are
// read.
func TestBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		h := f.hook(t, "https://receiver.example/")
		f.Client = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		f.notify(t, 1)
		begun := time.Now()
		f.run(t)
		list, _, state := f.deliveries(t, h)
		if d := list[0]; time.Since(begun) != 20*time.Second || d.LastError != "no answer in time" || *d.LastStatus != 0 || !state.Slow {
			t.Errorf("after %v: got %+v and %+v", time.Since(begun), d, state)
		}
		endless := &counted{}
		f.Client = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(endless), Request: r}, nil
		})}
		f.notify(t, 1)
		f.run(t)
		list, _, _ = f.deliveries(t, h)
		if d := list[0]; d.State != store.DeliveryDone || len(*d.Response) != 1024 || endless.n != 64<<10 {
			t.Errorf("got %+v after %d bytes", d, endless.n)
		}
	})
}

// counted is an endless answer that counts what is read of it.
type counted struct{ n int }

func (c *counted) Read(p []byte) (int, error) {
	c.n += len(p)
	copy(p, strings.Repeat("a", len(p)))
	return len(p), nil
}

// TestTest checks that a test is sent once and at once, also to a disabled hook, and is not stored.
func TestTest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil || !strings.HasPrefix(string(body), `{"type":"hook.test",`) {
			t.Errorf("got %s, %v", body, err)
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "no coffee")
	})
	h := f.hook(t, r.URL)
	h.Enabled = false
	f.update(t, func(tx *store.Tx) error { return tx.PutHook(f.p.ID, h) })
	got, err := f.Test(t.Context(), h)
	if err != nil || got.OK || got.Status != 418 || *got.Response != "no coffee" || got.Error != "the receiver answered 418" {
		t.Errorf("got %+v, %v", got, err)
	}
	if list, _, state := f.deliveries(t, h); len(list) != 0 || state.LastStatus != nil || r.requests.Load() != 1 {
		t.Errorf("got %+v and %+v", list, state)
	}
}

// TestChangedSecret checks that an event is not sent unsigned if the secret cannot be read any more.
func TestChangedSecret(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := newReceiver(t, func(http.ResponseWriter, *http.Request) {})
	h := f.hook(t, r.URL)
	f.Keys = seal.NewKeys([]byte("another"))
	f.notify(t, 1)
	f.run(t)
	list, _, _ := f.deliveries(t, h)
	if d := list[0]; d.State != store.DeliveryRetrying || !strings.Contains(d.LastError, "JWT_SECRET has changed") || r.requests.Load() != 0 {
		t.Errorf("got %+v and %d requests", d, r.requests.Load())
	}
}
