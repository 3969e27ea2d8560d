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

// Config holds everything that the handlers use.
type Config struct {
	DB   *store.Store
	Log  *slog.Logger
	Now  func() time.Time
	Keys *seal.Keys
	Host *codehost.Client
	// Forward makes issues of feedback, and provides the templates of repositories.
	Forward *forward.Engine
	// BaseURL is the beginning of direct links; "" if they have no host.
	BaseURL string
	// Mirror queues copies of the attachments of releases and returns their number. It is nil if
	// direct links have no host.
	Mirror func(tx *store.Tx, p *store.Project, addresses []string) (queued int, err error)
}

// Handlers serve the routes of the code host.
type Handlers struct{ Config }

// New returns handlers.
func New(c Config) *Handlers { return &Handlers{Config: c} }

// Routes returns all routes.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat(h.appRoutes(), h.integrationRoutes(), h.previewRoutes(), h.webhookRoutes(), h.commandRoutes())
}

// forRequest returns a context with the time limit of all calls that one request makes. It extends
// the deadline of the answer until done is called.
func forRequest(r *web.Request) (ctx context.Context, done func()) {
	again := web.NoWriteDeadline(r.Writer)
	ctx, cancel := context.WithTimeout(r.Context(), codehost.RequestTime)
	return ctx, func() {
		cancel()
		again()
	}
}
