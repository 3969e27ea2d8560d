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

// RequestCounter counts requests by the properties that it derives from them, such as the system
// and the location.
type RequestCounter struct {
	*requests.Counter
	db  *store.Store
	log *slog.Logger
}

// NewRequestCounter returns a RequestCounter that adds its counts to c.
func NewRequestCounter(c *requests.Counter, db *store.Store, log *slog.Logger) *RequestCounter {
	return &RequestCounter{Counter: c, db: db, log: log}
}

// CountedEndpoint returns the endpoint with the given name, or 0 for "". It panics for an unknown
// name, which is a mistake in the table of routes.
func CountedEndpoint(name string) store.Endpoint {
	e, ok := store.ParseEndpoint(name)
	if !ok && name != "" {
		panic("no such endpoint in request statistics: " + name)
	}
	return e
}

// Count counts a successfully answered request under the given endpoint. It runs after the response
// has been sent, and therefore only logs a panic.
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
// tracked, it returns only the system.
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
