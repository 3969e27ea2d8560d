// Package delivery sends the deliveries of hooks to their receivers.
//
//	delivery.go  the engine: which hook is next
//	send.go      one attempt
package delivery

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"svc/internal/notify"
	"svc/internal/seal"
	"svc/store"
)

// Config contains the dependencies of an Engine.
type Config struct {
	DB   *store.Store
	Keys *seal.Keys
	Log  *slog.Logger
	Now  func() time.Time // the clock; the same as that of the store
	// Client makes the requests. It must have the profile for addresses that the administrator typed.
	Client *http.Client
}

// Engine sends deliveries. It is safe for concurrent use.
type Engine struct {
	Config
}

// New returns an engine that sends nothing until Run is called.
func New(c Config) *Engine { return &Engine{Config: c} }

// Result is the outcome of a request to a receiver.
type Result struct {
	OK       bool
	Status   int // 0 = no answer
	Took     time.Duration
	Response *string // the start of the answer; nil = no answer
	Error    string  // "" if it succeeded

	Gone       bool      // the receiver wants no more events
	Final      bool      // repeating the request is useless
	RetryAfter time.Time // the receiver wants no request before; the zero value is none
}

// Test sends the event hook.test to a hook, once and now, also if it is disabled. It stores nothing.
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
