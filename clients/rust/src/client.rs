//! The blocking client and the builder of both clients.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::api::{Admin, Public};
use crate::clock::Clock;
use crate::core::{Core, Handle, LogFn, Parts};
use crate::error::Result;
use crate::events::Analytics;
use crate::logs::Logs;
use crate::models::{Health, Login};
use crate::request::{Body, Call};
use crate::settings::{Declared, Options, Settings, Token};
use crate::transport::Transport;
use crate::transport::blocking::Ureq;
use crate::updates::Updates;

/// The argument of the debug hook: one attempt of a request, or a note about
/// the client itself (then `attempt` is 0). It never contains a credential, an
/// identifier, a query or a body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Attempt<'a> {
    /// `answer`, or what went wrong.
    pub message: &'a str,
    /// HTTP method.
    pub method: &'a str,
    /// Template of the path.
    pub path: &'a str,
    /// Status of the answer.
    pub status: Option<u16>,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// How long it took.
    pub duration: Duration,
}

/// Options of a client, made by [`SvcClient::builder`].
#[derive(Clone)]
pub struct ClientBuilder {
    options: Options,
    transport: Option<Arc<dyn Transport>>,
    #[cfg(feature = "async")]
    async_transport: Option<Arc<dyn crate::transport::AsyncTransport>>,
    log: Option<Arc<LogFn>>,
    analytics: Analytics,
    #[cfg(test)]
    fake_clock: bool,
}

impl ClientBuilder {
    pub(crate) fn new(base_url: String) -> Self {
        ClientBuilder {
            options: Options::new(base_url),
            transport: None,
            #[cfg(feature = "async")]
            async_transport: None,
            log: None,
            analytics: Analytics::default(),
            #[cfg(test)]
            fake_clock: false,
        }
    }

    /// Key of the project that the client is bound to.
    pub fn project_key(mut self, key: impl Into<String>) -> Self {
        self.options.project_key = Some(key.into());
        self
    }

    /// Credential of [`Admin`] methods: an API key, or the token of a login.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.options.token = Some(Token::Text(token.into()));
        self
    }

    /// Where the credential comes from; asked once for each call.
    pub fn token_fn(mut self, token: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.options.token = Some(Token::Call(Arc::new(token)));
        self
    }

    /// Platform to declare instead of the detected one.
    pub fn platform(mut self, platform: impl Into<String>) -> Self {
        self.options.platform = Declared::Given(platform.into());
        self
    }

    /// Declares no platform and detects no version of it.
    pub fn without_platform(mut self) -> Self {
        self.options.platform = Declared::Off;
        self
    }

    /// Version of the platform to declare instead of the detected one.
    pub fn platform_version(mut self, version: impl Into<String>) -> Self {
        self.options.platform_version = Declared::Given(version.into());
        self
    }

    /// Declares no version of the platform.
    pub fn without_platform_version(mut self) -> Self {
        self.options.platform_version = Declared::Off;
        self
    }

    /// Does not send the time of this machine.
    pub fn without_client_time(mut self) -> Self {
        self.options.client_time = false;
        self
    }

    /// Time limit of one attempt, from its start to the last byte of the
    /// answer; 15 s unless set, `None` for no limit.
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.options.timeout = limit.into();
        self
    }

    /// Time limit for connecting; the same as `timeout` unless set.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.options.connect_timeout = Some(limit);
        self
    }

    /// How often a read is repeated at most; 3 unless set, 0 for never.
    pub fn retries(mut self, retries: u32) -> Self {
        self.options.retries = retries;
        self
    }

    /// Replaces `svc-sdk-rust/<version>`.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.options.user_agent = Some(user_agent.into());
        self
    }

    /// Name of the application, appended to the user agent.
    pub fn app_identifier(mut self, name: impl Into<String>) -> Self {
        self.options.app_identifier = Some(name.into());
        self
    }

    /// Adds a header to every request. The library's own headers win.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.headers.push((name.into(), value.into()));
        self
    }

    /// Preferred language of public reads.
    pub fn locale(mut self, locale: impl Into<String>) -> Self {
        self.options.locale = Some(locale.into());
        self
    }

    /// Version of the application, for update checks and announcements, and
    /// the property `app_version` of events that have none.
    pub fn app_version(mut self, version: impl Into<String>) -> Self {
        self.options.app_version = Some(version.into());
        self
    }

    /// Channel of update checks, for example `preview`.
    pub fn channel(mut self, channel: impl Into<String>) -> Self {
        self.options.channel = Some(channel.into());
        self
    }

    /// Key by which rollouts include the application; unless set, a random
    /// number from 0 to 9999 that is kept with the local state.
    pub fn rollout_key(mut self, key: impl Into<String>) -> Self {
        self.options.rollout_key = Some(key.into());
        self
    }

    /// Sends requests through a transport of the application. The async client
    /// uses it for events, error reports and downloads.
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// Sends calls of the async client through a transport of the application.
    #[cfg(feature = "async")]
    pub fn async_transport(
        mut self,
        transport: impl crate::transport::AsyncTransport + 'static,
    ) -> Self {
        self.async_transport = Some(Arc::new(transport));
        self
    }

    /// Debug hook.
    pub fn log_fn(mut self, log: impl Fn(&Attempt<'_>) + Send + Sync + 'static) -> Self {
        self.log = Some(Arc::new(log));
        self
    }

    /// How events are collected.
    pub fn analytics(mut self, analytics: Analytics) -> Self {
        self.analytics = analytics;
        self
    }

    /// Collects no events.
    pub fn without_analytics(mut self) -> Self {
        self.analytics.enabled = false;
        self
    }

    #[cfg(test)]
    pub(crate) fn fake_clock(mut self) -> Self {
        self.fake_clock = true;
        self
    }

    fn handle(self) -> Result<Arc<Handle>> {
        self.analytics.check()?;
        #[cfg(test)]
        let clock = if self.fake_clock {
            Clock::fake()
        } else {
            Clock::real()
        };
        #[cfg(not(test))]
        let clock = Clock::real();
        let core = Core::new(Parts {
            settings: self.options.settle()?,
            transport: self.transport.unwrap_or_else(|| Arc::new(Ureq::new())),
            #[cfg(feature = "async")]
            async_transport: match self.async_transport {
                Some(transport) => transport,
                None => Arc::new(crate::transport::nonblocking::Reqwest::default()),
            },
            clock,
            log: self.log,
            analytics: self.analytics,
        });
        Ok(Arc::new(Handle { core }))
    }

    /// Makes the blocking client.
    pub fn build(self) -> Result<SvcClient> {
        self.handle().map(SvcClient)
    }

    /// Makes the async client.
    #[cfg(feature = "async")]
    pub fn build_async(self) -> Result<crate::AsyncSvcClient> {
        self.handle().map(crate::AsyncSvcClient)
    }
}

/// Client of one instance of the service. It is cheap to clone, and safe to use
/// from any thread.
///
/// The last clone that goes away sends pending events for at most two seconds;
/// [`SvcClient::close`] does so with a limit of the caller's.
#[derive(Clone)]
pub struct SvcClient(pub(crate) Arc<Handle>);

pub(crate) fn health_call(settings: &Settings) -> Result<Call> {
    Call::new(settings, "GET", "/health", &[], false)
}

pub(crate) fn login_call(
    settings: &Settings,
    username: &str,
    password: &str,
    extra: Map<String, Value>,
) -> Result<Call> {
    let mut call = Call::new(settings, "POST", "/auth/login", &[], false)?;
    let mut body = Map::new();
    body.insert("username".to_owned(), username.into());
    body.insert("password".to_owned(), password.into());
    body.extend(extra);
    call.body = Body::Json(body.into());
    Ok(call)
}

impl SvcClient {
    /// A client of the instance at `base_url`, which ends in `/api/v1`, with
    /// all options at their defaults.
    pub fn new(base_url: impl Into<String>) -> Result<SvcClient> {
        Self::builder(base_url).build()
    }

    /// Options of a client of the instance at `base_url`.
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url.into())
    }

    /// Methods that need no credential.
    pub fn public(&self) -> Public {
        Public(self.0.clone(), Default::default())
    }

    /// Methods that need a credential.
    pub fn admin(&self) -> Admin {
        Admin(self.0.clone(), Default::default())
    }

    /// Whether the instance is up.
    pub fn health(&self) -> Result<Health> {
        let settings = self.0.core.settings();
        self.0.core.call(&settings, health_call(&settings)?)
    }

    /// Logs in and keeps the token for [`Admin`] methods.
    pub fn login(&self, username: &str, password: &str) -> Result<Login> {
        self.login_with(username, password, Map::new())
    }

    /// Logs in with fields that this library does not know.
    pub fn login_with(
        &self,
        username: &str,
        password: &str,
        extra: Map<String, Value>,
    ) -> Result<Login> {
        let settings = self.0.core.settings();
        let call = login_call(&settings, username, password, extra)?;
        let login: Login = self.0.core.call(&settings, call)?;
        self.0.set_token(Some(login.access_token.clone()));
        Ok(login)
    }

    /// Checks for updates and downloads them.
    pub fn updates(&self) -> Updates {
        Updates(self.0.clone())
    }

    /// Reports errors.
    pub fn logs(&self) -> Logs {
        Logs(self.0.clone())
    }
}

/// Methods that both clients have.
macro_rules! shared {
    ($client:ident) => {
        impl $client {
            /// Replaces the credential.
            pub fn set_token(&self, token: impl Into<String>) {
                self.0.set_token(Some(token.into()));
            }

            /// Forgets the credential.
            pub fn clear_token(&self) {
                self.0.set_token(None);
            }

            /// Binds another project, or none.
            pub fn set_project_key<'a>(&self, key: impl Into<Option<&'a str>>) {
                self.0.set_project_key(key.into());
            }

            /// Key of the bound project.
            pub fn project_key(&self) -> Option<String> {
                self.0.core.settings().project_key.clone()
            }

            /// Declares another platform, or none.
            pub fn set_platform<'a>(&self, platform: impl Into<Option<&'a str>>) {
                self.0.set_platform(platform.into());
            }

            /// Declares another version of the platform, or none.
            pub fn set_platform_version<'a>(&self, version: impl Into<Option<&'a str>>) {
                self.0.set_platform_version(version.into());
            }

            /// Prefers another language in public reads, or none.
            pub fn set_locale<'a>(&self, locale: impl Into<Option<&'a str>>) {
                self.0.set_locale(locale.into());
            }
        }

        impl std::fmt::Debug for $client {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($client))
                    .field(&self.0.core.settings())
                    .finish()
            }
        }
    };
}
#[cfg(feature = "async")]
pub(crate) use shared;

shared!(SvcClient);

impl SvcClient {
    /// Sends pending events and error reports for at most `limit`, then ends
    /// the client: later requests are refused, `track` does nothing.
    pub fn close(&self, limit: Duration) {
        self.0.core.close(limit);
    }
}
