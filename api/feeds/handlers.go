// Package feeds serves the addresses under /feeds/, at which updaters and feed readers ask for the
// versions of a project. Apps have these addresses built in, so they never change.
//
//	handlers.go     routes, and headers of all responses
//	asking.go       what a request asks for, and the versions that it is offered
//	answer.go       responses
//	cache.go        cached responses and intermediate results
//	updaters.go     the feeds of updaters
//	files.go        files below the address of a feed
//	latest.go       links to the latest version, and checksums
//	syndication.go  Atom and RSS
//	check.go        the state of all feeds, for administrators
package feeds

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"svc/api/distribution"
	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/health"
	"svc/store"
)

// Config is the configuration of Handlers.
type Config struct {
	DB      *store.Store
	Now     func() time.Time
	Files   *distribution.Handlers
	Health  *health.Engine // observes rollouts
	Hosts   distribution.Hosts
	BaseURL string // address of direct links; "" = they have no separate host
	SiteURL string // public address of the site; "" = unknown
}

// Handlers serves feeds.
type Handlers struct {
	Config
	cache atomic.Pointer[cache]
}

// New returns handlers with the given configuration.
func New(c Config) *Handlers {
	h := &Handlers{Config: c}
	h.cache.Store(&cache{})
	return h
}

// prefix is the prefix of the paths of all feeds.
const prefix = "/feeds/"

// IsFeed reports whether a decoded path belongs to the feeds.
func IsFeed(path string) bool { return strings.HasPrefix(path, prefix) }

// Routes returns the routes of all feeds. Path parameters are named by position ("two", "three"),
// because their meaning differs between formats.
func (h *Handlers) Routes() []web.Route {
	var routes []web.Route
	addAs := func(counts, path string, handler func(*asking) error) {
		routes = append(routes, web.Route{
			Method: http.MethodGet, Path: prefix + ":k/" + path, Access: web.Anyone(), Handler: h.answer(handler), BodyLimit: web.PublicBodyLimit,
			Counts: counts,
		})
	}
	add := func(path string, handler func(*asking) error) { addAs("FEED", path, handler) }
	add(":one", h.syndication)
	add("tauri/:two/latest.json", h.tauriStatic)
	add("tauri/:two/:three/:four/:five", h.tauriDynamic)
	add("electron/:two", h.electron)
	addAs("", "electron/:two/:three/:four", h.electronFile)
	add("velopack/:two/:three", h.velopack)
	add("sparkle/:two/appcast.xml", h.sparkle)
	add("winsparkle/:two/appcast.xml", h.winSparkle)
	add("squirrel/:two/:three/:four", h.squirrel)
	add("squirrel-mac/:two/:three/:four", h.squirrelMac)
	add("latest/:two/:three", h.latest)
	add("latest/:two/:three/:four", h.latest)
	add("latest/:two/:three/:four/:five", h.latest)
	addAs("", "sums/:two/SHA256SUMS", h.sums)
	return routes
}

// AdminRoutes returns the routes for administrators.
func (h *Handlers) AdminRoutes() []web.Route {
	return []web.Route{{
		Method: http.MethodGet, Path: web.V1 + "/admin/projects/:k/feeds", Access: web.ByScope("versions:read"), Handler: web.OK(h.check),
	}}
}

// answer wraps a handler. As for direct links, everything that does not exist gets the same 404.
func (h *Handlers) answer(handler func(*asking) error) web.Handler {
	return func(w http.ResponseWriter, r *web.Request) error {
		err := r.Snapshot(h.DB, func(snap *store.Snapshot) error {
			a := h.newAsking(w, r, snap)
			if a.recall() {
				return nil
			}
			err := handler(a)
			a.observe()
			return err
		})
		if fault.Is(err, fault.NotFound) && !errors.Is(err, web.ErrNoPath) {
			return web.ErrNoPath
		}
		return err
	}
}
