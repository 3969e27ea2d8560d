package feeds

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"svc/store"
)

// maxCached is the maximum size of a cache in bytes, and responseOverhead what a response needs beside
// its text.
const (
	maxCached        = 16 << 20
	responseOverhead = 1 << 10
)

// cache holds responses of feeds. A full cache is replaced by an empty one.
type cache struct {
	found sync.Map // cached -> *response
	size  atomic.Int64
}

// cached identifies a response: the state of the project and of its files, and everything in the
// request on which the response can depend.
type cached struct {
	snap    *store.Snapshot
	files   any
	request string
}

// response is a response with status 200.
type response struct {
	contentType, caching, vary []string
	etag                       []string // nil if the response is not public
	body                       []byte
	named                      string // the version of the callers that get the response; "" = unknown
}

// parameters lists the parameters on which responses in the cache depend. Rollout keys are missing: as
// long as they matter, no response to a request with a key is kept.
var parameters = []string{"arch", "bundle_type", "channel", "current", "id", "locale", "localVersion", "platform", "version"}

// identify returns the key of the response in the cache. ok is false if the response depends on more
// than the key, namely on a rollout key while a version is being rolled out.
func (a *asking) identify() (key cached, ok bool) {
	if a.keyed() {
		for at := range a.snap.Catalog.Len() {
			if item := a.snap.Catalog.Item(at); item.Rollout != nil && !item.Rollout.State.Final() {
				return key, false
			}
		}
	}
	var b strings.Builder
	b.WriteString(a.origin())
	b.WriteString(a.page())
	b.WriteString(a.URL.EscapedPath())
	for _, name := range parameters {
		b.WriteString("\n" + a.Query(name))
	}
	return cached{a.snap, a.DB.FileState(), b.String()}, true
}

// keyed reports whether the request has a rollout key in any form.
func (a *asking) keyed() bool {
	return a.Query("key") != "" || a.Query("stagingId") != "" || len(a.Header["X-User-Staging-Id"]) > 0
}

// recall responds from the cache, if it has the response.
func (a *asking) recall() bool {
	if a.id, a.identified = a.identify(); !a.identified {
		return false
	}
	found, ok := a.cache.Load().found.Load(a.id)
	if ok {
		known := found.(*response)
		a.named = known.named
		a.reply(known)
		a.observe()
	}
	return ok
}

// remember puts a response into the cache. It uses the key from before the response was made,
// because a file may have changed since.
func (a *asking) remember(r *response) {
	if !a.identified || a.timed {
		return
	}
	known := a.cache.Load()
	if known.size.Add(int64(len(a.id.request)+len(r.body)+responseOverhead)) > maxCached {
		a.cache.CompareAndSwap(known, &cache{})
		return
	}
	known.found.Store(a.id, r)
}

// reply sends a response, or status 304 if the client has it.
func (a *asking) reply(r *response) {
	header := a.w.Header()
	header["Cache-Control"], header["Vary"] = r.caching, r.vary
	if r.etag != nil {
		header["Etag"] = r.etag
		if matches(a.Header["If-None-Match"], r.etag[0]) {
			a.w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	a.write(r.contentType, r.body)
}
