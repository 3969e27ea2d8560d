// Package distribution answers requests about files: direct links, which need no
// authentication, uploads and the records of files, the storages that hold them, and the CDN
// in front.
//
//	link.go     direct links: conditions, headers, bytes
//	ranges.go   the header Range
//	hosts.go    which host answers direct links
//	files.go    records of files
//	uploads.go  uploads in chunks and in one request
//	storage.go  settings of storages
//	cdn.go      settings of the CDN refresh
//
// Long operations are stored as pending and left to jobs.
package distribution

import (
	"slices"

	"svc/api/web"
	"svc/internal/files/engine"
)

// Handlers answers requests about files.
type Handlers struct{ *engine.Engine }

// New returns handlers that use e.
func New(e *engine.Engine) *Handlers { return &Handlers{e} }

// Routes returns all routes.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat(h.linkRoutes(), h.fileRoutes(), h.uploadRoutes(), h.storageRoutes(), h.cdnRoutes())
}
