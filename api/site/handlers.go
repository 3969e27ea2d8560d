// Package site answers what belongs to the instance as a whole and people read in a
// browser: the terms documents, and the client library for web pages.
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
func (h *Handlers) Routes() []web.Route { return append(h.termsRoutes(), h.sdkRoutes()...) }
