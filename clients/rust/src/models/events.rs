//! Events: batches, exports, definitions, analysis, dashboards.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Platform, TimeBucket, ValueSeries};

/// Events accepted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EventsAccepted {
    /// How many are stored now that were not before.
    pub accepted: i64,
    /// The others: unusable names, names beyond the limit, known ids, and those that are
    /// rejected.
    pub skipped: i64,
    /// Nothing was stored, because the client asks not to be tracked or the project collects
    /// no events.
    pub suppressed: bool,
    /// An event was skipped because its name is new and the project has as many event names as
    /// the server allows; left out otherwise.
    pub names_full: Option<bool>,
    /// The events that break a rule; left out when there are none.
    pub rejected: Option<Vec<RejectedEvent>>,
}

/// Rejected event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RejectedEvent {
    /// Its place in the batch, from 0.
    pub index: i64,
    /// What is wrong with it.
    pub message: String,
}

/// Subject export.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SubjectExport {
    /// As asked for.
    pub distinct_id: String,
    /// How many events.
    pub total: i64,
    /// All of them, from the oldest to the newest.
    pub data: Vec<StoredEvent>,
}

/// Stored event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct StoredEvent {
    /// What happened.
    pub event_name: String,
    /// As it was sent.
    pub event_id: String,
    /// Session, if one was sent.
    pub session_id: Option<String>,
    /// When, by the corrected clock of the client.
    pub occurred_at: i64,
    /// When it arrived.
    pub received_at: i64,
    /// As they were sent.
    pub properties: Option<Map<String, Value>>,
    /// Address that it came from, as far as the server keeps it: without its last part, as a
    /// rule.
    pub ip: Option<String>,
    /// What the program calls itself, at most 512 characters.
    pub user_agent: Option<String>,
    /// Country of the address, ISO 3166-1; `LOCAL` for one of a private network.
    pub country_code: Option<String>,
    /// Name of the country.
    pub country_name: Option<String>,
    /// Name of the state or province.
    pub region_name: Option<String>,
    /// Name of the city.
    pub city: Option<String>,
    /// What it ran on; null when not known.
    pub platform: Option<Platform>,
    /// Version of the system.
    pub platform_version: Option<String>,
}

/// Events erased.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EventsErased {
    /// Always true.
    pub success: bool,
    /// How many events were deleted.
    pub deleted: i64,
}

/// Event definition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EventDefinition {
    /// Id of the definition.
    pub event_definition_id: String,
    /// Key of the project.
    pub project_key: String,
    /// Name of the events.
    pub name: String,
    /// What people call it.
    pub display_name: Option<String>,
    /// What it means.
    pub description: Option<String>,
    /// Left out of lists that do not ask for archived ones. Its events are taken all the
    /// same.
    pub archived: bool,
    /// Time of the oldest event that came.
    pub first_seen_time: i64,
    /// Time of the newest event that came.
    pub last_seen_time: i64,
    /// How many events were in the range, by the hour.
    pub range_count: i64,
}

/// Event overview.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EventOverview {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// All events.
    pub total: i64,
    /// Different senders.
    pub unique_users: i64,
    /// Different sessions; events without one do not count.
    pub unique_sessions: i64,
    /// Different names.
    pub event_types: i64,
}

/// Event series.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EventSeries {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// Length of a bucket.
    pub granularity: String,
    /// As asked for.
    pub tz_offset_minutes: i64,
    /// The only name that is counted; null for all.
    pub event_name: Option<String>,
    /// What the series are split by.
    pub group_by: Option<String>,
    /// All events, ascending.
    pub data: Vec<TimeBucket>,
    /// One for each value, the most frequent first; null without `group_by`.
    pub series: Option<Vec<ValueSeries>>,
}

/// Event breakdown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EventBreakdown {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// What is counted by.
    pub dimension: String,
    /// Key of the property, if one was sent.
    pub property_key: Option<String>,
    /// Of all values.
    pub total: i64,
    /// The most frequent first.
    pub data: Vec<ValueCount>,
}

/// Value count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ValueCount {
    /// The value. Empty for events that do not have the property, and for those where it is
    /// empty.
    pub key: String,
    /// The value for people: `(not reported)` for events that do not have the property.
    pub label: String,
    /// How many events.
    pub count: i64,
}

/// Funnel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Funnel {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// From the first step to the last.
    pub window_seconds: i64,
    /// The steps, in order.
    pub data: Vec<FunnelStep>,
}

/// Funnel step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FunnelStep {
    /// Number of the step.
    pub step: i64,
    /// Name of the event.
    pub event_name: String,
    /// Senders that got here.
    pub users: i64,
    /// Of those that got to the step before.
    pub conversion_rate: f64,
    /// Of those that began.
    pub total_conversion_rate: f64,
    /// Senders that got to the step before and not here.
    pub dropped: i64,
}

/// Retention.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Retention {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// Length of a period.
    pub period: String,
    /// How many periods each cohort is watched.
    pub periods: i64,
    /// One for each period of the range, empty ones included.
    pub cohorts: Vec<Cohort>,
}

/// Cohort.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Cohort {
    /// When its period begins.
    pub cohort: i64,
    /// Senders.
    pub size: i64,
    /// One for each period, its own first; null where nothing can be said yet.
    pub cells: Vec<Option<CohortCell>>,
}

/// Cohort cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CohortCell {
    /// Periods after that of the cohort.
    pub period: i64,
    /// Senders that came back.
    pub users: i64,
    /// Of the cohort.
    pub rate: f64,
}

/// Paths.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Paths {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// What a path is made of.
    pub scope: String,
    /// Events of a path that were looked at.
    pub depth: i64,
    /// Whether a step had more branches than are listed.
    pub truncated: bool,
    /// Step by step, the most frequent first.
    pub data: Vec<PathEdge>,
}

/// Path edge.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PathEdge {
    /// Number of the step.
    pub step: i64,
    /// Name of an event, or `(other)` for all that are not listed.
    pub from_event: String,
    /// Name of the event that followed, or `(other)`.
    pub to_event: String,
    /// How many paths.
    pub count: i64,
}

/// Dashboard card.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DashboardCard {
    /// Id of the card.
    pub card_id: String,
    /// Key of the project.
    pub project_key: String,
    /// What people call it.
    pub title: String,
    /// What it shows.
    pub description: Option<String>,
    /// A body of `POST …/analysis/query`, as it was sent.
    pub query: Map<String, Value>,
    /// Whatever the dashboard keeps with it.
    pub layout: Option<Map<String, Value>>,
    /// Its place among the others.
    pub sort_order: i64,
    /// When it was added.
    pub created_time: i64,
    /// When it was changed last.
    pub updated_time: i64,
}

input! {
    /// Event batch.
    pub struct EventBatch {
        /// Who sends: an anonymous identifier that the app made up. Kept as it is.
        optional distinct_id: String,
        /// Session of the batch; empty is none.
        patch session_id: String,
        /// Up to 50, if the server has no other limit.
        optional events: Vec<EventInput>,
        /// What it runs on, in its own words: `windows 11`. What is not understood is
        /// ignored.
        patch platform: String,
        /// Version of the system. What is longer than 32 characters is ignored.
        patch platform_version: String,
        /// The same as the header `x-svc-client-time`, which wins. For beacons, which have no
        /// headers of their own.
        patch client_time: String,
    }
}

input! {
    /// What can be written: event.
    pub struct EventInput {
        /// Tells the event from all others of the project, so that it is stored once however
        /// often it is sent. A UUID is fine.
        optional event_id: String,
        /// What happened.
        optional name: String,
        /// When, by the client's clock; left out, it is when it arrives.
        patch occurred_at: i64,
        /// Whatever describes it, at most 100 levels. Statistics see the first level.
        patch properties: Map<String, Value>,
    }
}

input! {
    /// Event definition change.
    pub struct EventDefinitionChange {
        /// What people call it.
        patch display_name: String,
        /// What it means.
        patch description: String,
        /// Leave it out of lists that do not ask for archived ones.
        optional archived: bool,
    }
}

input! {
    /// What can be written: funnel.
    pub struct FunnelInput {
        /// Seconds since 1970, or a text of that. The end is now if it is left out, the start
        /// seven days before the end; both belong to the range.
        optional start_time: i64,
        /// Seconds since 1970, or a text of that. The end is now if it is left out, the start
        /// seven days before the end; both belong to the range.
        optional end_time: i64,
        /// An integer, or a text that is one.
        optional tz_offset_minutes: i64,
        /// The steps, in order.
        optional steps: Vec<FunnelStepInput>,
        /// An integer, or a text that is one.
        optional window_seconds: i64,
        /// Where a sender begins: at its first event that fits the first step, or at any of
        /// them.
        optional entry: String,
    }
}

input! {
    /// What can be written: funnel step.
    pub struct FunnelStepInput {
        /// Name of the event, exactly.
        optional event_name: String,
        /// Conditions, all of which must hold.
        optional filters: Vec<EventFilter>,
    }
}

input! {
    /// A condition on a property. A list of them must all hold.
    pub struct EventFilter {
        /// First-level key, exactly.
        optional property: String,
        /// How to compare. Without the property only `neq`, `not_in` and `not_exists` hold.
        optional op: String,
        /// What to compare with, as text: `1`, `1.0` and `"1"` are the same. For `in` and
        /// `not_in` a list, or a text with commas; the first 50 count. For `gt` and the like
        /// a number.
        patch value: Value,
    }
}

input! {
    /// What can be written: retention.
    pub struct RetentionInput {
        /// Seconds since 1970, or a text of that. The end is now if it is left out, the start
        /// seven days before the end; both belong to the range.
        optional start_time: i64,
        /// Seconds since 1970, or a text of that. The end is now if it is left out, the start
        /// seven days before the end; both belong to the range.
        optional end_time: i64,
        /// An integer, or a text that is one.
        optional tz_offset_minutes: i64,
        /// Name of the event, exactly.
        optional start_event: String,
        /// Name of the event that counts as coming back; empty is any.
        optional return_event: String,
        /// Length of a period. Weeks begin on Monday.
        optional period: String,
        /// An integer, or a text that is one.
        optional periods: i64,
    }
}

input! {
    /// What can be written: paths.
    pub struct PathsInput {
        /// Seconds since 1970, or a text of that. The end is now if it is left out, the start
        /// seven days before the end; both belong to the range.
        optional start_time: i64,
        /// Seconds since 1970, or a text of that. The end is now if it is left out, the start
        /// seven days before the end; both belong to the range.
        optional end_time: i64,
        /// An integer, or a text that is one.
        optional tz_offset_minutes: i64,
        /// Where each path begins; empty is at its first event.
        optional start_event: String,
        /// An integer, or a text that is one.
        optional depth: i64,
        /// An integer, or a text that is one.
        optional branch_limit: i64,
        /// What a path is made of: a session, or everything of a sender.
        optional scope: String,
    }
}

input! {
    /// What can be written: dashboard card.
    pub struct DashboardCardFields {
        /// What people call it.
        optional title: String,
        /// What it shows.
        patch description: String,
        /// Query.
        optional query: Value,
        /// Whatever the dashboard wants to keep with it.
        patch layout: Map<String, Value>,
        /// Its place among the others.
        optional sort_order: i64,
    }
}
