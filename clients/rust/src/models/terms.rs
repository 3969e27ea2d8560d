//! Terms.

use serde::{Deserialize, Serialize};

use super::TermsSlug;

/// Terms summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TermsSummary {
    /// Which document it is.
    pub slug: TermsSlug,
    /// Its title, in the language asked for.
    pub title: String,
    /// What it is about, in a sentence.
    pub summary: String,
    /// Whether the text is the built-in one or that of the operator.
    pub source: String,
    /// When the text was last changed.
    pub updated_at: i64,
    /// Only present when there is no built-in text in the language asked for; a sentence that
    /// says so.
    pub locale_message: Option<String>,
}

/// Terms.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Terms {
    /// Which document it is.
    pub slug: TermsSlug,
    /// Its title, in the language asked for.
    pub title: String,
    /// What it is about, in a sentence.
    pub summary: String,
    /// Whether the text is the built-in one or that of the operator.
    pub source: String,
    /// When the text was last changed.
    pub updated_at: i64,
    /// Only present when there is no built-in text in the language asked for; a sentence that
    /// says so.
    pub locale_message: Option<String>,
    /// The text, in Markdown.
    pub content: String,
}

/// Terms document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TermsDocument {
    /// Which document it is.
    pub slug: TermsSlug,
    /// Its title, in the language asked for.
    pub title: String,
    /// What it is about, in a sentence.
    pub summary: String,
    /// Whether the draft is shown, if there is one.
    pub custom: bool,
    /// What people read at the moment.
    pub content: String,
    /// The draft, in Markdown; it stays while `custom` is off.
    pub custom_content: Option<String>,
    /// When the text of the draft last changed.
    pub custom_updated_at: Option<i64>,
    /// The built-in text, in the language asked for.
    pub builtin_content: String,
    /// Revision of the built-in text.
    pub builtin_updated_at: i64,
    /// When it was last saved; null before and after a reset.
    pub updated_at: Option<i64>,
    /// The keys in the built-in text, each once, in the order in which they first appear.
    pub placeholders: Vec<TermsPlaceholder>,
}

/// Terms placeholder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TermsPlaceholder {
    /// What the text has between `{{` and `}}`.
    pub key: String,
    /// Name of the field in a form, in the language asked for.
    pub label: String,
    /// What belongs there.
    pub hint: String,
    /// A value as it may be.
    pub example: String,
    /// Whether the text is incomplete without it.
    pub required: bool,
}

input! {
    /// What can be written: terms document.
    pub struct TermsDocumentFields {
        /// Whether the draft is shown, if there is one.
        optional custom: bool,
        /// The draft, in Markdown. Trimmed; blank drops it.
        patch content: String,
    }
}
