// Package site answers what belongs to the instance as a whole and people read in a
// browser: the terms documents.
package site

import (
	"svc/api/web"
	"svc/store"
)

// Config is all that the handlers may touch.
type Config struct {
	DB *store.Store
}

// Handlers answer requests about the site.
type Handlers struct{ Config }

// New makes handlers.
func New(c Config) *Handlers { return &Handlers{c} }

// Routes lists all routes.
func (h *Handlers) Routes() []web.Route { return h.termsRoutes() }
