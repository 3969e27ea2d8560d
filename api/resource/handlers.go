// Package resource answers requests about the records of the service: the account
// and API keys, projects and their languages, versions and the update check,
// announcements, feedback, logs, and the search through all of them. A resource is
// one file here and one in package store.
package resource

import (
	"log/slog"
	"slices"
	"time"

	"svc/api/web"
	"svc/internal/auth"
	"svc/internal/geo"
	"svc/internal/limit"
	index "svc/search"
	"svc/store"
)

// Config is all that the handlers may touch.
type Config struct {
	DB     *store.Store
	Search *index.Index // nil = searches scan all records
	Geo    *geo.Locator // places of addresses; nil = no lookup
	Log    *slog.Logger
	Now    func() time.Time

	Tokens        *auth.Tokens
	KeySalt       []byte // of the hashes of API keys
	BootstrapFile string // holds a generated first password until the first login
}

// Handlers answer requests about resources.
type Handlers struct {
	Config
	hasher *auth.Hasher
	logins *limit.Windows
	slow   *limit.Slow
}

// New makes handlers that have seen no request yet.
func New(c Config) *Handlers {
	return &Handlers{
		Config: c, hasher: auth.NewHasher(), slow: limit.NewSlow(),
		logins: limit.NewWindows(20, 5*time.Minute, web.LimitedAddresses),
	}
}

// Routes lists the routes of all resources.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat(
		h.accountRoutes(), h.keyRoutes(), h.projectRoutes(), h.languageRoutes(), h.versionRoutes(), h.publicRoutes(),
		h.announcementRoutes(), h.publicAnnouncementRoutes(), h.feedbackRoutes(), h.logRoutes(), h.searchRoutes(),
	)
}

// problems are the broken rules of a request, with the checks of resources.
type problems struct{ web.Problems }
