//! The event methods of both clients.

use std::sync::Arc;

use serde::Serialize;

use super::Flushed;
use crate::api::Public;
use crate::core::Core;
use crate::error::Result;
use crate::models::{EventsErased, SubjectExport};
use crate::request::Call;

const MY_DATA: &str = "/public/{k}/events/me";

/// Prepares `export_my_data` and `delete_my_data`.
fn my_data(
    core: &Arc<Core>,
    method: &'static str,
    distinct_id: Option<&str>,
) -> Result<(Call, String)> {
    let settings = core.settings();
    let mut call = Call::new(&settings, method, MY_DATA, &[], false)?;
    let id = core.events.subject(core, distinct_id)?;
    call.query.push(("distinct_id", id.clone()));
    core.ensure_open()?;
    Ok((call, id))
}

/// Methods that do no network I/O and are the same in both clients.
macro_rules! event_methods {
    ($public:ident) => {
        impl $public {
            /// Counts an event. Returns at once and never fails: not active
            /// means that nothing happens. `properties` is anything that
            /// serialises to an object; `()` is none.
            pub fn track(&self, name: &str, properties: impl Serialize) {
                let core = &self.0.core;
                core.events.track(core, name, properties);
            }

            /// Stops collection for good: what waits, the identifier and what
            /// `feedback_replies` needs are deleted, and the choice is remembered.
            pub fn opt_out(&self) {
                self.0.core.events.opt_out(&self.0.core);
            }

            /// Ends an opt-out. The identifier will be a new one.
            pub fn opt_in(&self) {
                self.0.core.events.opt_in(&self.0.core);
            }

            /// Whether the user has opted out.
            pub fn has_opted_out(&self) -> bool {
                self.0.core.events.has_opted_out(&self.0.core)
            }

            /// Consent mode: collection may start. It is not remembered; call
            /// it again at each start.
            pub fn grant_consent(&self) {
                self.0.core.events.grant_consent();
            }

            /// Consent mode: back to waiting; what waits, the identifier and
            /// what `feedback_replies` needs are deleted. Without consent mode
            /// the same as an opt-out.
            pub fn revoke_consent(&self) {
                self.0.core.events.revoke_consent(&self.0.core);
            }

            /// A new identifier and session from now on.
            pub fn reset_identity(&self) {
                self.0.core.events.reset_identity(&self.0.core);
            }

            /// The anonymous identifier, made when there is none; `None`
            /// while nothing is collected.
            pub fn distinct_id(&self) -> Option<String> {
                self.0.core.events.distinct_id(&self.0.core)
            }
        }
    };
}

event_methods!(Public);

impl Public {
    /// Sends all events now and waits until they are sent or a send failed.
    pub fn flush(&self) -> Flushed {
        self.0.core.events.flush(&self.0.core, None)
    }

    /// Everything that is stored of an identifier; of the current one unless
    /// another is given.
    ///
    /// `GET /public/{k}/events/me`
    pub fn export_my_data(&self, distinct_id: Option<&str>) -> Result<SubjectExport> {
        let core = &self.0.core;
        let (call, _) = my_data(core, "GET", distinct_id)?;
        core.call(&core.settings(), call)
    }

    /// Deletes everything that is stored of an identifier, and its waiting
    /// events; of the current one unless another is given. Call it before
    /// [`Self::opt_out`], which forgets the identifier.
    ///
    /// `DELETE /public/{k}/events/me`
    pub fn delete_my_data(&self, distinct_id: Option<&str>) -> Result<EventsErased> {
        let core = &self.0.core;
        let (call, id) = my_data(core, "DELETE", distinct_id)?;
        core.events.erase(core, &id);
        core.call(&core.settings(), call)
    }
}

#[cfg(feature = "async")]
mod asynchronous {
    use super::*;
    use crate::api::AsyncPublic;
    use crate::core::Handle;

    event_methods!(AsyncPublic);

    impl AsyncPublic {
        /// Sends all events now and waits until they are sent or a send failed.
        pub async fn flush(&self) -> Flushed {
            let handle: Arc<Handle> = self.0.clone();
            let flush = move || handle.core.events.flush(&handle.core, None);
            tokio::task::spawn_blocking(flush).await.unwrap_or_default()
        }

        /// Everything that is stored of an identifier; of the current one
        /// unless another is given.
        ///
        /// `GET /public/{k}/events/me`
        pub async fn export_my_data(&self, distinct_id: Option<&str>) -> Result<SubjectExport> {
            let core = &self.0.core;
            let (call, _) = my_data(core, "GET", distinct_id)?;
            core.call_async(&core.settings(), call).await
        }

        /// Deletes everything that is stored of an identifier, and its waiting
        /// events; of the current one unless another is given. Call it before
        /// [`Self::opt_out`], which forgets the identifier.
        ///
        /// `DELETE /public/{k}/events/me`
        pub async fn delete_my_data(&self, distinct_id: Option<&str>) -> Result<EventsErased> {
            let core = &self.0.core;
            let (call, id) = my_data(core, "DELETE", distinct_id)?;
            core.events.erase(core, &id);
            core.call_async(&core.settings(), call).await
        }
    }
}
