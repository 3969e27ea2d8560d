package web

import "net/http"

// Values of the cross-origin headers. Pages of every origin may read responses.
// Access-Control-Allow-Origin repeats the origin of the request instead of "*", because browsers
// send beacons with credentials.
var (
	corsAllow   = []string{"true"}
	corsExpose  = []string{"ETag, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"}
	corsMethods = []string{"GET, HEAD, PUT, PATCH, POST, DELETE, OPTIONS"}
	corsMaxAge  = []string{"86400"}
	varyOrigin  = []string{"Origin"}
)

// Values of the cross-origin headers of public content. They do not depend on the origin of the
// request, so no Vary header is needed.
var (
	anything    = []string{"*"}
	readMethods = []string{"GET, HEAD"}
)

// SetCORS sets the cross-origin headers that all responses have.
func SetCORS(h http.Header, r *http.Request) {
	h["Vary"] = varyOrigin
	origin := r.Header["Origin"]
	if len(origin) == 0 {
		return
	}
	h["Access-Control-Allow-Origin"] = origin[:1:1]
	h["Access-Control-Allow-Credentials"] = corsAllow
	h["Access-Control-Expose-Headers"] = corsExpose
	if !IsPreflight(r) {
		return
	}
	h["Access-Control-Allow-Methods"] = corsMethods
	h["Access-Control-Max-Age"] = corsMaxAge
	if wanted := r.Header["Access-Control-Request-Headers"]; len(wanted) > 0 {
		h["Access-Control-Allow-Headers"] = wanted
	}
}

// AllowEveryOrigin sets the cross-origin headers of public content. Pages may also read all
// headers of the response, because a page that resumes a download needs the entity tag. The headers
// do not depend on the request, so caches need no Vary.
func AllowEveryOrigin(h http.Header, r *http.Request) {
	h["Access-Control-Allow-Origin"] = anything
	h["Access-Control-Expose-Headers"] = anything
	if IsPreflight(r) {
		h["Access-Control-Allow-Methods"] = readMethods
		h["Access-Control-Allow-Headers"] = anything
		h["Access-Control-Max-Age"] = corsMaxAge
	}
}

// IsPreflight reports whether a request is a browser's CORS preflight. The response to a preflight
// is the same for every path and requires no credential.
func IsPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != ""
}
