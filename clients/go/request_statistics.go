package svcsdk

import (
	"context"
	"net/http"
)

// GetRequestOverview counts requests by what, on what and from where. The first and the last hour
// of the range count whole, here and in all statistics of requests.
func (a *Admin) GetRequestOverview(ctx context.Context, opts *RangeOptions) (*RequestOverview, error) {
	return fetch[RequestOverview](ctx, a.call(http.MethodGet, "/admin/projects/{k}/stats/requests/overview").where(opts))
}

// GetRequestTimeseries counts requests over time. Every hour or day of the range has its bucket.
// More than 20,000 of them answer 400.
func (a *Admin) GetRequestTimeseries(ctx context.Context, opts *RequestTimeseriesOptions) (*RequestSeries, error) {
	return fetch[RequestSeries](ctx, a.call(http.MethodGet, "/admin/projects/{k}/stats/requests/timeseries").where(opts))
}

// GetRequestHeatmap counts requests by hour of the week. In the local time of each client: by what
// its clock says, else by its country, else by tz_offset_minutes.
func (a *Admin) GetRequestHeatmap(ctx context.Context, opts *RangeOptions) (*Heatmap, error) {
	return fetch[Heatmap](ctx, a.call(http.MethodGet, "/admin/projects/{k}/stats/requests/heatmap").where(opts))
}

// GetVersionAdoption shows how versions of the app come and go. The versions that update checks
// sent most often in the range, counted over time. More than 20,000 buckets answer 400.
func (a *Admin) GetVersionAdoption(ctx context.Context, opts *VersionAdoptionOptions) (*VersionAdoption, error) {
	return fetch[VersionAdoption](ctx, a.call(http.MethodGet, "/admin/projects/{k}/stats/requests/version-adoption").where(opts))
}

// GetClientVersions counts update checks by version of the app. By the display version that was
// sent, else by the comparable version; published or not.
func (a *Admin) GetClientVersions(ctx context.Context, opts *TopOptions) (*ClientVersions, error) {
	return fetch[ClientVersions](ctx, a.call(http.MethodGet, "/admin/projects/{k}/stats/requests/client-versions").where(opts))
}

// GetPlatformVersions counts requests by version of the system.
func (a *Admin) GetPlatformVersions(ctx context.Context, opts *TopOptions) (*PlatformVersions, error) {
	return fetch[PlatformVersions](ctx, a.call(http.MethodGet, "/admin/projects/{k}/stats/requests/platform-versions").where(opts))
}

// RequestOverview is a count of requests by what, on what and from where.
type RequestOverview struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// All requests.
	Total int64 `json:"total"`
	// By kind, the most frequent first.
	ByEndpoint []EndpointCount `json:"by_endpoint"`
	// By platform, the most frequent first.
	ByPlatform []PlatformCount `json:"by_platform"`
	// By region, the most frequent first.
	ByRegion []RegionCount `json:"by_region"`
	// Of region CN where more is known: by province, the most frequent first.
	ByProvince []ProvinceCount `json:"by_province"`
}

// EndpointCount is how many requests an endpoint had.
type EndpointCount struct {
	// A kind of request that is counted when it succeeds.
	Endpoint string `json:"endpoint"`
	// How many.
	Count int64 `json:"count"`
}

// PlatformCount is how many requests came from a platform.
type PlatformCount struct {
	// A platform, as statistics write it.
	Platform string `json:"platform"`
	// How many.
	Count int64 `json:"count"`
}

// RegionCount is how many requests came from a country.
type RegionCount struct {
	// A country (ISO 3166-1 alpha-2), `LOCAL` for private addresses, or `UNKNOWN`.
	Region string `json:"region"`
	// How many.
	Count int64 `json:"count"`
}

// ProvinceCount is how many requests came from a province.
type ProvinceCount struct {
	// Code of the province (GB/T 2260).
	Code string `json:"code"`
	// Its name, or the code again.
	Name string `json:"name"`
	// How many.
	Count int64 `json:"count"`
}

// RequestSeries is a count of requests over time.
type RequestSeries struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// Length of a bucket.
	Granularity string `json:"granularity"`
	// As asked for.
	TZOffsetMinutes int64 `json:"tz_offset_minutes"`
	// The only kind that is counted; null for all.
	Endpoint *string `json:"endpoint"`
	// What the series are split by.
	GroupBy *string `json:"group_by"`
	// All requests, ascending.
	Data []SeriesBucket `json:"data"`
	// One for each value, the most frequent first; null without `group_by`.
	Series []ValueSeries `json:"series"`
}

// VersionAdoption shows how versions come and go.
type VersionAdoption struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// Length of a bucket.
	Granularity string `json:"granularity"`
	// As asked for.
	TZOffsetMinutes int64 `json:"tz_offset_minutes"`
	// One for each version, the most frequent first.
	Series []VersionSeries `json:"series"`
}

// VersionSeries is one version over time.
type VersionSeries struct {
	// The version as it was sent. `(other)` stands for those that there was no room for.
	Version string `json:"version"`
	// Update checks, ascending.
	Data []SeriesBucket `json:"data"`
}

// ClientVersions is a count of update checks by version of the app.
type ClientVersions struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// Of all versions.
	Total int64 `json:"total"`
	// The most frequent first.
	Data []ClientVersionCount `json:"data"`
}

// ClientVersionCount is how many update checks a version had.
type ClientVersionCount struct {
	// The version as it was sent. `(other)` stands for those that there was no room for.
	Version string `json:"version"`
	// How many update checks.
	Count int64 `json:"count"`
}

// PlatformVersions is a count of requests by version of the system.
type PlatformVersions struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// Of all systems.
	Total int64 `json:"total"`
	// The most frequent first.
	Data []PlatformVersionCount `json:"data"`
}

// PlatformVersionCount is how many requests came from a version of a system.
type PlatformVersionCount struct {
	// A platform, as statistics write it.
	Platform string `json:"platform"`
	// In lower case; empty where it was not reported, `(other)` for those that there was no room for.
	PlatformVersion string `json:"platform_version"`
	// How many requests.
	Count int64 `json:"count"`
}

// RangeOptions are the range of time of statistics.
type RangeOptions struct {
	// Begin of the range, inclusive. Left out: a week before its end.
	StartTime *int64 `query:"start_time"`
	// End of the range, inclusive. Left out: now.
	EndTime *int64 `query:"end_time"`
	// Minutes east of UTC in which days begin.
	TZOffsetMinutes int `query:"tz_offset_minutes"`
}

// RequestTimeseriesOptions say what is counted over time.
type RequestTimeseriesOptions struct {
	// Begin of the range, inclusive. Left out: a week before its end.
	StartTime *int64 `query:"start_time"`
	// End of the range, inclusive. Left out: now.
	EndTime *int64 `query:"end_time"`
	// Minutes east of UTC in which days begin.
	TZOffsetMinutes int `query:"tz_offset_minutes"`
	// "hour" or "day"; "day" when empty.
	Granularity string `query:"granularity"`
	// Only this endpoint, as in "VERSION_CHECK_UPDATE".
	Endpoint string `query:"endpoint"`
	// One series for each "endpoint" or "platform".
	GroupBy string `query:"group_by"`
}

// VersionAdoptionOptions say which versions are counted over time.
type VersionAdoptionOptions struct {
	// Begin of the range, inclusive. Left out: a week before its end.
	StartTime *int64 `query:"start_time"`
	// End of the range, inclusive. Left out: now.
	EndTime *int64 `query:"end_time"`
	// Minutes east of UTC in which days begin.
	TZOffsetMinutes int `query:"tz_offset_minutes"`
	// "hour" or "day"; "day" when empty.
	Granularity string `query:"granularity"`
	// How many at most; the default of the server when 0.
	Limit int `query:"limit"`
}

// TopOptions are a range of time and how many of its most frequent values are wanted.
type TopOptions struct {
	// Begin of the range, inclusive. Left out: a week before its end.
	StartTime *int64 `query:"start_time"`
	// End of the range, inclusive. Left out: now.
	EndTime *int64 `query:"end_time"`
	// Minutes east of UTC in which days begin.
	TZOffsetMinutes int `query:"tz_offset_minutes"`
	// How many at most; the default of the server when 0.
	Limit int `query:"limit"`
}
