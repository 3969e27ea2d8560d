// Package delivery sends the deliveries of hooks to their receivers. The store keeps them until they
// have been delivered, so that they survive a crash.
//
//	delivery.go  the engine: which delivery is sent next
//	send.go      one request to a receiver
//	mail.go      one message by e-mail
package delivery

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"svc/internal/fault"
	"svc/internal/notify"
	"svc/internal/notify/smtp"
	"svc/internal/seal"
	"svc/store"
)

const (
	// slowPlaces is the maximum number of concurrent attempts for slow hooks, the last attempt of
	// which failed or took longer than slowTime. All other hooks share otherPlaces attempts, so
	// that a slow receiver does not delay them.
	slowPlaces  = 8
	otherPlaces = 64
	slowTime    = 2 * time.Second
	// retryPause is the pause after a failure to read or write the store.
	retryPause = 10 * time.Second
	// missingPause is the pause of a hook after its next delivery was not found.
	missingPause = time.Second
	// lookEvery is the maximum time between two comparisons of due times with the clock. They must
	// be compared regularly, because the clock can be set.
	lookEvery = time.Minute
)

// Config contains the dependencies of an Engine.
type Config struct {
	DB   *store.Store
	Keys *seal.Keys
	Log  *slog.Logger
	Now  func() time.Time // the clock of the store
	// Client makes the requests. Its profile must be outbound.Operator.
	Client *http.Client
	Mail   *smtp.Server // nil = the instance cannot send e-mail
}

// Engine sends the queued deliveries of hooks to their receivers. It is safe for concurrent use.
type Engine struct {
	Config
	running sync.Mutex // held by Run
}

// New returns an engine that sends nothing until Run is called.
func New(c Config) *Engine { return &Engine{Config: c} }

// Test sends the event hook.test to the receiver of a hook, once and immediately, even if the hook
// is disabled. It stores nothing.
func (e *Engine) Test(ctx context.Context, h *store.Hook) (Result, error) {
	var of *notify.Project
	if p, ok := e.DB.ProjectByID(h.Project); ok {
		of = &notify.Project{Key: p.Key, Name: p.Name}
	}
	event := notify.Event{Name: notify.TestEvent, Data: notify.Notice{Message: "This is a test of the hook " + h.Name + "."}}
	body, err := event.Body(of, e.Now())
	if err != nil {
		return Result{}, err
	}
	return e.send(ctx, h, store.MessageID(e.DB.NewID()), body), nil
}

// Run sends all deliveries that are due, including those that become due while it runs. It returns
// when no delivery is due and all attempts have ended.
func (e *Engine) Run(ctx context.Context) error {
	e.running.Lock()
	defer e.running.Unlock()
	r := run{Engine: e, active: map[store.ID]*attempt{}, ended: make(chan store.ID), started: map[store.ID]uint64{}}
	defer func() {
		for range r.active { // all attempts end soon, because they end with ctx
			<-r.ended
		}
	}()
	attempts, stop := context.WithCancel(ctx)
	defer stop() // before the function above
	for {
		changed := e.DB.HooksChanged() // before the look, so that no change is missed
		next, err := r.start(attempts)
		if err != nil || len(r.active) == 0 {
			return err
		}
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
		case <-changed:
		case <-timer.C:
		case id := <-r.ended:
			delete(r.active, id)
		}
		timer.Stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// Next returns the time until Run must be called again, unless Store.HooksChanged reports a change
// earlier. It is 0 if a delivery is due.
func (e *Engine) Next() (wait time.Duration, err error) {
	list, err := e.due(nil)
	wait = lookEvery
	for _, a := range list {
		wait = min(wait, max(a.due.Sub(e.Now()), 0))
	}
	return wait, err
}

// attempt is the next attempt to send a delivery of a hook.
type attempt struct {
	hook *store.Hook
	id   store.ID // of the delivery
	due  time.Time
	slow bool // see slowPlaces
}

// due returns the next attempt of each enabled hook that has a waiting delivery, even if the
// attempt is not due yet. It omits the hooks in the parameter except, a map by the ids of hooks.
func (e *Engine) due(except map[store.ID]*attempt) (list []attempt, err error) {
	hooks := e.DB.EnabledHooks()
	if len(hooks) == 0 {
		return nil, nil
	}
	err = e.DB.View(func(tx *store.Tx) error {
		for _, h := range hooks {
			if except[h.ID] != nil {
				continue
			}
			id, due, ok, err := tx.NextHookDelivery(h.ID)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			state, err := tx.HookState(h.ID)
			if err != nil {
				return err
			}
			list = append(list, attempt{h, id, due, state.Slow})
		}
		return nil
	})
	return list, err
}

// run is one call of Engine.Run.
type run struct {
	*Engine
	active  map[store.ID]*attempt // attempts in progress by hook
	ended   chan store.ID         // hooks whose attempt has ended
	started map[store.ID]uint64   // by hook, the value of order when its last attempt started
	order   uint64                // number of attempts started
}

// start starts the attempts that are due, as far as slowPlaces and otherPlaces allow. It returns
// the time until another attempt becomes due.
func (r *run) start(ctx context.Context) (next time.Duration, err error) {
	list, err := r.due(r.active)
	if err != nil {
		return 0, err
	}
	// hooks take turns, so that one with a long queue does not occupy a place all the time
	slices.SortFunc(list, func(a, b attempt) int {
		return cmp.Or(cmp.Compare(r.started[a.hook.ID], r.started[b.hook.ID]), a.due.Compare(b.due))
	})
	places := map[bool]int{true: slowPlaces, false: otherPlaces}
	for _, a := range r.active {
		places[a.slow]--
	}
	next = lookEvery
	now := r.Now()
	for _, a := range list {
		if wait := a.due.Sub(now); wait > 0 {
			next = min(next, wait)
			continue
		}
		if places[a.slow] <= 0 {
			continue // until an attempt ends
		}
		places[a.slow]--
		r.order++
		r.started[a.hook.ID], r.active[a.hook.ID] = r.order, &a
		go func() {
			r.attempt(ctx, a)
			r.ended <- a.hook.ID
		}()
	}
	return next, nil
}

// attempt makes an attempt and stores its outcome.
func (e *Engine) attempt(ctx context.Context, a attempt) {
	log := e.Log.With("hook", a.hook.ID.String(), "delivery", store.MessageID(a.id))
	var d *store.HookDelivery
	var body []byte
	err := e.DB.View(func(tx *store.Tx) (err error) {
		if d, err = tx.HookDelivery(a.hook.ID, a.id); err == nil {
			body, err = tx.HookBody(d)
		}
		return err
	})
	if fault.Is(err, fault.NotFound) {
		_ = pause(ctx, missingPause) // deleted meanwhile, or damaged
		return
	}
	if err != nil {
		log.Error("event not sent; retrying", "error", err)
		_ = pause(ctx, retryPause) // the caller tries again
		return
	}
	result := e.send(ctx, a.hook, d.MessageID(), body)
	if ctx.Err() != nil {
		return // the server stops; the delivery is attempted again
	}
	outcome := e.outcome(d, result)
	for failed := false; ; failed = true {
		// if the outcome were lost, the request would be repeated
		err := e.DB.Submit(func(tx *store.Tx) error { return tx.EndAttempt(a.hook, a.id, outcome) })
		if err == nil {
			break
		}
		if !failed {
			log.Error("outcome of an attempt not stored; retrying", "error", err)
		}
		if pause(ctx, retryPause) != nil {
			return
		}
	}
	if !result.OK {
		log.Warn("event not delivered", "event", d.Event, "attempt", d.Attempts+1, "status", result.Status, "error", result.Error)
	}
	if result.Gone {
		e.drop(ctx, a.hook)
	}
}

// outcome returns the record of an attempt that the store needs.
func (e *Engine) outcome(d *store.HookDelivery, r Result) store.DeliveryAttempt {
	wait, again := notify.Wait(d.Attempts+1, rand.Float64())
	if !r.RetryAfter.IsZero() {
		wait = max(wait, r.RetryAfter.Sub(e.Now()))
	}
	return store.DeliveryAttempt{
		Attempts: d.Attempts, OK: r.OK, Status: r.Status, Error: r.Error, Response: r.Response,
		Gone: r.Gone, Slow: r.Took > slowTime, Wait: wait, Last: !again || r.Final,
	}
}

// drop drops the waiting deliveries of a hook after its receiver has answered 410 Gone.
func (e *Engine) drop(ctx context.Context, h *store.Hook) {
	for more := true; more && ctx.Err() == nil; {
		err := e.DB.Update(func(tx *store.Tx) (err error) {
			more, err = tx.DropWaiting(h.Project, h.ID)
			return err
		})
		if err != nil {
			e.Log.Error("waiting events not dropped", "hook", h.ID.String(), "error", err)
			return
		}
	}
}

// pause waits for the given duration. If ctx ends first, it returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
