// Package codehost answers requests about the code host: settings, webhooks, previews
// and imports of releases, and feedback that becomes an issue.
//
//	handlers.go     Handlers, all routes
//	app.go          settings of the app, and their test
//	integration.go  what a project does with its repository
//	template.go     templates of issues
//	forward.go      feedback that becomes an issue
//	preview.go      previews and imports
//	webhook.go      settings of the release webhook, and its deliveries
//	commands.go     comments that start workflows
//	calls.go        as which app the code host is asked, for how long, what its errors mean
package codehost

import (
	"log/slog"
	"slices"
	"time"

	"svc/api/web"
	"svc/internal/codehost"
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

	ForwardLimit  int           // issues made of feedback of one address ...
	ForwardPeriod time.Duration // ... in this time
	// BaseURL is where direct links begin; "" = they have no host.
	BaseURL string
	// Mirror has attachments of releases copied here and returns how many are queued.
	// It is nil where direct links have no host.
	Mirror func(tx *store.Tx, p *store.Project, addresses []string) (queued int, err error)
}

// Handlers answer requests about the code host.
type Handlers struct {
	Config
	templates  templateCache
	forwarding *forwarding
}

// New makes handlers.
func New(c Config) *Handlers { return &Handlers{Config: c, forwarding: newForwarding(c)} }

// Routes lists all routes.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat(h.appRoutes(), h.integrationRoutes(), h.previewRoutes(), h.webhookRoutes(), h.commandRoutes())
}
