//! Feedback that the application has sent, so that it can ask for the replies.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::state::{Keys, Place};
use crate::api::Public;
use crate::core::Core;
use crate::error::{Error, Result};
use crate::models::FeedbackReply;
use crate::request::{Answer, Call};
use crate::settings::Settings;
use crate::sync::lock;

/// Records that are kept; above it the oldest go.
const MOST_SENT: usize = 20;

/// Feedback whose reply can be asked for.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Sent {
    id: String,
    token: String,
    /// Only where the namespace does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_key: Option<String>,
}

impl Sent {
    /// The feedback of an answer to a submission, when that has a token.
    pub(crate) fn of(answer: &Answer) -> Option<Sent> {
        #[derive(Deserialize)]
        struct Stored {
            id: String,
            reply_token: String,
        }
        let stored: Stored = serde_json::from_slice(&answer.body).ok()?;
        let sent = Sent {
            id: stored.id,
            token: stored.reply_token,
            project_key: None,
        };
        ((200..300).contains(&answer.status) && sent.is_complete()).then_some(sent)
    }

    fn is_complete(&self) -> bool {
        !self.id.is_empty() && !self.token.is_empty()
    }

    fn call(&self, settings: &Settings) -> Result<Call> {
        let template = "/public/{k}/feedbacks/{id}/reply";
        let mut call = Call::new(settings, "GET", template, &[("id", &self.id)], false)?;
        call.reply_token = Some(self.token.clone());
        Ok(call)
    }
}

/// The feedback of a namespace.
pub(crate) struct Kept {
    place: Place,
    key: String,
    marker: String,
    /// Feedback that cannot be stored.
    memory: Mutex<Vec<Sent>>,
}

impl Kept {
    pub(crate) fn new(place: Place, keys: &Keys) -> Kept {
        Kept {
            place,
            key: keys.feedback.clone(),
            marker: keys.opt_out.clone(),
            memory: Mutex::default(),
        }
    }

    /// Keeps feedback that was sent, while `active`.
    pub(crate) fn add(&self, sent: Sent, active: impl Fn() -> bool) {
        let stored = match self.place {
            Place::Memory => false,
            _ => self.store(&active, |list| put(list, sent.clone())),
        };
        if !stored {
            let mut memory = lock(&self.memory);
            if active() {
                put(&mut memory, sent);
            }
        }
    }

    /// Forgets feedback that was deleted, while `active`.
    pub(crate) fn remove(&self, id: &str, active: impl Fn() -> bool) {
        lock(&self.memory).retain(|sent| sent.id != id);
        self.store(&active, |list| list.retain(|sent| sent.id != id));
    }

    /// Changes the stored feedback while `active`. Returns false if the storage cannot be written.
    ///
    /// Writes of this process happen one after the other, so a revocation after the check deletes the
    /// feedback that is written here.
    fn store(&self, active: &impl Fn() -> bool, change: impl FnOnce(&mut Vec<Sent>)) -> bool {
        let keys = [self.key.clone(), self.marker.clone()];
        let write = |texts: &mut super::state::Texts| {
            if !active() || texts.get(&self.marker).is_some_and(|t| t == "1") {
                return;
            }
            let mut list = parse(texts.get(&self.key));
            change(&mut list);
            match serde_json::to_string(&list) {
                Ok(text) if !list.is_empty() => texts.insert(self.key.clone(), text),
                _ => texts.remove(&self.key),
            };
        };
        self.place.update(&keys, write).1.is_ok()
    }

    /// The oldest first.
    pub(crate) fn list(&self) -> Vec<Sent> {
        let texts = self.place.read(&[self.key.clone(), self.marker.clone()]);
        if texts.get(&self.marker).is_some_and(|t| t == "1") {
            return Vec::new();
        }
        let mut list = parse(texts.get(&self.key));
        for sent in lock(&self.memory).iter() {
            put(&mut list, sent.clone());
        }
        list
    }

    /// Forgets what is in memory.
    pub(crate) fn clear(&self) {
        lock(&self.memory).clear();
    }
}

/// Stored feedback; nothing for any other text.
fn parse(text: Option<&String>) -> Vec<Sent> {
    let mut list: Vec<Sent> = text
        .and_then(|t| serde_json::from_str(t).ok())
        .unwrap_or_default();
    list.retain(Sent::is_complete);
    list
}

/// Puts feedback at the end of a list.
fn put(list: &mut Vec<Sent>, sent: Sent) {
    list.retain(|other| other.id != sent.id);
    list.push(sent);
    list.drain(..list.len().saturating_sub(MOST_SENT));
}

/// A reply that exists. No error for deleted feedback, which is forgotten.
fn answered(
    core: &Arc<Core>,
    queue: &Queue,
    sent: &Sent,
    result: Result<FeedbackReply>,
) -> Result<Option<FeedbackReply>> {
    match result {
        Ok(reply) => Ok(Some(reply).filter(|r| r.reply.is_some())),
        Err(Error::Api(e)) if e.status == 404 => {
            // A proxy may answer 404 for a server that is being replaced, but not in JSON.
            if e.body.is_object() {
                core.events.forget_feedback(queue, &sent.id);
            }
            Ok(None)
        }
        Err(e) => Err(e),
    }
}

impl Public {
    /// Returns the replies to the feedback that the application has sent to the bound project, the oldest
    /// feedback first.
    ///
    /// [`Self::create_feedback`] keeps the ids and reply tokens of the newest 20 records, as
    /// [`crate::Persistence`] says: on the device, only in memory, or not at all. It keeps nothing while
    /// collection is off, after an opt-out or without a required consent. During that time this method asks
    /// for nothing and returns nothing. [`Self::opt_out`] and [`Self::revoke_consent`] delete what was kept.
    /// A record that the server no longer has is forgotten.
    ///
    /// `GET /public/{k}/feedbacks/{id}/reply`
    pub fn feedback_replies(&self) -> Result<Vec<FeedbackReply>> {
        let core = &self.0.core;
        core.ensure_open()?;
        let mut replies = Vec::new();
        // Another project may be bound between two requests.
        let settings = core.settings();
        let Some(queue) = core.events.queue(core) else {
            return Ok(replies);
        };
        for sent in core.events.sent_feedback(&queue) {
            let call = sent.call(&settings)?;
            let result = core.call(&settings, call);
            replies.extend(answered(core, &queue, &sent, result)?);
        }
        Ok(replies)
    }
}

#[cfg(feature = "async")]
impl crate::api::AsyncPublic {
    /// Returns the replies to the feedback that the application has sent to the bound project, the oldest
    /// feedback first.
    ///
    /// [`Self::create_feedback`] keeps the ids and reply tokens of the newest 20 records, as
    /// [`crate::Persistence`] says: on the device, only in memory, or not at all. It keeps nothing while
    /// collection is off, after an opt-out or without a required consent. During that time this method asks
    /// for nothing and returns nothing. [`Self::opt_out`] and [`Self::revoke_consent`] delete what was kept.
    /// A record that the server no longer has is forgotten.
    ///
    /// `GET /public/{k}/feedbacks/{id}/reply`
    pub async fn feedback_replies(&self) -> Result<Vec<FeedbackReply>> {
        let core = &self.0.core;
        core.ensure_open()?;
        let mut replies = Vec::new();
        // Another project may be bound between two requests.
        let settings = core.settings();
        let Some(queue) = core.events.queue(core) else {
            return Ok(replies);
        };
        for sent in core.events.sent_feedback(&queue) {
            let call = sent.call(&settings)?;
            let result = core.call_async(&settings, call).await;
            replies.extend(answered(core, &queue, &sent, result)?);
        }
        Ok(replies)
    }
}
