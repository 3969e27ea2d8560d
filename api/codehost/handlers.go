// Package codehost answers requests about the code host: settings, webhooks, previews
// and imports of releases.
//
//	handlers.go     Handlers, all routes
//	app.go          settings of the app, and the test of its credentials
//	integration.go  a project's settings for its repository
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
	// Forward creates issues from feedback and provides the issue templates of repositories.
	Forward *forward.Engine
	// BaseURL is the base address of direct links. It is "" if no host for direct links is
	// configured.
	BaseURL string
	// Mirror queues the copying of release attachments and returns how many it has queued. It is
	// nil if no host for direct links is configured.
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

// forRequest returns a context that limits the total time of the calls to the code host made for r.
// The write deadline of the response is suspended until the caller calls done.
func forRequest(r *web.Request) (ctx context.Context, done func()) {
	again := web.NoWriteDeadline(r.Writer)
	ctx, cancel := context.WithTimeout(r.Context(), codehost.RequestTime)
	return ctx, func() {
		cancel()
		again()
	}
}
