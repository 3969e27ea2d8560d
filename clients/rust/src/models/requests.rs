//! Statistics of requests, and the search across everything.

use serde::{Deserialize, Serialize};

/// Request overview.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RequestOverview {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// All requests.
    pub total: i64,
    /// By kind, the most frequent first.
    pub by_endpoint: Vec<EndpointCount>,
    /// By platform, the most frequent first.
    pub by_platform: Vec<PlatformCount>,
    /// By region, the most frequent first.
    pub by_region: Vec<RegionCount>,
    /// Of region CN where more is known: by province, the most frequent first.
    pub by_province: Vec<ProvinceCount>,
}

/// Endpoint count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EndpointCount {
    /// A kind of request that is counted when it succeeds.
    pub endpoint: String,
    /// How many.
    pub count: i64,
}

/// Platform count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PlatformCount {
    /// A platform, as statistics write it.
    pub platform: String,
    /// How many.
    pub count: i64,
}

/// Region count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RegionCount {
    /// A country (ISO 3166-1 alpha-2), `LOCAL` for private addresses, or `UNKNOWN`.
    pub region: String,
    /// How many.
    pub count: i64,
}

/// Province count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProvinceCount {
    /// Code of the province (GB/T 2260).
    pub code: String,
    /// Its name, or the code again.
    pub name: String,
    /// How many.
    pub count: i64,
}

/// Time bucket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TimeBucket {
    /// When it begins.
    pub bucket: i64,
    /// How many.
    pub count: i64,
}

/// Request series.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RequestSeries {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// Length of a bucket.
    pub granularity: String,
    /// As asked for.
    pub tz_offset_minutes: i64,
    /// The only kind that is counted; null for all.
    pub endpoint: Option<String>,
    /// What the series are split by.
    pub group_by: Option<String>,
    /// All requests, ascending.
    pub data: Vec<TimeBucket>,
    /// One for each value, the most frequent first; null without `group_by`.
    pub series: Option<Vec<ValueSeries>>,
}

/// Value series.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ValueSeries {
    /// The value: an endpoint, a name, a platform or a region.
    pub key: String,
    /// The same buckets as those of all requests.
    pub data: Vec<TimeBucket>,
}

/// Version adoption.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct VersionAdoption {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// Length of a bucket.
    pub granularity: String,
    /// As asked for.
    pub tz_offset_minutes: i64,
    /// One for each version, the most frequent first.
    pub series: Vec<VersionSeries>,
}

/// Version series.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct VersionSeries {
    /// The version as it was sent. `(other)` stands for those that there was no room for.
    pub version: String,
    /// Update checks, ascending.
    pub data: Vec<TimeBucket>,
}

/// Client versions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ClientVersions {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// Of all versions.
    pub total: i64,
    /// The most frequent first.
    pub data: Vec<ClientVersionCount>,
}

/// Client version count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ClientVersionCount {
    /// The version as it was sent. `(other)` stands for those that there was no room for.
    pub version: String,
    /// How many update checks.
    pub count: i64,
}

/// Platform versions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PlatformVersions {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// Of all systems.
    pub total: i64,
    /// The most frequent first.
    pub data: Vec<PlatformVersionCount>,
}

/// Platform version count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PlatformVersionCount {
    /// A platform, as statistics write it.
    pub platform: String,
    /// In lower case; empty where it was not reported, `(other)` for those that there was no
    /// room for.
    pub platform_version: String,
    /// How many requests.
    pub count: i64,
}

/// Heatmap.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Heatmap {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// As asked for.
    pub tz_offset_minutes: i64,
    /// Every hour of the week, ascending.
    pub data: Vec<HeatmapCell>,
}

/// Heatmap cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HeatmapCell {
    /// From Sunday, which is 0.
    pub weekday: i64,
    /// Hour of that day.
    pub hour: i64,
    /// How many.
    pub count: i64,
}

/// Search hit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SearchHit {
    /// A kind of thing that can be found.
    pub kind: String,
    /// Key of the project it belongs to.
    pub project_key: String,
    /// Its id.
    pub id: String,
    /// One line that says what it is.
    pub title: String,
    /// The part of a text in which it was found; cut ends have an ellipsis.
    pub excerpt: String,
    /// When it was made here.
    pub created_at: i64,
}
