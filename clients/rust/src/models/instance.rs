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
    /// What there is.
    pub what: String,
    /// What to do about it.
    pub repair: String,
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
