//! The state of a record, so that people who edit the same one do not overwrite each other.

use std::sync::{Arc, Mutex};

use crate::request::{Answer, Call};
use crate::sync::lock;

/// The state that a record had when it was read. Clones are the same one.
///
/// ```no_run
/// # fn main() -> Result<(), svc_sdk::Error> {
/// # let client = svc_sdk::SvcClient::builder("https://svc.example.com/api/v1").build()?;
/// let tag = svc_sdk::ETag::new();
/// let version = client.admin().noting(&tag).get_version("id")?;
/// let fields = svc_sdk::models::VersionFields::new().title("Two");
/// // An error of status 412 when somebody else changed the version meanwhile.
/// client.admin().if_match(&tag).update_version(&version.id, &fields)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct ETag(Arc<Mutex<Option<String>>>);

impl ETag {
    /// One that has no text yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text of the header; none before there was one.
    pub fn get(&self) -> Option<String> {
        lock(&self.0).clone()
    }
}

/// `"*"` is any state of a record that exists.
impl From<&str> for ETag {
    fn from(text: &str) -> Self {
        ETag(Arc::new(Mutex::new(Some(text.to_owned()))))
    }
}

/// The condition of the calls of a handle.
#[derive(Clone, Default)]
pub(crate) struct Condition {
    pub if_match: Option<String>,
    pub note: Option<ETag>,
}

impl Condition {
    pub(crate) fn apply(&self, call: &mut Call) {
        call.note.clone_from(&self.note);
        if call.method != "GET" {
            call.if_match.clone_from(&self.if_match);
        }
    }
}

/// Keeps the state that a good answer shows.
pub(crate) fn keep(note: Option<&ETag>, answer: &Answer) {
    if let (Some(note), Some(tag), 200..300) = (note, answer.header("etag"), answer.status) {
        *lock(&note.0) = Some(tag.to_owned());
    }
}
