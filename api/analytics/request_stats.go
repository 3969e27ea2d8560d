package analytics

import (
	"fmt"
	"net/http"
	"strings"

	"svc/api/web"
	"svc/internal/geo"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/internal/useragent"
	"svc/store"
)

func (h *Handlers) requestStatsRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/stats/requests"
	read := web.ByScope("stats:read")
	return []web.Route{
		{Method: "GET", Path: all + "/overview", Access: read, Handler: h.requestOverview},
		{Method: "GET", Path: all + "/timeseries", Access: read, Handler: h.requestSeries},
		{Method: "GET", Path: all + "/version-adoption", Access: read, Handler: h.versionAdoption},
		{Method: "GET", Path: all + "/client-versions", Access: read, Handler: h.clientVersions},
		{Method: "GET", Path: all + "/platform-versions", Access: read, Handler: h.platformVersions},
		{Method: "GET", Path: all + "/heatmap", Access: read, Handler: h.requestHeatmap},
	}
}

// withCounters runs a read of the counters of the project in the path. What has
// been counted up to now is part of them.
func (h *Handlers) withCounters(r *web.Request, read func(*store.Tx, store.ProjectID) error) error {
	project, err := r.Reached(h.DB.FindProject(r.Param("k")))
	if err != nil {
		return err
	}
	if err := h.Requests.Flush(); err != nil {
		h.Log.Warn("statistics lack the latest requests", "error", err, "id", r.ID)
	}
	return h.DB.View(func(tx *store.Tx) error { return read(tx, project.ID) })
}

// requestOverview adds up requests by each dimension on its own.
func (h *Handlers) requestOverview(w http.ResponseWriter, r *web.Request) error {
	var p problems
	span := p.Span(r, h.Now())
	if err := p.Err(); err != nil {
		return err
	}
	var o overview
	from, to := span.Hours()
	err := h.withCounters(r, func(tx *store.Tx, id store.ProjectID) error {
		return tx.EachRequest(id, from, to, o.add)
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, o.view(span))
}

// overview holds sums under small numbers: a year of a busy project is millions
// of counters.
type overview struct {
	endpoints [store.Endpoints]int64
	platforms [stats.Platforms]int64
	regions   [stats.Regions]int64
	provinces [store.Provinces]int64
}

var china = stats.ParseRegion("CN")

func (o *overview) add(_ store.Hour, r store.Request, n int64) {
	o.endpoints[r.Endpoint()] += n
	o.platforms[r.PlatformNumber()] += n
	place := r.Place()
	o.regions[place.Region()] += n
	if place.Region() == china {
		o.provinces[place.Province()] += n
	}
}

type overviewView struct {
	StartTime  int64               `json:"start_time"`
	EndTime    int64               `json:"end_time"`
	Total      int64               `json:"total"`
	ByEndpoint []endpointCountView `json:"by_endpoint"`
	ByPlatform []platformCountView `json:"by_platform"`
	ByRegion   []regionCountView   `json:"by_region"`
	ByProvince []provinceCountView `json:"by_province"`
}

type endpointCountView struct {
	Endpoint string `json:"endpoint"`
	Count    int64  `json:"count"`
}

type platformCountView struct {
	Platform string `json:"platform"`
	Count    int64  `json:"count"`
}

type regionCountView struct {
	Region string `json:"region"`
	Count  int64  `json:"count"`
}

type provinceCountView struct {
	Code  string `json:"code"`
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

func (o *overview) view(span web.Span) overviewView {
	v := overviewView{StartTime: span.Start, EndTime: span.End, ByEndpoint: []endpointCountView{}, ByPlatform: []platformCountView{}, ByRegion: []regionCountView{}, ByProvince: []provinceCountView{}}
	for _, c := range ranked(o.endpoints[:], endpointName) {
		v.Total += c.N
		v.ByEndpoint = append(v.ByEndpoint, endpointCountView{c.Key, c.N})
	}
	for _, c := range ranked(o.platforms[:], platformName) {
		v.ByPlatform = append(v.ByPlatform, platformCountView{c.Key, c.N})
	}
	for _, c := range ranked(o.regions[:], func(i int) string { return stats.Region(i).String() }) {
		v.ByRegion = append(v.ByRegion, regionCountView{c.Key, c.N})
	}
	o.provinces[0] = 0 // not known
	for _, c := range ranked(o.provinces[:], func(i int) string { return fmt.Sprintf("%02d0000", i) }) {
		code, name, _ := geo.Province(c.Key)
		v.ByProvince = append(v.ByProvince, provinceCountView{code, name, c.N})
	}
	return v
}

func endpointName(number int) string { return store.Endpoint(number).String() }

func platformName(number int) string { return useragent.StatisticsName(stats.PlatformOf(number)) }

// ranked lists what has traffic.
func ranked(sums []int64, name func(int) string) []stats.Count {
	var c stats.Counts
	for i, n := range sums {
		if n > 0 {
			c.Add([]byte(name(i)), n)
		}
	}
	return c.Ranked()
}

func (h *Handlers) clientVersions(w http.ResponseWriter, r *web.Request) error {
	var p problems
	span, limit := p.Span(r, h.Now()), p.Int(r, "limit", 15, 1, 100)
	if err := p.Err(); err != nil {
		return err
	}
	counts, err := h.countClients(r, span)
	if err != nil {
		return err
	}
	type view struct {
		Version string `json:"version"`
		Count   int64  `json:"count"`
	}
	views := []view{}
	for _, c := range web.PageOf(counts.Ranked(), web.Page{Limit: limit}) {
		views = append(views, view{c.Key, c.N})
	}
	return web.Respond(w, http.StatusOK, struct {
		StartTime int64  `json:"start_time"`
		EndTime   int64  `json:"end_time"`
		Total     int64  `json:"total"`
		Data      []view `json:"data"`
	}{span.Start, span.End, counts.Total(), views})
}

// countClients adds up the versions of clients over all platforms.
func (h *Handlers) countClients(r *web.Request, span web.Span) (*stats.Counts, error) {
	var c stats.Counts
	from, to := span.Hours()
	err := h.withCounters(r, func(tx *store.Tx, id store.ProjectID) error {
		return tx.EachClientVersion(id, from, to, func(_ store.Hour, _ platform.Platform, version []byte, n int64) { c.Add(version, n) })
	})
	return &c, err
}

func (h *Handlers) platformVersions(w http.ResponseWriter, r *web.Request) error {
	var p problems
	span, limit := p.Span(r, h.Now()), p.Int(r, "limit", 30, 1, 200)
	if err := p.Err(); err != nil {
		return err
	}
	var c stats.Counts
	var both []byte // platform, a zero byte, version: in the order of ties
	from, to := span.Hours()
	err := h.withCounters(r, func(tx *store.Tx, id store.ProjectID) error {
		return tx.EachSystemVersion(id, from, to, func(_ store.Hour, on platform.Platform, version []byte, n int64) {
			both = append(append(append(both[:0], useragent.StatisticsName(on)...), 0), version...)
			c.Add(both, n)
		})
	})
	if err != nil {
		return err
	}
	type view struct {
		Platform        string `json:"platform"`
		PlatformVersion string `json:"platform_version"`
		Count           int64  `json:"count"`
	}
	views := []view{}
	for _, one := range web.PageOf(c.Ranked(), web.Page{Limit: limit}) {
		on, version, _ := strings.Cut(one.Key, "\x00")
		views = append(views, view{on, version, one.N})
	}
	return web.Respond(w, http.StatusOK, struct {
		StartTime int64  `json:"start_time"`
		EndTime   int64  `json:"end_time"`
		Total     int64  `json:"total"`
		Data      []view `json:"data"`
	}{span.Start, span.End, c.Total(), views})
}

// requestHeatmap counts by the local time of clients: by the offset of their
// clocks, or that of their country, or that of whoever asks.
func (h *Handlers) requestHeatmap(w http.ResponseWriter, r *web.Request) error {
	var p problems
	span := p.Span(r, h.Now())
	if err := p.Err(); err != nil {
		return err
	}
	var offsets [stats.Regions]int
	for i := range offsets {
		offsets[i] = span.Offset
		if offset, ok := geo.CountryOffset(stats.Region(i).String()); ok {
			offsets[i] = offset
		}
	}
	var m stats.Heatmap
	from, to := span.Hours()
	err := h.withCounters(r, func(tx *store.Tx, id store.ProjectID) error {
		return tx.EachRequest(id, from, to, func(h store.Hour, r store.Request, n int64) {
			offset, said := r.Offset().Minutes()
			if !said {
				offset = offsets[r.Place().Region()]
			}
			m.Add(h.Start(), offset, n)
		})
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, viewHeatmap(span, &m))
}

type heatmapView struct {
	StartTime int64      `json:"start_time"`
	EndTime   int64      `json:"end_time"`
	Offset    int        `json:"tz_offset_minutes"`
	Data      []cellView `json:"data"`
}

type cellView struct {
	Weekday int   `json:"weekday"`
	Hour    int   `json:"hour"`
	Count   int64 `json:"count"`
}

func viewHeatmap(span web.Span, m *stats.Heatmap) heatmapView {
	v := heatmapView{span.Start, span.End, span.Offset, make([]cellView, len(m))}
	for i, n := range m {
		v.Data[i] = cellView{i / 24, i % 24, n}
	}
	return v
}
