package web

import (
	"net/http"
	"sync/atomic"
	"time"

	"svc/internal/meter"
)

// countedStatuses lists the statuses, other than 200, that are counted separately.
var countedStatuses = [...]int{
	http.StatusCreated, http.StatusAccepted, http.StatusNoContent, http.StatusPartialContent, http.StatusNotModified,
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusGone,
	http.StatusRequestEntityTooLarge, http.StatusRequestedRangeNotSatisfiable, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusNotImplemented, http.StatusBadGateway, http.StatusServiceUnavailable,
	http.StatusInsufficientStorage,
}

// statusIndex maps each status to its index in countedStatuses, or to the length of countedStatuses
// if it is not listed.
var statusIndex = func() (index [600]uint8) {
	for status := range index {
		index[status] = uint8(len(countedStatuses))
	}
	for i, status := range countedStatuses {
		index[status] = uint8(i)
	}
	return index
}()

// Metrics counts the requests that have been answered since the start. Every request updates it, so
// an update only increments three counters that already exist.
type Metrics struct {
	Begun     atomic.Uint64   // requests begun, whether answered or not
	Routes    []*RouteMetrics // the routes in the order of Register, then two entries for requests without a route
	unrouted  *RouteMetrics
	preflight *RouteMetrics
}

// RouteMetrics counts the requests of one route. The counters that a quick request with status 200
// increments come first, so that they share a cache line.
type RouteMetrics struct {
	ok           atomic.Uint64                           // status 200
	Took         meter.Histogram                         // nanoseconds
	others       [len(countedStatuses) + 1]atomic.Uint64 // responses by index in statusIndex
	Method, Path string
}

// Register creates the counters of each route, in the order of the routes. It must be called
// once, before the first request.
func (m *Metrics) Register(routes []Route) {
	m.Routes = nil
	add := func(method, path string) *RouteMetrics {
		one := &RouteMetrics{Method: method, Path: path}
		one.Took.Divide(meter.Durations())
		m.Routes = append(m.Routes, one)
		return one
	}
	for i := range routes {
		add(routes[i].Method, routes[i].Path)
	}
	m.unrouted, m.preflight = add("other", "other"), add(http.MethodOptions, "preflight")
}

// Without returns the counters for r, a request without a route.
func (m *Metrics) Without(r *http.Request) *RouteMetrics {
	if IsPreflight(r) {
		return m.preflight
	}
	return m.unrouted
}

// Answered counts a request that was answered with the given status, and the time that this took.
// Status 0 counts as 200, because net/http sends 200 if the handler sets no status.
func (m *RouteMetrics) Answered(status int, took time.Duration) {
	if status == http.StatusOK || status == 0 {
		m.ok.Add(1)
	} else {
		m.others[statusIndex[min(max(status, 0), len(statusIndex)-1)]].Add(1)
	}
	m.Took.Observe(int64(took))
}

// total returns the number of answered requests.
func (m *Metrics) total() (n uint64) {
	m.Each(func(_ *RouteMetrics, _ int, answers uint64) { n += answers })
	return n
}

// InFlight returns the number of requests that are being answered.
func (m *Metrics) InFlight() uint64 {
	answered := m.total() // read before Begun, so that the difference cannot be negative
	return m.Begun.Load() - answered
}

// Each calls the function visit with the number of responses for every route and status that has at
// least one response. Status 0 combines all statuses that are not counted separately.
func (m *Metrics) Each(visit func(of *RouteMetrics, status int, answers uint64)) {
	for _, of := range m.Routes {
		if n := of.ok.Load(); n > 0 {
			visit(of, http.StatusOK, n)
		}
		for i := range of.others {
			n := of.others[i].Load()
			switch {
			case n == 0:
			case i == len(countedStatuses):
				visit(of, 0, n)
			default:
				visit(of, countedStatuses[i], n)
			}
		}
	}
}
