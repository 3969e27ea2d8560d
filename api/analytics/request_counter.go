package analytics

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"svc/api/web"
	"svc/internal/requests"
	"svc/internal/stats"
	"svc/internal/useragent"
	"svc/store"
)

// RequestCounter finds out by what requests are counted.
type RequestCounter struct {
	*requests.Counter
	db  *store.Store
	log *slog.Logger
}

// NewRequestCounter returns a counter that adds to c.
func NewRequestCounter(c *requests.Counter, db *store.Store, log *slog.Logger) *RequestCounter {
	return &RequestCounter{Counter: c, db: db, log: log}
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
func (c *RequestCounter) Count(r *web.Request, as store.Endpoint) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("request not counted", "panic", fmt.Sprint(p), "id", r.ID, "stack", string(debug.Stack()))
		}
	}()
	project, err := c.db.FindProject(r.Param("k"))
	if err != nil {
		return // the project has been deleted
	}
	client := r.Client()
	system, place, offset := dimensions(client)
	c.Add(store.CountedRequest{
		Project: project.ID, Hour: store.HourOf(r.Received),
		Request: store.NewRequest(as, system.Platform, place, offset), System: system.Version, Client: client.Version,
	})
}

// dimensions returns the dimensions by which a request is counted. For a client that asks not to be
// tracked, only the system is set.
func dimensions(client *web.Client) (useragent.System, store.Place, stats.Offset) {
	var offset stats.Offset
	if client.Untracked {
		return client.System(), store.NewPlace("", "", ""), offset
	}
	if clock := client.Clock(); clock.OffsetKnown {
		offset = stats.OffsetOf(clock.OffsetMinutes)
	}
	place := client.Place()
	return client.System(), store.NewPlace(place.CountryCode, place.ProvinceCode, place.CityCode), offset
}
