//! Bodies of requests with a credential that contain more than their fields.

use crate::error::Result;
use crate::models::*;
use crate::request::{Body, Call};
use crate::settings::Settings;

use super::*;

impl Arguments for ProjectFields {
    fn fill(&self, settings: &Settings, call: &mut Call) -> Result<()> {
        let mut body = json(self)?;
        if let Some(fields) = body.as_object_mut() {
            if !fields.contains_key("project_key") {
                let key = settings.project()?;
                fields.insert("project_key".to_owned(), key.into());
            }
        }
        call.body = Body::Json(body);
        Ok(())
    }

    #[cfg(test)]
    fn extend(&mut self, extra: serde_json::Map<String, serde_json::Value>) {
        self.extra.extend(extra);
    }
}

/// Bytes of a chunk of an upload.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[cfg_attr(test, serde(default))]
pub struct Chunk {
    /// The bytes.
    pub data: Vec<u8>,
}

impl From<Vec<u8>> for Chunk {
    fn from(data: Vec<u8>) -> Self {
        Chunk { data }
    }
}

impl Arguments for Chunk {
    fn fill(&self, _settings: &Settings, call: &mut Call) -> Result<()> {
        call.body = Body::Bytes(self.data.clone());
        Ok(())
    }
}
