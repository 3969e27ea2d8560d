//! Logs.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{LogLevel, Platform};

/// Log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Log {
    /// Id of the log.
    pub id: String,
    /// 0 debug, 1 info, 2 warning, 3 error.
    pub level: LogLevel,
    /// What happened.
    pub content: String,
    /// Where in the app.
    pub source: Option<String>,
    /// What the app says about the device; not to be trusted.
    pub device_info: Option<Map<String, Value>>,
    /// Whatever was kept with it.
    pub custom_data: Option<Map<String, Value>>,
    /// Left out of lists that do not ask for hidden ones.
    pub is_hidden: bool,
    /// What it ran on; null when not known.
    pub platform: Option<Platform>,
    /// Version of the system.
    pub platform_version: Option<String>,
    /// Address of the client that sent it. Null, like the next five, for what an
    /// administrator added.
    pub ip: Option<String>,
    /// What its program calls itself, at most 512 characters.
    pub user_agent: Option<String>,
    /// Country of the address, ISO 3166-1; `LOCAL` for one of a private network.
    pub country_code: Option<String>,
    /// Name of the country.
    pub country_name: Option<String>,
    /// Name of the state or province.
    pub region_name: Option<String>,
    /// Name of the city.
    pub city: Option<String>,
    /// When it was stored.
    pub created_at: i64,
}

/// How many logs matched, and how many were deleted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PrunedLogs {
    /// Logs that met the conditions.
    pub matched: i64,
    /// Logs that are gone; 0 with `dry_run`.
    pub deleted: i64,
}

/// Log statistics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LogStatistics {
    /// How many logs there are in all projects.
    pub count: i64,
    /// How many of level 0.
    pub debug_count: i64,
    /// How many of level 1.
    pub info_count: i64,
    /// How many of level 2.
    pub warning_count: i64,
    /// How many of level 3.
    pub error_count: i64,
}

/// Log levels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LogLevels {
    /// First second of the range.
    pub start_time: i64,
    /// Last second of the range.
    pub end_time: i64,
    /// All logs in it.
    pub total: i64,
    /// One entry for each level, ascending.
    pub by_level: Vec<LevelCount>,
}

/// Level count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LevelCount {
    /// 0 debug, 1 info, 2 warning, 3 error.
    pub level: LogLevel,
    /// How many have it.
    pub count: i64,
}

input! {
    /// What can be written: log.
    pub struct LogFields {
        /// 0 debug, 1 info, 2 warning, 3 error.
        optional level: LogLevel,
        /// What happened; may be empty.
        optional content: String,
        /// Where in the app.
        patch source: String,
        /// What the app says about the device.
        patch device_info: Map<String, Value>,
        /// Whatever the app wants to keep with it.
        patch custom_data: Map<String, Value>,
        /// What it runs on, in its own words: `windows 11`. What is not understood is
        /// ignored.
        patch platform: String,
        /// Version of the system. What is longer than 32 characters is ignored.
        patch platform_version: String,
    }
}

input! {
    /// Log create.
    pub struct LogCreate {
        /// 0 debug, 1 info, 2 warning, 3 error.
        optional level: LogLevel,
        /// What happened; may be empty.
        optional content: String,
        /// Where in the app.
        patch source: String,
        /// What is known of the device.
        patch device_info: Map<String, Value>,
        /// Whatever you want to keep with it.
        patch custom_data: Map<String, Value>,
        /// Left out of lists that do not ask for hidden ones. It still counts.
        optional is_hidden: bool,
        /// What it ran on.
        patch platform: Platform,
        /// Version of the system.
        patch platform_version: String,
    }
}

input! {
    /// Log change.
    pub struct LogChange {
        /// Left out of lists that do not ask for hidden ones. If it is not sent, nothing
        /// changes.
        optional is_hidden: bool,
    }
}

input! {
    /// Which logs are deleted: at least one of `end_time`, `level` and `ip`.
    pub struct LogPrune {
        /// Logs created before this moment.
        patch end_time: i64,
        /// Logs of this level.
        patch level: LogLevel,
        /// Logs that came from this address, as it is stored.
        patch ip: String,
        /// Count only.
        optional dry_run: bool,
    }
}
