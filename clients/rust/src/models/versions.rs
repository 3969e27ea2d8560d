//! Versions and update checks.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Platform, ReasonCode};

/// A version of the application.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Version {
    /// Id of the version.
    pub id: String,
    /// Display version.
    pub version: String,
    /// What decides which version is newer.
    pub comparable_version: String,
    /// Headline.
    pub title: Option<String>,
    /// Release notes. Markdown.
    pub content: Option<String>,
    /// Language of the texts, when they are translated ones; null for administrators.
    pub locale: Option<String>,
    /// In the order in which the languages were registered.
    pub translations: Option<Vec<VersionTranslation>>,
    /// The one download.
    pub download_url: Option<String>,
    /// All downloads.
    pub download_links: Vec<DownloadLink>,
    /// Always false; kept for older clients.
    pub forced: bool,
    /// Marked as the latest; at most one of a project is.
    pub is_latest: bool,
    /// For testers only.
    pub is_preview: bool,
    /// Must not be skipped.
    pub is_milestone: bool,
    /// Those who have it must update.
    pub is_deprecated: bool,
    /// The one platform it is for; the older form of `platforms`.
    pub platform: Option<Platform>,
    /// The platforms it is for; empty for all.
    pub platforms: Vec<Platform>,
    /// Whatever was kept with it.
    pub custom_data: Option<Map<String, Value>>,
    /// When it came out.
    pub published_at: i64,
    /// When it was made here.
    pub created_at: i64,
    /// Only present when the language asked for is not one of the project; a sentence that
    /// says so.
    pub locale_message: Option<String>,
}

/// Version translation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct VersionTranslation {
    /// Primary tag of the language.
    pub locale: String,
    /// The headline in it.
    pub title: Option<String>,
    /// The release notes in it.
    pub content: Option<String>,
}

/// Download link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DownloadLink {
    /// Where to download.
    pub url: String,
    /// Name for people; left out when there is none.
    pub name: Option<String>,
    /// What it is for; left out when not said.
    pub platform: Option<String>,
}

/// Version statistics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct VersionStatistics {
    /// How many versions there are in all projects.
    pub total_versions: i64,
    /// How many projects have at least one.
    pub total_projects: i64,
    /// Always 0; kept for older clients.
    pub forced_versions: i64,
    /// When the newest was made here.
    pub latest_version_time: Option<i64>,
    /// When the oldest was made here.
    pub first_version_time: Option<i64>,
}

/// Update check.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct UpdateCheck {
    /// There is something newer; `target_version` is what to install.
    pub should_update: bool,
    /// The app must update before it goes on: what is installed is deprecated, or outside the
    /// range in which updates are optional.
    pub required: bool,
    /// Why; in the order in which the codes are listed.
    pub reason_codes: Vec<ReasonCode>,
    /// Display version of the published version that was recognised; otherwise what was sent.
    pub current_version: Option<String>,
    /// The version that was compared.
    pub current_comparable_version: String,
    /// Latest version.
    pub latest_version: Version,
    /// The greatest preview, whether or not previews were asked for; null when there is none.
    pub latest_preview_version: Option<Version>,
    /// What to install now; null when there is nothing newer.
    pub target_version: Option<Version>,
    /// Milestone.
    pub milestone: MilestoneState,
}

/// What milestones have to do with an update.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MilestoneState {
    /// What is installed is a milestone.
    pub current: bool,
    /// The latest version is a milestone.
    pub latest: bool,
    /// The target was chosen because it is a milestone that must not be skipped.
    pub target_is_milestone: bool,
}

input! {
    /// What can be written: version.
    pub struct VersionFields {
        /// Display version, any text; trimmed. Unique in the project, case counts.
        optional version: String,
        /// What decides which version is newer. Null: derived from the display version by
        /// dropping one leading `v`.
        patch comparable_version: String,
        /// Headline.
        patch title: String,
        /// Release notes. Markdown.
        patch content: String,
        /// Replaces all translations. Only for registered languages.
        patch translations: Vec<VersionTranslationInput>,
        /// The one download; any text, blank is null. Sent without `download_links`, it
        /// becomes the only link.
        patch download_url: String,
        /// All downloads. Sent without `download_url`, the first one becomes that.
        patch download_links: Vec<DownloadLinkInput>,
        /// Mark it as the latest and unmark all others. A new version that is not sent with
        /// this gets the mark when it is official, not deprecated, and not below the present
        /// one.
        optional is_latest: bool,
        /// For testers only.
        optional is_preview: bool,
        /// Must not be skipped: an update that passes it leads to it first.
        optional is_milestone: bool,
        /// Those who have it must update. Needs a greater official version that is not
        /// deprecated, and cannot be the latest.
        optional is_deprecated: bool,
        /// The one platform it is for; the older form of `platforms`.
        patch platform: Platform,
        /// The platforms it is for. Empty: all, or just `platform` when that is sent.
        patch platforms: Vec<Platform>,
        /// Whatever you want to keep with it, up to 100 levels deep.
        patch custom_data: Map<String, Value>,
        /// When it came out; now, if left out at creation.
        optional published_at: i64,
    }
}

input! {
    /// What can be written: version translation.
    pub struct VersionTranslationInput {
        /// Tag of a registered language.
        optional locale: String,
        /// The headline in it; blank or null is untranslated.
        patch title: String,
        /// The release notes in it; blank or null is untranslated.
        patch content: String,
    }
}

input! {
    /// What can be written: download link.
    pub struct DownloadLinkInput {
        /// Absolute http, https or ftp address.
        optional url: String,
        /// Name for people.
        patch name: String,
        /// What it is for; any text.
        patch platform: String,
    }
}

input! {
    /// The state of a client, for a simulated update check.
    pub struct UpdateCheckSimulationInput {
        /// The display version that is installed.
        patch current_version: String,
        /// The comparable version that is installed; decides when both are sent.
        patch current_comparable_version: String,
        /// Whether previews may be offered.
        optional include_preview: bool,
        /// The language wanted for the texts of the versions.
        patch locale: String,
        /// What it runs on. The answer does not depend on it, a reason may.
        patch platform: Platform,
    }
}

/// What the update check answers a client, and why.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct UpdateCheckSimulation {
    /// Status of the update check: 200, 400 when there is nothing to compare the client by, 404
    /// when there is nothing to offer.
    pub status: i64,
    /// Text of the error; null with status 200.
    pub message: Option<String>,
    /// The answer; null when it is an error.
    pub answer: Option<UpdateCheck>,
    /// The rules that led to it, in the order in which they apply.
    pub reasons: Vec<UpdateCheckReason>,
}

/// A rule that applied, with what it is about. Facts that do not belong to it are null.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct UpdateCheckReason {
    /// Which rule, such as milestone_guard.
    pub code: String,
    /// Id of the version it is about.
    pub version_id: Option<String>,
    /// Its display version.
    pub version: Option<String>,
    /// Its comparable version.
    pub comparable_version: Option<String>,
    /// Lower end of the range in which updates are optional; null is unbounded.
    pub min_comparable_version: Option<String>,
    /// Upper end of it.
    pub max_comparable_version: Option<String>,
    /// Platforms that the version is for.
    pub platforms: Option<Vec<Platform>>,
    /// When it is published.
    pub published_at: Option<i64>,
}
