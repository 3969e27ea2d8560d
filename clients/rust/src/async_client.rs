//! The async client.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::client::{health_call, login_call, shared};
use crate::core::Handle;
use crate::error::Result;
use crate::logs::Logs;
use crate::models::{Health, Login};
use crate::{AsyncAdmin, AsyncPublic, AsyncUpdates, ClientBuilder, SvcClient};

/// Client of one instance of the service with calls that do not block. It runs on
/// tokio, is cheap to clone, and safe to use from any task.
///
/// Events and error reports are sent by threads of the library. The last clone
/// that goes away waits for them for at most two seconds; an async program
/// calls [`AsyncSvcClient::close`] instead, so that no task is held up.
#[derive(Clone)]
pub struct AsyncSvcClient(pub(crate) Arc<Handle>);

shared!(AsyncSvcClient);

impl AsyncSvcClient {
    /// A client of the instance at `base_url`, which ends in `/api/v1`, with
    /// all options at their defaults.
    pub fn new(base_url: impl Into<String>) -> Result<AsyncSvcClient> {
        Self::builder(base_url).build_async()
    }

    /// Options of a client of the instance at `base_url`.
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        SvcClient::builder(base_url)
    }

    /// Methods that need no credential.
    pub fn public(&self) -> AsyncPublic {
        AsyncPublic(self.0.clone(), Default::default())
    }

    /// Methods that need a credential.
    pub fn admin(&self) -> AsyncAdmin {
        AsyncAdmin(self.0.clone(), Default::default())
    }

    /// Whether the instance is up.
    pub async fn health(&self) -> Result<Health> {
        let settings = self.0.core.settings();
        self.0
            .core
            .call_async(&settings, health_call(&settings)?)
            .await
    }

    /// Logs in and keeps the token for [`AsyncAdmin`] methods.
    pub async fn login(&self, username: &str, password: &str) -> Result<Login> {
        self.login_with(username, password, Map::new()).await
    }

    /// Logs in with fields that this library does not know.
    pub async fn login_with(
        &self,
        username: &str,
        password: &str,
        extra: Map<String, Value>,
    ) -> Result<Login> {
        let settings = self.0.core.settings();
        let call = login_call(&settings, username, password, extra)?;
        let login: Login = self.0.core.call_async(&settings, call).await?;
        self.0.set_token(Some(login.access_token.clone()));
        Ok(login)
    }

    /// Checks for updates and downloads them.
    pub fn updates(&self) -> AsyncUpdates {
        AsyncUpdates(self.0.clone())
    }

    /// Reports errors.
    pub fn logs(&self) -> Logs {
        Logs(self.0.clone())
    }

    /// Sends pending events and error reports for at most `limit`, then ends
    /// the client: later requests are refused, `track` does nothing.
    pub async fn close(&self, limit: Duration) {
        let core = self.0.core.clone();
        let close = move || core.close(limit);
        // Only a runtime that shuts down does not run it; then Drop does.
        let _ = tokio::task::spawn_blocking(close).await;
    }
}
