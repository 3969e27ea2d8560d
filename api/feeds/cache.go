package feeds

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"svc/internal/feed"
	"svc/store"
)

// Sizes in bytes.
const (
	maxCached     = 16 << 20 // maximum size of a cache
	entryOverhead = 1 << 10  // estimated size of an entry without its value
	releaseSize   = 512      // estimated size of a version
)

// cache holds responses of feeds. For responses that cannot be cached, it holds those intermediate
// results that are the same for all callers. A full cache is replaced by an empty one.
type cache struct {
	found sync.Map // cached -> *response, basis -> releases, ordering -> *misfits
	size  atomic.Int64
}

// basis is the state of a project and of its files from which a response is made. It is read before
// the files are, so that later requests have another basis if a file changes in the meantime.
type basis struct {
	snap  *store.Snapshot
	files any
}

// cached is the key of a response in the cache: the basis from which the response is made, and
// everything in the request on which the response can depend.
type cached struct {
	basis
	request string
}

// ordering is the key of the misfits of a channel in the cache. It includes the origin because
// addresses of stored files begin with the origin, and Sparkle does not accept every address.
type ordering struct {
	basis
	origin, channel string
	order           feed.Order
}

// releases contains the versions of a catalog by position. An element is nil until the version is
// needed.
type releases []atomic.Pointer[feed.Release]

// keep puts a value into the cache. size is its estimated size in bytes.
func (h *Handlers) keep(key, value any, size int) {
	known := h.cache.Load()
	if known.size.Add(int64(size+entryOverhead)) > maxCached {
		h.cache.CompareAndSwap(known, &cache{})
		return
	}
	known.found.Store(key, value)
}

// recallReleases returns the versions that all requests share. It takes them from the cache if
// possible.
func (a *asking) recallReleases() releases {
	if known, ok := a.cache.Load().found.Load(a.basis); ok {
		return known.(releases)
	}
	all := make(releases, a.snap.Catalog.Len())
	a.keep(a.basis, all, len(all)*releaseSize)
	return all
}

// recallMisfits returns the result of misordered. It takes the result from the cache if possible.
func (a *asking) recallMisfits() *misfits {
	key := ordering{a.basis, a.origin(), a.channel, a.order}
	if known, ok := a.cache.Load().found.Load(key); ok {
		return known.(*misfits)
	}
	all := a.misordered()
	if a.failed == nil {
		a.keep(key, all, len(key.origin)+(len(all.leftOut)+len(all.overtaken))*releaseSize)
	}
	return all
}

// response is a response with status 200.
type response struct {
	contentType, caching, vary []string
	etag                       []string // nil if the response is not public
	body                       []byte
	named                      string // the version of the callers that get the response; "" = unknown
}

// parameters lists the query parameters on which cached responses depend. Rollout keys are missing:
// while a version is being rolled out, no response to a request with a key is cached.
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
	return cached{a.basis, b.String()}, true
}

// keyed reports whether the request has a rollout key in any form.
func (a *asking) keyed() bool {
	return a.Query("key") != "" || a.Query("stagingId") != "" || len(a.Header["X-User-Staging-Id"]) > 0
}

// recall responds from the cache. It returns false if the cache does not contain the response.
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

// remember puts a response into the cache.
func (a *asking) remember(r *response) {
	if !a.identified || a.timed {
		return
	}
	a.keep(a.id, r, len(a.id.request)+len(r.body))
}

// reply sends a response, or status 304 if the client already has it.
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
