//! Announcements.

use serde::{Deserialize, Serialize};

use super::Platform;

/// Announcement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Announcement {
    /// Id of the announcement.
    pub id: String,
    /// Headline.
    pub title: String,
    /// What is announced; it may be blank. Markdown.
    pub content: String,
    /// Listed before the others.
    pub is_pinned: bool,
    /// Hidden from all public reads.
    pub is_hidden: bool,
    /// The platforms it is for; empty for all.
    pub platforms: Vec<Platform>,
    /// Who says it.
    pub author: Option<String>,
    /// Least comparable version of clients it is for, itself included; null for no lower end.
    pub min_comparable_version: Option<String>,
    /// Greatest comparable version of clients it is for, itself included; null for no upper
    /// end.
    pub max_comparable_version: Option<String>,
    /// Language of the texts, when they are translated ones; null for administrators.
    pub locale: Option<String>,
    /// In the order in which the languages were registered.
    pub translations: Option<Vec<AnnouncementTranslation>>,
    /// When it came out.
    pub published_at: i64,
    /// When it was made here.
    pub created_at: i64,
    /// When it was last changed.
    pub updated_at: i64,
    /// Only present when the language asked for is not one of the project; a sentence that
    /// says so.
    pub locale_message: Option<String>,
}

/// Announcement translation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AnnouncementTranslation {
    /// Primary tag of the language.
    pub locale: String,
    /// The headline in it.
    pub title: Option<String>,
    /// The text in it.
    pub content: Option<String>,
    /// Hidden from those who ask for this language.
    pub is_hidden: bool,
}

/// Announcement statistics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AnnouncementStatistics {
    /// How many announcements there are in all projects.
    pub count: i64,
    /// How many of them are pinned.
    pub pinned_count: i64,
}

input! {
    /// What can be written: announcement.
    pub struct AnnouncementFields {
        /// Headline; not blank.
        optional title: String,
        /// What is announced; it may be blank. Markdown.
        optional content: String,
        /// Listed before the others.
        optional is_pinned: bool,
        /// Seen by administrators only.
        optional is_hidden: bool,
        /// The platforms it is for; empty for all.
        patch platforms: Vec<Platform>,
        /// Who says it.
        patch author: String,
        /// Least comparable version of clients it is for. Blank is null: no lower end.
        patch min_comparable_version: String,
        /// Greatest comparable version of clients it is for, not below the least. Blank is
        /// null: no upper end.
        patch max_comparable_version: String,
        /// Replaces all translations. Only for registered languages.
        patch translations: Vec<AnnouncementTranslationInput>,
        /// When it came out; now, if left out at creation. A time ahead hides nothing.
        optional published_at: i64,
    }
}

input! {
    /// What can be written: announcement translation.
    pub struct AnnouncementTranslationInput {
        /// Tag of a registered language.
        optional locale: String,
        /// The headline in it; blank or null is untranslated.
        patch title: String,
        /// The text in it; blank or null is untranslated.
        patch content: String,
        /// Hides the announcement from those who ask for this language. An entry may do only
        /// that.
        optional is_hidden: bool,
    }
}
