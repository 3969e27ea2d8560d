package codehost

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/api/web"
	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/internal/seal"
	"svc/store"
)

// app is the app of the settings, nil where it is not configured. Where the key cannot be
// opened the error, of kind Invalid, says that it must be entered again.
func (h *Handlers) app(settings *store.CodehostApp) (*codehost.App, error) {
	if !settings.Configured() {
		return nil, nil
	}
	key, err := h.Keys.Open(seal.AppPrivateKey, settings.PrivateKey)
	if err != nil {
		return nil, err
	}
	return codehost.NewApp(settings.AppID, key)
}

// forRequest is the time that all calls of a request to us may take together, and longer
// for its answer.
func forRequest(r *web.Request) (ctx context.Context, done func()) {
	again := web.NoWriteDeadline(r.Writer)
	ctx, cancel := context.WithTimeout(r.Context(), codehost.RequestTime)
	return ctx, func() {
		cancel()
		again()
	}
}

// gatewayError is what a failed call to the code host means to an administrator. What
// the code host said is for the log.
func (h *Handlers) gatewayError(err error, missing string) error {
	answer := fault.New(fault.BadGateway, "the code host did not answer as it should; the log has the details")
	e, ok := errors.AsType[*codehost.Error](err)
	switch {
	case errors.Is(err, codehost.ErrNotFound):
		answer = fault.New(fault.NotFound, "%s", missing)
	case ok && !e.Reset.IsZero():
		answer = fault.New(fault.BadGateway, "the code host takes no more requests until %s", e.Reset.UTC().Format(time.RFC3339))
		answer.RetryAfter = max(e.Reset.Sub(h.Now()), time.Second)
	}
	return fmt.Errorf("%w: %w", answer, err)
}
