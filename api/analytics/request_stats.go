package analytics

import (
	"fmt"
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
		{Method: "GET", Path: all + "/overview", Access: read, Handler: web.OK(h.requestOverview)},
		{Method: "GET", Path: all + "/timeseries", Access: read, Handler: web.OK(h.requestSeries)},
		{Method: "GET", Path: all + "/version-adoption", Access: read, Handler: web.OK(h.versionAdoption)},
		{Method: "GET", Path: all + "/client-versions", Access: read, Handler: web.OK(h.clientVersions)},
		{Method: "GET", Path: all + "/platform-versions", Access: read, Handler: web.OK(h.platformVersions)},
		{Method: "GET", Path: web.V1 + "/admin/projects/:k/stats/downloads", Access: read, Handler: web.OK(h.showDownloads)},
		{Method: "GET", Path: all + "/heatmap", Access: read, Handler: web.OK(h.requestHeatmap)},
	}
}

// withCounters calls the function read with the project in the path and the hours that span covers.
// It first flushes the counters, so that read sees the latest requests. If the request has
// validation errors, withCounters returns them without calling read.
func (h *Handlers) withCounters(
	r *web.Request, p *problems, span web.Span, read func(tx *store.Tx, id store.ProjectID, from, to store.Hour) error,
) error {
	project, err := p.Project(r, h.DB)
	if err != nil {
		return err
	}
	h.flushCounters(r)
	from, to := span.Hours()
	return h.DB.View(func(tx *store.Tx) error { return read(tx, project.ID, from, to) })
}

// flushCounters writes the counters that are still in memory, so that statistics include the latest
// requests.
func (h *Handlers) flushCounters(r *web.Request) {
	if err := h.Flush(); err != nil {
		h.Log.Warn("statistics lack the latest requests", "error", err, "id", r.ID)
	}
}

// requestFilter selects requests by the dimensions of their counters. The zero value selects all.
type requestFilter struct {
	endpoint store.Endpoint // 0 = all
	platform int            // number of a platform; -1 = all
	region   stats.Region
	byRegion bool // false = all regions
}

// requestFilter reads the filters endpoint, platform and region from the query.
func (p *problems) requestFilter(r *web.Request) requestFilter {
	f := requestFilter{endpoint: p.endpoint(r), platform: -1}
	if on := p.PlatformFilter(r); on != nil {
		f.platform = stats.PlatformNumber(*on)
	}
	if text := r.Query("region"); text != "" {
		f.byRegion, f.region = true, stats.ParseRegion(text)
		if f.region == 0 && text != "UNKNOWN" {
			p.Add("region must be two capital letters, LOCAL or UNKNOWN")
		}
	}
	return f
}

func (f requestFilter) passes(r store.Request) bool {
	return (f.endpoint == 0 || r.Endpoint() == f.endpoint) && (f.platform < 0 || r.PlatformNumber() == f.platform) &&
		(!f.byRegion || r.Place().Region() == f.region)
}

// onPlatform returns a function that reports whether a platform passes the filter in the query.
func (p *problems) onPlatform(r *web.Request) func(platform.Platform) bool {
	wanted := p.PlatformFilter(r)
	return func(on platform.Platform) bool { return wanted == nil || on == *wanted }
}

// requestOverview sums requests by each dimension separately.
func (h *Handlers) requestOverview(r *web.Request) (overviewView, error) {
	var p problems
	span, filter := p.Span(r, h.Now()), p.requestFilter(r)
	var o overview
	err := h.withCounters(r, &p, span, func(tx *store.Tx, id store.ProjectID, from, to store.Hour) error {
		return tx.EachRequest(id, from, to, func(_ store.Hour, r store.Request, n int64) {
			if filter.passes(r) {
				o.add(r, n)
			}
		})
	})
	return o.view(span), err
}

// overview contains the sums of the counters in arrays that are indexed by small numbers. Maps
// would be too slow, because a year of a busy project has millions of counters.
type overview struct {
	endpoints [store.Endpoints]int64
	platforms [stats.Platforms]int64
	regions   [stats.Regions]int64
	provinces [store.Provinces]int64
}

var china = stats.ParseRegion("CN")

func (o *overview) add(r store.Request, n int64) {
	o.endpoints[r.Endpoint()] += n
	o.platforms[r.PlatformNumber()] += n
	place := r.Place()
	o.regions[place.Region()] += n
	if place.Region() == china {
		o.provinces[place.Province()] += n
	}
}

type overviewView struct {
	web.SpanView
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
	v := overviewView{
		SpanView: span.View(), ByEndpoint: []endpointCountView{}, ByPlatform: []platformCountView{}, ByRegion: []regionCountView{},
		ByProvince: []provinceCountView{},
	}
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
	o.provinces[0] = 0 // number 0 stands for an unknown province
	for _, c := range ranked(o.provinces[:], func(i int) string { return fmt.Sprintf("%02d0000", i) }) {
		code, name, _ := geo.Province(c.Key)
		v.ByProvince = append(v.ByProvince, provinceCountView{code, name, c.N})
	}
	return v
}

func endpointName(number int) string { return store.Endpoint(number).String() }

func platformName(number int) string { return useragent.StatisticsName(stats.PlatformOf(number)) }

// ranked returns the values with a sum above zero, ordered by decreasing sum.
func ranked(sums []int64, name func(int) string) []stats.Count {
	var c stats.Counts
	for i, n := range sums {
		if n > 0 {
			c.Add([]byte(name(i)), n)
		}
	}
	return c.Ranked()
}

// versionsView is the JSON form of a list of the most used versions. V is the JSON form of one
// version.
type versionsView[V any] struct {
	web.SpanView
	Total int64 `json:"total"`
	Data  []V   `json:"data"`
}

func viewVersions[V any](span web.Span, c *stats.Counts, limit int, view func(stats.Count) V) versionsView[V] {
	return versionsView[V]{span.View(), c.Total(), web.Views(web.PageOf(c.Ranked(), web.Page{Limit: limit}), view)}
}

type clientVersionView struct {
	Version string `json:"version"`
	Count   int64  `json:"count"`
}

// clientVersions responds with the number of requests per client version, summed over all platforms.
func (h *Handlers) clientVersions(r *web.Request) (v versionsView[clientVersionView], err error) {
	var p problems
	span, limit, fits := p.Span(r, h.Now()), p.Int(r, "limit", 15, 1, 100), p.onPlatform(r)
	var c stats.Counts
	err = h.withCounters(r, &p, span, func(tx *store.Tx, id store.ProjectID, from, to store.Hour) error {
		return tx.EachClientVersion(id, from, to, func(_ store.Hour, on platform.Platform, version []byte, n int64) {
			if fits(on) {
				c.Add(version, n)
			}
		})
	})
	if err != nil {
		return v, err
	}
	return viewVersions(span, &c, limit, func(c stats.Count) clientVersionView { return clientVersionView{c.Key, c.N} }), nil
}

type platformVersionView struct {
	Platform        string `json:"platform"`
	PlatformVersion string `json:"platform_version"`
	Count           int64  `json:"count"`
}

func (h *Handlers) platformVersions(r *web.Request) (v versionsView[platformVersionView], err error) {
	var p problems
	span, limit, fits := p.Span(r, h.Now()), p.Int(r, "limit", 30, 1, 200), p.onPlatform(r)
	var c stats.Counts
	var both []byte // platform, a zero byte, version: the order of ties
	err = h.withCounters(r, &p, span, func(tx *store.Tx, id store.ProjectID, from, to store.Hour) error {
		return tx.EachSystemVersion(id, from, to, func(_ store.Hour, on platform.Platform, version []byte, n int64) {
			if !fits(on) {
				return
			}
			both = append(append(append(both[:0], useragent.StatisticsName(on)...), 0), version...)
			c.Add(both, n)
		})
	})
	if err != nil {
		return v, err
	}
	return viewVersions(span, &c, limit, func(c stats.Count) platformVersionView {
		on, version, _ := strings.Cut(c.Key, "\x00")
		return platformVersionView{on, version, c.N}
	}), nil
}

// requestHeatmap counts requests by weekday and hour in the local time of the client. The local
// time is derived from the UTC offset of the client's clock. If that offset is unknown, the offset
// of the client's country is used. If the country is unknown too, the offset of the reader of the
// statistics is used.
func (h *Handlers) requestHeatmap(r *web.Request) (heatmapView, error) {
	var p problems
	span, filter := p.Span(r, h.Now()), p.requestFilter(r)
	var offsets [stats.Regions]int
	for i := range offsets {
		offsets[i] = span.Offset
		if offset, ok := geo.CountryOffset(stats.Region(i).String()); ok {
			offsets[i] = offset
		}
	}
	var m stats.Heatmap
	err := h.withCounters(r, &p, span, func(tx *store.Tx, id store.ProjectID, from, to store.Hour) error {
		return tx.EachRequest(id, from, to, func(h store.Hour, r store.Request, n int64) {
			if !filter.passes(r) {
				return
			}
			offset, known := r.Offset().Minutes()
			if !known {
				offset = offsets[r.Place().Region()]
			}
			m.Add(h.Start(), offset, n)
		})
	})
	return viewHeatmap(span, &m), err
}

type heatmapView struct {
	web.SpanView
	Offset int        `json:"tz_offset_minutes"`
	Data   []cellView `json:"data"`
}

type cellView struct {
	Weekday int   `json:"weekday"`
	Hour    int   `json:"hour"`
	Count   int64 `json:"count"`
}

func viewHeatmap(span web.Span, m *stats.Heatmap) heatmapView {
	v := heatmapView{span.View(), span.Offset, make([]cellView, len(m))}
	for i, n := range m {
		v.Data[i] = cellView{i / 24, i % 24, n}
	}
	return v
}
