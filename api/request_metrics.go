package api

import (
	"net/http"
	"sync/atomic"
	"time"

	"svc/internal/meter"
)

// countedStatuses are those beside 200 that requests are counted by; the others
// are counted together.
var countedStatuses = [...]int{
	http.StatusCreated, http.StatusAccepted, http.StatusNoContent, http.StatusPartialContent, http.StatusNotModified,
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusGone,
	http.StatusRequestEntityTooLarge, http.StatusRequestedRangeNotSatisfiable, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusNotImplemented, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusInsufficientStorage,
}

// statusPlaces are the places of statuses in countedStatuses.
var statusPlaces = func() (places [600]uint8) {
	for status := range places {
		places[status] = uint8(len(countedStatuses))
	}
	for place, status := range countedStatuses {
		places[status] = uint8(place)
	}
	return places
}()

// requestMetrics are the answered requests since the start. Every request passes
// here, so all there is to do is three additions in places known beforehand.
type requestMetrics struct {
	begun     atomic.Uint64
	routes    []*routeMetrics
	unrouted  *routeMetrics
	preflight *routeMetrics
}

// routeMetrics are the requests of one route. The first two fields begin with
// what a quick request with status 200 touches, one cache line.
type routeMetrics struct {
	ok           atomic.Uint64   // status 200
	took         meter.Histogram // nanoseconds
	others       [len(countedStatuses) + 1]atomic.Uint64
	method, path string
}

// newRequestMetrics makes the counters of each route and tells the routes.
func newRequestMetrics(routes []route) *requestMetrics {
	m := &requestMetrics{}
	add := func(method, path string) *routeMetrics {
		one := &routeMetrics{method: method, path: path}
		one.took.Divide(meter.Durations())
		m.routes = append(m.routes, one)
		return one
	}
	for i := range routes {
		routes[i].metrics = add(routes[i].method, routes[i].path)
	}
	m.unrouted, m.preflight = add("other", "other"), add(http.MethodOptions, "preflight")
	return m
}

// of finds the counters of a request.
func (m *requestMetrics) of(r *request) *routeMetrics {
	switch {
	case r.route != nil && r.route.metrics != nil:
		return r.route.metrics
	case preflight(r.Request):
		return m.preflight
	}
	return m.unrouted
}

// answered counts a request. An answer without a status is one that net/http
// gives: 200.
func (m *routeMetrics) answered(status int, took time.Duration) {
	if status == http.StatusOK || status == 0 {
		m.ok.Add(1)
	} else {
		m.others[statusPlaces[min(max(status, 0), len(statusPlaces)-1)]].Add(1)
	}
	m.took.Observe(int64(took))
}

// total is the number of answered requests.
func (m *requestMetrics) total() (n uint64) {
	m.each(func(_ *routeMetrics, _ int, answers uint64) { n += answers })
	return n
}

// inFlight is the number of requests that are being answered.
func (m *requestMetrics) inFlight() uint64 {
	answered := m.total() // first: a request that ends meanwhile counts as running
	return m.begun.Load() - answered
}

// each visits what there is of answers, by route and status; 0 stands for the
// statuses that are counted together.
func (m *requestMetrics) each(visit func(of *routeMetrics, status int, answers uint64)) {
	for _, of := range m.routes {
		if n := of.ok.Load(); n > 0 {
			visit(of, http.StatusOK, n)
		}
		for place := range of.others {
			n := of.others[place].Load()
			switch {
			case n == 0:
			case place == len(countedStatuses):
				visit(of, 0, n)
			default:
				visit(of, countedStatuses[place], n)
			}
		}
	}
}
