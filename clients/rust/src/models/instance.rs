//! The instance, and Markdown as it shows it.

use serde::{Deserialize, Serialize};

/// How an instance stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InstanceStatus {
    /// The worst of the checks: ok, note, warning or problem.
    pub status: String,
    /// Version of the server.
    pub version: String,
    /// When it was started.
    pub started_at: i64,
    /// When it was examined.
    pub checked_at: i64,
    /// Public address of the site.
    pub site_url: Option<String>,
    /// What links of files begin with.
    pub distribution_url: Option<String>,
    /// The scheduled backups.
    pub backup: Option<InstanceBackup>,
    /// All checks, those without findings included.
    pub checks: Vec<InstanceCheck>,
}

/// How scheduled backups stand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InstanceBackup {
    /// When the newest one was made.
    pub last_at: Option<i64>,
    /// Size of it.
    pub bytes: i64,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

/// One check, as in `svc doctor`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InstanceCheck {
    /// Its name, such as backup, space, certificates or jobs.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The worst of its findings.
    pub status: String,
    /// What it found; empty when all is well.
    pub findings: Vec<InstanceFinding>,
}

/// Something to know or to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InstanceFinding {
    /// How bad it is.
    pub status: String,
    /// Names the kind of finding, such as `backup_late`, for programs and for texts in other languages.
    pub code: String,
    /// What there is.
    pub what: String,
    /// What to do about it.
    pub repair: String,
    /// The names, times and numbers in `what` and then in `repair`, as they stand there.
    pub values: Vec<String>,
}

/// Which program runs, and what is published of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct About {
    /// Version of the server.
    pub version: String,
    /// What it was built from.
    pub commit: Option<String>,
    /// Whether it was built from files that differ from the commit.
    pub modified: bool,
    /// Version of Go that it was built with.
    pub go: String,
    /// Operating system and architecture.
    pub platform: String,
    /// When it was started.
    pub started_at: i64,
    /// Where the documentation is.
    pub docs_url: Option<String>,
    /// The instance that is asked for updates; none when nobody is asked.
    pub upstream_url: Option<String>,
    /// The version that runs, as it is published.
    pub release: Option<AboutRelease>,
    /// The check for updates; none when nobody is asked.
    pub update: Option<AboutUpdate>,
}

/// A version of the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AboutRelease {
    /// Display version.
    pub version: String,
    /// Headline.
    pub title: Option<String>,
    /// Release notes, Markdown.
    pub content: Option<String>,
    /// When it was published.
    pub published_at: i64,
    /// Its public page at the instance that publishes it.
    pub url: String,
}

/// What a check for updates of the server has given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AboutUpdate {
    /// When it was made.
    pub checked_at: i64,
    /// Why it gave nothing.
    pub error: Option<String>,
    /// There is something newer.
    pub should_update: bool,
    /// What runs is deprecated, or outside of the range in which updates are optional.
    pub required: bool,
    /// Why.
    pub reason_codes: Vec<String>,
    /// What to install; none when there is nothing newer.
    pub target: Option<AboutRelease>,
    /// The newest version that could be offered.
    pub latest: Option<AboutRelease>,
}

input! {
    /// A text to render.
    pub struct MarkdownInput {
        /// The Markdown.
        optional text: String,
    }
}

/// A text as public pages show it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MarkdownPreview {
    /// The text as HTML that may stand in any page.
    pub html: String,
}
