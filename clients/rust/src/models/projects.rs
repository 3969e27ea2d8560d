//! Projects, their former keys and languages.

use serde::{Deserialize, Serialize};

/// Project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Project {
    /// The same as `project_key`.
    pub id: String,
    /// The name in addresses.
    pub project_key: String,
    /// The name for people.
    pub name: String,
    /// Where the source is.
    pub repo_url: Option<String>,
    /// What it is. Markdown.
    pub description: Option<String>,
    /// Who makes it.
    pub author: Option<String>,
    /// Their page.
    pub author_homepage_url: Option<String>,
    /// Its picture.
    pub icon_url: Option<String>,
    /// Its page.
    pub website_url: Option<String>,
    /// Its manual.
    pub docs_url: Option<String>,
    /// When it first came out.
    pub published_at: Option<i64>,
    /// Least comparable version for which updates stay optional.
    pub optional_update_min_comparable_version: Option<String>,
    /// Greatest comparable version for which updates stay optional.
    pub optional_update_max_comparable_version: Option<String>,
    /// Days that request statistics are kept.
    pub stats_retention_days: i64,
    /// Whether events are accepted.
    pub event_collection_enabled: bool,
    /// Days that events are kept.
    pub event_retention_days: i64,
    /// Days that logs are kept; null: as long as the instance keeps them.
    pub log_retention_days: Option<i64>,
    /// Days that feedback is kept; null: as long as the instance keeps it.
    pub feedback_retention_days: Option<i64>,
    /// Where its files go; null: the storage of the instance.
    pub storage_backend_id: Option<String>,
    /// Whether attachments of releases at the code host are copied here.
    pub mirror_codehost_assets: bool,
    /// Former keys, newest first.
    pub aliases: Vec<String>,
    /// Language of the texts, when they are translated ones; null for administrators.
    pub locale: Option<String>,
    /// In the order in which the languages were registered.
    pub translations: Option<Vec<ProjectTranslation>>,
    /// When it was made here.
    pub created_at: i64,
    /// When it was last changed.
    pub updated_at: i64,
    /// Only present when the language asked for is not one of the project; a sentence that
    /// says so.
    pub locale_message: Option<String>,
}

/// Project translation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectTranslation {
    /// Primary tag of the language.
    pub locale: String,
    /// The name in it.
    pub name: Option<String>,
    /// The description in it.
    pub description: Option<String>,
}

/// Project alias.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectAlias {
    /// A former key.
    pub alias: String,
    /// When it became one.
    pub created_at: i64,
}

/// Project language.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectLanguage {
    /// Primary tag.
    pub locale: String,
    /// Synonyms.
    pub aliases: Vec<String>,
    /// Name for people.
    pub label: Option<String>,
    /// When it was registered.
    pub created_at: i64,
}

/// Project statistics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectStatistics {
    /// How many projects there are.
    pub count: i64,
}

input! {
    /// What can be written: project.
    pub struct ProjectFields {
        /// The name in addresses. Trimmed and lower-cased; no blanks, control characters, or
        /// any of `/ \ ? # %`. A few words are reserved.
        optional project_key: String,
        /// The name for people.
        optional name: String,
        /// Where the source is; any text.
        patch repo_url: String,
        /// What it is. Markdown.
        patch description: String,
        /// Who makes it.
        patch author: String,
        /// Their page; absolute http, https or ftp address.
        patch author_homepage_url: String,
        /// Its picture; absolute http, https or ftp address.
        patch icon_url: String,
        /// Its page; absolute http, https or ftp address.
        patch website_url: String,
        /// Its manual; absolute http, https or ftp address.
        patch docs_url: String,
        /// When it first came out.
        patch published_at: i64,
        /// Least comparable version for which updates stay optional. Blank is null: no lower
        /// end.
        patch optional_update_min_comparable_version: String,
        /// Greatest comparable version for which updates stay optional, not below the least.
        /// Blank is null: no upper end.
        patch optional_update_max_comparable_version: String,
        /// Days that request statistics are kept. A numeric text is accepted as well.
        optional stats_retention_days: i64,
        /// Whether events are accepted. `"true"`, `"1"`, `"false"` and `"0"` are accepted as
        /// well.
        optional event_collection_enabled: bool,
        /// Days that events are kept. A numeric text is accepted as well.
        optional event_retention_days: i64,
        /// Days that logs are kept. Null: as long as the instance keeps them.
        patch log_retention_days: i64,
        /// Days that feedback is kept. Null: as long as the instance keeps it.
        patch feedback_retention_days: i64,
        /// Where its files go. Blank is null: the storage of the instance.
        patch storage_backend_id: String,
        /// Whether attachments of releases at the code host are copied here. The same texts
        /// are accepted as above.
        optional mirror_codehost_assets: bool,
        /// Replaces all translations. Only for registered languages, hence not at creation.
        patch translations: Vec<ProjectTranslationInput>,
    }
}

input! {
    /// Changes of a project.
    pub struct ProjectChanges {
        /// The name in addresses. Trimmed and lower-cased; no blanks, control characters, or
        /// any of `/ \ ? # %`. A few words are reserved.
        optional new_project_key as "project_key": String,
        /// The name for people.
        optional name: String,
        /// Where the source is; any text.
        patch repo_url: String,
        /// What it is. Markdown.
        patch description: String,
        /// Who makes it.
        patch author: String,
        /// Their page; absolute http, https or ftp address.
        patch author_homepage_url: String,
        /// Its picture; absolute http, https or ftp address.
        patch icon_url: String,
        /// Its page; absolute http, https or ftp address.
        patch website_url: String,
        /// Its manual; absolute http, https or ftp address.
        patch docs_url: String,
        /// When it first came out.
        patch published_at: i64,
        /// Least comparable version for which updates stay optional. Blank is null: no lower
        /// end.
        patch optional_update_min_comparable_version: String,
        /// Greatest comparable version for which updates stay optional, not below the least.
        /// Blank is null: no upper end.
        patch optional_update_max_comparable_version: String,
        /// Days that request statistics are kept. A numeric text is accepted as well.
        optional stats_retention_days: i64,
        /// Whether events are accepted. `"true"`, `"1"`, `"false"` and `"0"` are accepted as
        /// well.
        optional event_collection_enabled: bool,
        /// Days that events are kept. A numeric text is accepted as well.
        optional event_retention_days: i64,
        /// Days that logs are kept. Null: as long as the instance keeps them.
        patch log_retention_days: i64,
        /// Days that feedback is kept. Null: as long as the instance keeps it.
        patch feedback_retention_days: i64,
        /// Where its files go. Blank is null: the storage of the instance.
        patch storage_backend_id: String,
        /// Whether attachments of releases at the code host are copied here. The same texts
        /// are accepted as above.
        optional mirror_codehost_assets: bool,
        /// Replaces all translations. Only for registered languages, hence not at creation.
        patch translations: Vec<ProjectTranslationInput>,
    }
}

input! {
    /// What can be written: project translation.
    pub struct ProjectTranslationInput {
        /// Tag of a registered language.
        optional locale: String,
        /// The name in it; blank or null is untranslated.
        patch name: String,
        /// The description in it; blank or null is untranslated.
        patch description: String,
    }
}

input! {
    /// What can be written: project language.
    pub struct ProjectLanguageFields {
        /// Primary tag, kept as written. Trimmed; no control characters, `/` or `\`.
        optional locale: String,
        /// Synonyms: other tags that mean this language. Those that are already said are
        /// dropped; one of another language is refused.
        patch aliases: Vec<String>,
        /// Name for people. Blank is null.
        patch label: String,
    }
}

input! {
    /// Changes of a language.
    pub struct ProjectLanguageChanges {
        /// Primary tag, kept as written. Trimmed; no control characters, `/` or `\`.
        optional new_locale as "locale": String,
        /// Synonyms: other tags that mean this language. Those that are already said are
        /// dropped; one of another language is refused.
        patch aliases: Vec<String>,
        /// Name for people. Blank is null.
        patch label: String,
    }
}

/// How much belongs to a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectContents {
    /// Versions.
    pub versions: i64,
    /// Announcements, hidden ones included.
    pub announcements: i64,
    /// Feedback, hidden included.
    pub feedbacks: i64,
    /// Logs, hidden ones included.
    pub logs: i64,
    /// Stored files.
    pub files: i64,
    /// Bytes of all files.
    pub file_bytes: i64,
    /// Events that are still kept.
    pub events: i64,
    /// Definitions of events, archived ones included.
    pub event_definitions: i64,
    /// Cards of the dashboard.
    pub dashboard_cards: i64,
    /// Registered languages.
    pub languages: i64,
    /// Former keys, which become free.
    pub aliases: i64,
    /// API keys limited to listed projects that lose this one.
    pub api_keys: i64,
}
