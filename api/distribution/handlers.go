// Package distribution answers requests about files: direct links, which anybody may
// follow, uploads and the records of files, the storages that keep them, and the CDN
// in front.
//
//	link.go     direct links: conditions, headers, bytes
//	ranges.go   what the header Range asks for
//	hosts.go    which host answers direct links
//	files.go    records of files
//	uploads.go  uploads in chunks and in one request
//	mirror.go   attachments of releases that are copied here
//	storage.go  settings of storages
//	cdn.go      settings of the CDN refresh
//
// What takes long is stored as pending and left to jobs.
package distribution

import (
	"log/slog"
	"net/http"
	"slices"

	"svc/api/web"
	"svc/internal/instance"
	"svc/store"
)

// Config is all that the handlers may touch.
type Config struct {
	*instance.Files
	DB  *store.Store
	Log *slog.Logger

	BaseURL   string // what direct links begin with, without a slash at the end; "" = they have no host
	UploadMax int64  // bytes of the largest file
	CodeHost  string // web address whose attachments are copied
	// Fetch asks the code host: a client of profile outbound.Data.
	Fetch *http.Client
}

// Handlers answer requests about files.
type Handlers struct{ Config }

// New makes handlers.
func New(c Config) *Handlers { return &Handlers{c} }

// Routes lists all routes.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat(h.linkRoutes(), h.fileRoutes(), h.uploadRoutes(), h.storageRoutes(), h.cdnRoutes())
}
