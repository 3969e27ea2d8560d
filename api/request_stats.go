package api

import (
	"fmt"
	"net/http"
	"strings"

	"svc/internal/origin"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/store"
)

func (s *Server) requestStatsRoutes() []route {
	const all = v1 + "/admin/projects/:k/stats/requests"
	read := key("stats:read")
	return []route{
		{method: "GET", path: all + "/overview", access: read, handler: s.requestOverview},
		{method: "GET", path: all + "/timeseries", access: read, handler: s.requestSeries},
		{method: "GET", path: all + "/version-adoption", access: read, handler: s.versionAdoption},
		{method: "GET", path: all + "/client-versions", access: read, handler: s.clientVersions},
		{method: "GET", path: all + "/platform-versions", access: read, handler: s.platformVersions},
		{method: "GET", path: all + "/heatmap", access: read, handler: s.requestHeatmap},
	}
}

// withCounters runs a read of the counters of the project in the path. What has
// been counted up to now is part of them.
func (s *Server) withCounters(r *request, read func(*store.Tx, store.ProjectID) error) error {
	project, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	if err := s.FlushRequests(); err != nil {
		s.log.Warn("statistics are answered without the last requests", "error", err, "id", r.id)
	}
	return s.db.View(func(tx *store.Tx) error { return read(tx, project.ID) })
}

// requestOverview adds up requests by each dimension on its own.
func (s *Server) requestOverview(w http.ResponseWriter, r *request) error {
	var p problems
	span := p.span(r, s.now())
	if err := p.err(); err != nil {
		return err
	}
	var o overview
	from, to := span.hours()
	err := s.withCounters(r, func(tx *store.Tx, id store.ProjectID) error {
		return tx.EachRequest(id, from, to, o.add)
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, o.view(span))
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

func (o *overview) view(span span) overviewView {
	v := overviewView{StartTime: span.start, EndTime: span.end, ByEndpoint: []endpointCountView{}, ByPlatform: []platformCountView{}, ByRegion: []regionCountView{}, ByProvince: []provinceCountView{}}
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
		code, name, _ := origin.Province(c.Key)
		v.ByProvince = append(v.ByProvince, provinceCountView{code, name, c.N})
	}
	return v
}

func endpointName(number int) string { return store.Endpoint(number).String() }

func platformName(number int) string { return origin.StatisticsName(stats.PlatformOf(number)) }

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

func (s *Server) clientVersions(w http.ResponseWriter, r *request) error {
	var p problems
	span, limit := p.span(r, s.now()), p.whole(r, "limit", 15, 1, 100)
	if err := p.err(); err != nil {
		return err
	}
	counts, err := s.countClients(r, span)
	if err != nil {
		return err
	}
	type view struct {
		Version string `json:"version"`
		Count   int64  `json:"count"`
	}
	views := []view{}
	for _, c := range cut(counts.Ranked(), page{limit: limit}) {
		views = append(views, view{c.Key, c.N})
	}
	return respond(w, http.StatusOK, struct {
		StartTime int64  `json:"start_time"`
		EndTime   int64  `json:"end_time"`
		Total     int64  `json:"total"`
		Data      []view `json:"data"`
	}{span.start, span.end, counts.Total(), views})
}

// countClients adds up the versions of clients over all platforms.
func (s *Server) countClients(r *request, span span) (*stats.Counts, error) {
	var c stats.Counts
	from, to := span.hours()
	err := s.withCounters(r, func(tx *store.Tx, id store.ProjectID) error {
		return tx.EachClientVersion(id, from, to, func(_ store.Hour, _ platform.Platform, version []byte, n int64) { c.Add(version, n) })
	})
	return &c, err
}

func (s *Server) platformVersions(w http.ResponseWriter, r *request) error {
	var p problems
	span, limit := p.span(r, s.now()), p.whole(r, "limit", 30, 1, 200)
	if err := p.err(); err != nil {
		return err
	}
	var c stats.Counts
	var both []byte // platform, a zero byte, version: in the order of ties
	from, to := span.hours()
	err := s.withCounters(r, func(tx *store.Tx, id store.ProjectID) error {
		return tx.EachSystemVersion(id, from, to, func(_ store.Hour, on platform.Platform, version []byte, n int64) {
			both = append(append(append(both[:0], origin.StatisticsName(on)...), 0), version...)
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
	for _, one := range cut(c.Ranked(), page{limit: limit}) {
		on, version, _ := strings.Cut(one.Key, "\x00")
		views = append(views, view{on, version, one.N})
	}
	return respond(w, http.StatusOK, struct {
		StartTime int64  `json:"start_time"`
		EndTime   int64  `json:"end_time"`
		Total     int64  `json:"total"`
		Data      []view `json:"data"`
	}{span.start, span.end, c.Total(), views})
}

// requestHeatmap counts by the local time of clients: by the offset of their
// clocks, or that of their country, or that of whoever asks.
func (s *Server) requestHeatmap(w http.ResponseWriter, r *request) error {
	var p problems
	span := p.span(r, s.now())
	if err := p.err(); err != nil {
		return err
	}
	var offsets [stats.Regions]int
	for i := range offsets {
		offsets[i] = span.offset
		if offset, ok := origin.CountryOffset(stats.Region(i).String()); ok {
			offsets[i] = offset
		}
	}
	var m stats.Heatmap
	from, to := span.hours()
	err := s.withCounters(r, func(tx *store.Tx, id store.ProjectID) error {
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
	return respond(w, http.StatusOK, viewHeatmap(span, &m))
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

func viewHeatmap(span span, m *stats.Heatmap) heatmapView {
	v := heatmapView{span.start, span.end, span.offset, make([]cellView, len(m))}
	for i, n := range m {
		v.Data[i] = cellView{i / 24, i % 24, n}
	}
	return v
}
