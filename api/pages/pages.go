// Package pages serves the addresses that users open in a browser: the console, the public pages,
// and the files that these load. The addresses are not part of the API that openapi.yaml
// describes.
//
//	pages.go     Routes, and headers of all pages
//	console.go   the console and its files
//	layout.go    templates, files and headers shared by public pages
//	public.go    the terms documents
//	home.go      the start page
//	project.go   the page of a project
//	offer.go     the download for the visitor's system
//	change.go    the changes since a version
//	reference.go the API reference
//	language.go  the language that a visitor prefers
//	words.go     the words of pages in each language
//	missing.go   pages for missing addresses and errors
//	sdk.go       the client library for web pages
package pages

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"svc/api/web"
	"svc/store"
)

// Config is the configuration of Handlers.
type Config struct {
	DB      *store.Store
	Log     *slog.Logger
	SiteURL string // public address of the site; "" = unknown
	Home    string // what / shows: HomeList (the default when empty), an address or the key of a project
	OpenAPI []byte // the description of the API
	Now     func() time.Time
}

// Handlers serves pages.
type Handlers struct {
	Config
	manual func() (*manual, error) // built by the first request for it
}

// New returns handlers with the given configuration.
func New(c Config) *Handlers {
	return &Handlers{c, sync.OnceValues(func() (*manual, error) { return newManual(c.OpenAPI) })}
}

// Routes returns the routes of all pages and of their files.
func (h *Handlers) Routes() []web.Route {
	var routes []web.Route
	add := func(path string, answer web.Handler) {
		routes = append(routes,
			web.Route{Method: http.MethodGet, Path: path, Access: web.Anyone(), Handler: sameOrigin(answer), BodyLimit: web.PublicBodyLimit})
	}
	add("/", h.page(h.home))
	add("/projects/:k", h.page(h.project))
	add("/terms/:slug", h.page(h.terms))
	add("/pages/:file", servePageFile)
	add("/doc", h.page(h.reference))
	add("/doc/:slug", h.page(h.reference))
	add("/reference/openapi.json", h.serveOpenAPI)
	add("/reference/:file", servePageFile)
	// The console itself determines the page from the address.
	for _, path := range []string{"/login", "/admin", "/admin/:page", "/admin/:page/:part", "/admin/:page/:part/:tab"} {
		add(path, serveConsole)
	}
	add("/console/:file", serveConsoleFile)
	add("/robots.txt", serveRobots)
	return routes
}

// sameOrigin wraps a handler. It removes the CORS headers, so that pages of other origins cannot
// read the response.
func sameOrigin(answer web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *web.Request) error {
		header := w.Header()
		for name := range header {
			if strings.HasPrefix(name, "Access-Control-") {
				delete(header, name)
			}
		}
		header["Vary"] = web.VaryByEncoding
		return answer(w, r)
	}
}

// Shared header values of pages. They must not be modified.
var (
	html          = []string{"text/html; charset=utf-8"}
	noStore       = []string{"no-store"}
	referSameOnly = []string{"same-origin"}
	notInSearches = []string{"noindex"}
)

// setPolicy sets the headers that restrict what a page may load and which sites may embed it. The
// arguments scripts, styles and types are inserted into the directives script-src, style-src and
// trusted-types of the Content-Security-Policy. Style sheets of the same origin are always allowed.
func setPolicy(header http.Header, scripts, styles, types string) {
	header["Content-Security-Policy"] = []string{"default-src 'self'; script-src " + scripts + "; style-src 'self'" + styles +
		"; trusted-types" + types +
		"; require-trusted-types-for 'script'; img-src 'self' data: blob: https:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; " +
		"form-action 'self'; object-src 'none'"}
	header["Referrer-Policy"] = referSameOnly
	header["Cross-Origin-Opener-Policy"] = referSameOnly
}

// robotsFile excludes the console and the API from search engines.
var robotsFile = web.NewFile(web.FileType("robots.txt"), func() string {
	return "User-agent: *\nDisallow: /admin\nDisallow: /login\nDisallow: /api/\n"
}, nil)

func serveRobots(w http.ResponseWriter, r *web.Request) error {
	robotsFile.Serve(w, r, web.ForMinutes)
	return nil
}
