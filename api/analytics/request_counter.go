package analytics

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"svc/api/web"
	"svc/internal/geo"
	"svc/internal/requests"
	"svc/internal/stats"
	"svc/internal/useragent"
	"svc/store"
)

// RequestCounter finds out by what requests are counted.
type RequestCounter struct {
	*requests.Counter
	db      *store.Store
	geo     *geo.Locator
	log     *slog.Logger
	systems sync.Pool // of map[description]useragent.System, one for each core
}

// NewRequestCounter returns a counter that adds to c. places may be nil.
func NewRequestCounter(c *requests.Counter, db *store.Store, places *geo.Locator, log *slog.Logger) *RequestCounter {
	return &RequestCounter{
		Counter: c, db: db, geo: places, log: log,
		systems: sync.Pool{New: func() any { return map[description]useragent.System{} }},
	}
}

// CountedEndpoint returns the endpoint with a name. It panics for an unknown name, which is a
// mistake in the table of routes.
func CountedEndpoint(name string) store.Endpoint {
	e, ok := store.ParseEndpoint(name)
	if !ok && name != "" {
		panic("no such endpoint in request statistics: " + name)
	}
	return e
}

// Count counts a successfully answered request. It runs after the answer, which its failure must
// not affect.
func (c *RequestCounter) Count(r *web.Request, as store.Endpoint, from web.Client) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("request not counted", "panic", fmt.Sprint(p), "id", r.ID, "stack", string(debug.Stack()))
		}
	}()
	project, err := c.db.FindProject(r.Param("k"))
	if err != nil {
		return // the project has been deleted
	}
	system, place, offset := c.dimensions(r, from)
	c.Add(store.CountedRequest{
		Project: project.ID, Hour: store.HourOf(r.Received),
		Request: store.NewRequest(as, system.Platform, place, offset), System: system.Version, Client: from.Version,
	})
}

// dimensions returns the dimensions by which a request is counted. For a client that asks not to be
// tracked, only the system is set.
func (c *RequestCounter) dimensions(r *web.Request, from web.Client) (useragent.System, store.Place, stats.Offset) {
	var offset stats.Offset
	if from.Untracked {
		return c.system(r, from.System), store.NewPlace("", "", ""), offset
	}
	if clock := clientClock(r, from.Time); clock.OffsetKnown {
		offset = stats.OffsetOf(clock.OffsetMinutes)
	}
	place := c.geo.Place(r.Addr)
	return c.system(r, from.System), store.NewPlace(place.CountryCode, place.ProvinceCode, place.CityCode), offset
}

// system returns the result of useragent.Detect. It caches results, because there are many clients
// and few systems, and a lookup is faster than parsing a User-Agent. Unusual and long descriptions
// are not cached: hashing a long key takes time too.
func (c *RequestCounter) system(r *web.Request, body useragent.Source) useragent.System {
	declared := r.Declared(body)
	asked := description{header: declared.Header}
	if agent := r.Header["User-Agent"]; len(agent) > 0 {
		asked.agent = agent[0]
	}
	if declared.Query != (useragent.Source{}) || declared.Body != (useragent.Source{}) || asked.length() > maxDescription {
		return useragent.Detect(declared, asked.agent)
	}
	known := c.systems.Get().(map[description]useragent.System)
	defer c.systems.Put(known)
	o, ok := known[asked]
	if !ok {
		o = useragent.Detect(declared, asked.agent)
		if len(known) == maxSystems {
			clear(known)
		}
		known[asked] = o
	}
	return o
}

// description is the cache key of a client's system.
type description struct {
	header useragent.Source
	agent  string
}

func (d description) length() int {
	return len(d.header.Platform.Value) + len(d.header.Version.Value) + len(d.agent)
}

// Limits of the cache of systems, for each core.
const (
	maxSystems     = 1000
	maxDescription = 512 // bytes of one description
)
