//! Machine translation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Translation config.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TranslationConfig {
    /// Whether address and model are there.
    pub configured: bool,
    /// Whether texts can be translated.
    pub enabled: bool,
    /// Protocol of the service.
    pub provider: String,
    /// Address of the service.
    pub base_url: Option<String>,
    /// Name of the model.
    pub model: Option<String>,
    /// Whether there is a key.
    pub has_api_key: bool,
    /// Tells keys apart.
    pub api_key_fingerprint: Option<String>,
    /// When the key was last set.
    pub api_key_updated_at: Option<i64>,
    /// Whether `system_prompt` counts.
    pub custom_prompt: bool,
    /// Prompt of your own.
    pub system_prompt: Option<String>,
    /// What the model is told without a prompt of your own.
    pub builtin_system_prompt: String,
    /// Placeholders of prompts, written `{{ name }}`.
    pub prompt_variables: Vec<String>,
    /// Where requests go.
    pub request_url: Option<String>,
    /// When it was last saved.
    pub updated_at: Option<i64>,
}

/// Translation test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TranslationTest {
    /// Whether the sample was translated.
    pub ok: bool,
    /// Protocol of the service.
    pub provider: String,
    /// Name of the model.
    pub model: Option<String>,
    /// Where the request went.
    pub request_url: Option<String>,
    /// The sample, in Simplified Chinese.
    pub sample: Option<String>,
    /// How long it took.
    pub latency_ms: i64,
    /// What did not work.
    pub error: Option<String>,
}

/// Translated texts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TranslatedTexts {
    /// Primary tag of the language.
    pub locale: String,
    /// Protocol of the service.
    pub provider: String,
    /// Model that translated.
    pub model: String,
    /// The fields that were sent and are not blank, translated.
    pub fields: BTreeMap<String, String>,
}

input! {
    /// What can be written: translation config.
    pub struct TranslationConfigFields {
        /// Whether texts can be translated.
        optional enabled: bool,
        /// Protocol of the service; openai stands for every service that is compatible with
        /// it.
        optional provider: String,
        /// Address of the service, such as `https://api.openai.com/v1`.
        patch base_url: String,
        /// Key of the service. It can be set, never read.
        patch api_key: String,
        /// Name of the model.
        patch model: String,
        /// Whether `system_prompt` counts.
        optional custom_prompt: bool,
        /// Prompt of your own, with the placeholders of `prompt_variables`.
        patch system_prompt: String,
    }
}

input! {
    /// What can be written: translate.
    pub struct TranslateFields {
        /// What the texts belong to.
        optional kind: String,
        /// Language of the project, by its tag or a synonym.
        optional target_locale: String,
        /// Language of the texts, as a hint.
        patch source_locale: String,
        /// Texts of at most 32,000 characters in all: `title` and `content` of announcements
        /// and versions, `name` and `description` of projects.
        optional fields: BTreeMap<String, String>,
    }
}
