//! Bodies of requests without a credential that need checks or defaults.

use crate::error::{Error, Result};
use crate::models::*;
use crate::patch::Patch;
use crate::request::{Body, Call};
use crate::settings::Settings;

use super::{Arguments, json, or_default};

impl Arguments for FeedbackFields {
    fn fill(&self, _settings: &Settings, call: &mut Call) -> Result<()> {
        let contact = match self.extra.get("contact") {
            Some(later) => later.as_str().unwrap_or(""),
            None => self.contact.value().map_or("", |c| c.as_str()),
        };
        if self.forward_to_codehost == Some(true) && contact.trim().is_empty() {
            return Err(Error::invalid("feedback that is forwarded needs a contact"));
        }
        call.body = Body::Json(json(self)?);
        call.keeps_feedback = true;
        Ok(())
    }

    #[cfg(test)]
    fn extend(&mut self, extra: serde_json::Map<String, serde_json::Value>) {
        self.extra.extend(extra);
    }
}

/// The installed version. Default: the version of the client.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[cfg_attr(test, serde(default))]
#[non_exhaustive]
pub struct CheckUpdate {
    /// Display version that is installed.
    pub current_version: Option<String>,
    /// Comparable version that is installed.
    pub current_comparable_version: Option<String>,
    /// Whether previews count.
    pub include_preview: Option<bool>,
    /// Channel for which the app asks; that of the client when left out.
    pub channel: Patch<String>,
    /// Key with which the app takes part in rollouts; that of the client when left out.
    pub rollout_key: Patch<String>,
    /// Whether an older version is taken in place of one that was withdrawn.
    pub accept_downgrade: Option<bool>,
    /// Whether the answer has the notes of the versions up to the target.
    pub include_notes: Option<bool>,
    /// Preferred language; the client's own when left out.
    pub locale: Patch<String>,
    /// Fields that this library does not know; they win over the others.
    #[cfg_attr(test, serde(flatten))]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl CheckUpdate {
    /// The version of the client, no previews.
    pub fn new() -> Self {
        Self::default()
    }

    /// Display version that is installed.
    pub fn current_version(mut self, version: impl Into<String>) -> Self {
        self.current_version = Some(version.into());
        self
    }

    /// Comparable version that is installed.
    pub fn current_comparable_version(mut self, version: impl Into<String>) -> Self {
        self.current_comparable_version = Some(version.into());
        self
    }

    /// Whether previews count.
    pub fn include_preview(mut self, include: bool) -> Self {
        self.include_preview = Some(include);
        self
    }

    /// Channel for which the app asks; that of the client when left out.
    pub fn channel(mut self, channel: impl Into<Patch<String>>) -> Self {
        self.channel = channel.into();
        self
    }

    /// Decides how early a rollout reaches the caller: any text, always the same one.
    pub fn rollout_key(mut self, key: impl Into<Patch<String>>) -> Self {
        self.rollout_key = key.into();
        self
    }

    /// Whether an older version is taken in place of one that was withdrawn.
    pub fn accept_downgrade(mut self, accept: bool) -> Self {
        self.accept_downgrade = Some(accept);
        self
    }

    /// Whether the answer has the notes of the versions up to the target.
    pub fn include_notes(mut self, include: bool) -> Self {
        self.include_notes = Some(include);
        self
    }

    /// Preferred language; the client's own when left out.
    pub fn locale(mut self, locale: impl Into<Patch<String>>) -> Self {
        self.locale = locale.into();
        self
    }

    /// Sends a field that this library does not know.
    pub fn extra(mut self, field: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
        self.extra.insert(field.into(), value.into());
        self
    }
}

impl Arguments for CheckUpdate {
    fn fill(&self, settings: &Settings, call: &mut Call) -> Result<()> {
        let current = match (&self.current_version, &self.current_comparable_version) {
            (None, None) => settings.app_version.clone(),
            (given, _) => given.clone(),
        };
        if current.is_none() && self.current_comparable_version.is_none() {
            return Err(Error::invalid(
                "an update check needs current_version, current_comparable_version or the client's app_version",
            ));
        }
        let mut body = serde_json::Map::new();
        let mut put = |name: &str, value: Option<serde_json::Value>| {
            if let Some(value) = value {
                body.insert(name.to_owned(), value);
            }
        };
        put("current_version", current.map(Into::into));
        put(
            "current_comparable_version",
            self.current_comparable_version.clone().map(Into::into),
        );
        put("include_preview", self.include_preview.map(Into::into));
        put(
            "channel",
            or_default(&self.channel, &settings.channel).map(Into::into),
        );
        let key = or_default(&self.rollout_key, &settings.rollout_key);
        call.needs_rollout_key = key.is_none() && self.rollout_key == Patch::Keep;
        put("rollout_key", key.map(Into::into));
        put("accept_downgrade", self.accept_downgrade.map(Into::into));
        put("include_notes", self.include_notes.map(Into::into));
        put(
            "locale",
            or_default(&self.locale, &settings.locale).map(Into::into),
        );
        body.extend(self.extra.clone());
        call.body = Body::Json(body.into());
        Ok(())
    }

    #[cfg(test)]
    fn extend(&mut self, extra: serde_json::Map<String, serde_json::Value>) {
        self.extra.extend(extra);
    }
}
