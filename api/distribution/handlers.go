// Package distribution answers requests about files. It serves direct links, which need no
// authentication, accepts uploads, and manages the records of files and the settings of storages
// and the CDN.
//
//	link.go        direct links: conditions, headers, bytes
//	ranges.go      parsing of the Range header
//	hosts.go       which host serves direct links
//	files.go       records of files
//	assets.go      assets of versions
//	signatures.go  signatures of assets
//	uploads.go     uploads in chunks and in one request
//	storage.go     settings of storages
//	cdn.go         settings of the CDN refresh
//
// Operations that take long are recorded as pending, and jobs perform them.
package distribution

import (
	"slices"

	"svc/api/web"
	"svc/internal/files/engine"
	"svc/store"
)

// Handlers answers requests about files.
type Handlers struct {
	*engine.Engine
	siteURL string
	count   func(store.CountedRequest)
}

// New returns handlers that use the engine e. siteURL is the public address of the site, or "" if it
// is unknown. The handlers call the function count for each download.
func New(e *engine.Engine, siteURL string, count func(store.CountedRequest)) *Handlers {
	return &Handlers{e, siteURL, count}
}

// Routes returns all routes.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat(
		h.linkRoutes(), h.fileRoutes(), h.assetRoutes(), h.signatureRoutes(), h.uploadRoutes(), h.storageRoutes(), h.cdnRoutes(),
	)
}
