// Package codehost answers requests about the code host: settings, webhooks, previews
// and imports of releases.
//
//	handlers.go     Handlers, all routes
//	app.go          settings of the app, and their test
//	integration.go  what a project does with its repository
//	preview.go      previews and imports
//	webhook.go      settings of the release webhook, and its deliveries
//	commands.go     comments that start workflows
package codehost

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"svc/api/web"
	"svc/internal/codehost"
	"svc/internal/forward"
	"svc/internal/seal"
	"svc/store"
)

// Config is all that the handlers may touch.
type Config struct {
	DB   *store.Store
	Log  *slog.Logger
	Now  func() time.Time
	Keys *seal.Keys
	Host *codehost.Client
	// Forward makes issues of feedback, and has the templates of repositories.
	Forward *forward.Engine
	// BaseURL is where direct links begin; "" = they have no host.
	BaseURL string
	// Mirror has attachments of releases copied here and returns how many are queued.
	// It is nil where direct links have no host.
	Mirror func(tx *store.Tx, p *store.Project, addresses []string) (queued int, err error)
}

// Handlers answer requests about the code host.
type Handlers struct{ Config }

// New makes handlers.
func New(c Config) *Handlers { return &Handlers{Config: c} }

// Routes lists all routes.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat(h.appRoutes(), h.integrationRoutes(), h.previewRoutes(), h.webhookRoutes(), h.commandRoutes())
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
