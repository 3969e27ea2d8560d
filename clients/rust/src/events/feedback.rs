//! Feedback that the application has sent, so that it can ask for the replies.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

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
    /// What cannot be stored.
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

    pub(crate) fn add(&self, sent: Sent) {
        let stored = match self.place {
            Place::Memory => false,
            _ => self.store(&sent),
        };
        if !stored {
            put(&mut lock(&self.memory), sent);
        }
    }

    /// Whether there is no more to do: it is written, or another process has opted out.
    fn store(&self, sent: &Sent) -> bool {
        let keys = [self.key.clone(), self.marker.clone()];
        let change = |texts: &mut super::state::Texts| {
            if texts.get(&self.marker).is_some_and(|t| t == "1") {
                return;
            }
            let mut list = parse(texts.get(&self.key));
            put(&mut list, sent.clone());
            if let Ok(text) = serde_json::to_string(&list) {
                texts.insert(self.key.clone(), text);
            }
        };
        self.place.update(&keys, change).1.is_ok()
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

/// A reply that exists; no error for deleted feedback.
fn answered(result: Result<FeedbackReply>) -> Result<Option<FeedbackReply>> {
    match result {
        Ok(reply) => Ok(Some(reply).filter(|r| r.reply.is_some())),
        Err(Error::Api(e)) if e.status == 404 => Ok(None),
        Err(e) => Err(e),
    }
}

fn sent(core: &Arc<Core>) -> Result<Vec<Sent>> {
    core.ensure_open()?;
    Ok(core.events.sent_feedback(core))
}

impl Public {
    /// Replies to the newest 20 feedback records that the application has sent to the bound project:
    /// those that have been answered, the oldest feedback first.
    ///
    /// [`Self::create_feedback`] keeps what this takes, as [`crate::Persistence`] says: on the device, only
    /// in memory, or not at all. [`Self::opt_out`] forgets it.
    ///
    /// `GET /public/{k}/feedbacks/{id}/reply`
    pub fn feedback_replies(&self) -> Result<Vec<FeedbackReply>> {
        let core = &self.0.core;
        let mut replies = Vec::new();
        for sent in sent(core)? {
            let settings = core.settings();
            let call = sent.call(&settings)?;
            replies.extend(answered(core.call(&settings, call))?);
        }
        Ok(replies)
    }
}

#[cfg(feature = "async")]
impl crate::api::AsyncPublic {
    /// Replies to the newest 20 feedback records that the application has sent to the bound project:
    /// those that have been answered, the oldest feedback first.
    ///
    /// [`Self::create_feedback`] keeps what this takes, as [`crate::Persistence`] says: on the device, only
    /// in memory, or not at all. [`Self::opt_out`] forgets it.
    ///
    /// `GET /public/{k}/feedbacks/{id}/reply`
    pub async fn feedback_replies(&self) -> Result<Vec<FeedbackReply>> {
        let core = &self.0.core;
        let mut replies = Vec::new();
        for sent in sent(core)? {
            let settings = core.settings();
            let call = sent.call(&settings)?;
            replies.extend(answered(core.call_async(&settings, call).await)?);
        }
        Ok(replies)
    }
}
