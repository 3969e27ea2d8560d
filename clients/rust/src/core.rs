//! State that all handles of one client share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::clock::{Clock, Closed};
use crate::error::{Error, Result};
use crate::events::Events;
use crate::logs::Reporter;
use crate::request::{self, Answer, Body, Call, Exchange, Step};
use crate::settings::{Settings, Token};
use crate::sync::lock;
use crate::transport::{Transport, TransportError};
use crate::updates::Memory;
use crate::{Attempt, detect, etag};

pub(crate) type LogFn = dyn Fn(&Attempt<'_>) + Send + Sync;

/// How long the end of the last handle may take.
pub(crate) const DROP_LIMIT: Duration = Duration::from_secs(2);

pub(crate) struct Core {
    settings: Mutex<Arc<Settings>>,
    pub transport: Arc<dyn Transport>,
    #[cfg(feature = "async")]
    pub async_transport: Arc<dyn crate::transport::AsyncTransport>,
    #[cfg(feature = "async")]
    pub async_closed: tokio::sync::Notify,
    pub clock: Clock,
    pub closed: Closed,
    log: Option<Arc<LogFn>>,
    pub events: Events,
    pub reports: Reporter,
    pub updates: Memory,
}

/// Parts of a core that only its builder knows.
pub(crate) struct Parts {
    pub settings: Settings,
    pub transport: Arc<dyn Transport>,
    #[cfg(feature = "async")]
    pub async_transport: Arc<dyn crate::transport::AsyncTransport>,
    pub clock: Clock,
    pub log: Option<Arc<LogFn>>,
    pub analytics: crate::events::Analytics,
}

impl Core {
    pub(crate) fn new(parts: Parts) -> Arc<Core> {
        let core = Arc::new(Core {
            events: Events::new(parts.analytics),
            settings: Mutex::new(Arc::new(parts.settings)),
            transport: parts.transport,
            #[cfg(feature = "async")]
            async_transport: parts.async_transport,
            #[cfg(feature = "async")]
            async_closed: tokio::sync::Notify::new(),
            clock: parts.clock,
            closed: Closed::default(),
            log: parts.log,
            reports: Reporter::default(),
            updates: Memory::default(),
        });
        let settings = core.settings();
        let path = settings.base_url.split(['?', '#']).next().unwrap_or("");
        if !path.contains("/api/v") {
            core.note("the base address has no /api/v in its path; is it complete?");
        }
        core
    }

    /// One consistent view of all settings.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        lock(&self.settings).clone()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Settings)) {
        let mut current = lock(&self.settings);
        let mut next = Settings::clone(&current);
        change(&mut next);
        *current = Arc::new(next);
    }

    /// Tells the debug hook something that is no attempt.
    pub(crate) fn note(&self, message: &str) {
        if let Some(log) = &self.log {
            log(&Attempt {
                message,
                method: "",
                path: "",
                status: None,
                attempt: 0,
                duration: Duration::ZERO,
            });
        }
    }

    fn note_attempt(&self, exchange: &Exchange, outcome: &Result<Answer, TransportError>) {
        if let Some(log) = &self.log {
            log(&Attempt {
                message: match outcome {
                    Ok(_) => "answer",
                    Err(e) => e.kind.text(),
                },
                method: exchange.method(),
                path: exchange.template,
                status: outcome.as_ref().ok().map(|a| a.status),
                attempt: exchange.attempt(),
                duration: exchange.elapsed(&self.clock),
            });
        }
    }

    pub(crate) fn ensure_open(&self) -> Result<()> {
        if self.closed.get() {
            return Err(Error::invalid("the client is closed"));
        }
        Ok(())
    }

    /// The first request of a call.
    fn prepare(&self, settings: &Settings, mut call: Call) -> Result<Exchange> {
        if let (true, Body::Json(Value::Object(body))) = (call.needs_rollout_key, &mut call.body) {
            let key = self.events.rollout_key(settings);
            body.entry("rollout_key").or_insert(key.into());
        }
        Exchange::new(settings, call)
    }

    /// Makes a call and waits for its result.
    pub(crate) fn call<T: DeserializeOwned>(
        self: &Arc<Self>,
        settings: &Settings,
        call: Call,
    ) -> Result<T> {
        let (method, template, note) = (call.method, call.template, call.note.clone());
        let keeps_feedback = call.keeps_feedback;
        self.ensure_open()?;
        // Another project may be bound during the request.
        let queue = keeps_feedback.then(|| self.events.queue(self)).flatten();
        let answer = self.send(self.prepare(settings, call)?)?;
        etag::keep(note.as_ref(), &answer);
        if let Some(queue) = queue {
            self.events.keep_feedback(&queue, &answer);
        }
        request::interpret(answer, method, template, &self.clock)
    }

    /// Sends with retries and redirects.
    fn send(&self, mut exchange: Exchange) -> Result<Answer> {
        loop {
            let outcome = self.attempt(&mut exchange);
            match exchange.next(outcome, &self.clock) {
                Step::Redirect => {}
                Step::Retry(delay) => {
                    if self.clock.wait(delay, &self.closed) {
                        return Err(Error::invalid("the client was closed"));
                    }
                }
                Step::Done(outcome) => return outcome.map_err(Error::from),
            }
        }
    }

    /// One attempt: sends and reads the whole answer.
    pub(crate) fn attempt(&self, exchange: &mut Exchange) -> Result<Answer, TransportError> {
        let request = exchange.request(&self.clock);
        let outcome = self.transport.send(request).and_then(|response| {
            Ok(Answer {
                status: response.status,
                headers: response.headers,
                body: request::read_body(response.body)?,
            })
        });
        self.note_attempt(exchange, &outcome);
        outcome
    }

    /// Makes a call without blocking the thread.
    #[cfg(feature = "async")]
    pub(crate) async fn call_async<T: DeserializeOwned>(
        self: &Arc<Self>,
        settings: &Settings,
        call: Call,
    ) -> Result<T> {
        let (method, template, note) = (call.method, call.template, call.note.clone());
        let keeps_feedback = call.keeps_feedback;
        self.ensure_open()?;
        // Another project may be bound during the request.
        let queue = keeps_feedback.then(|| self.events.queue(self)).flatten();
        let answer = self.send_async(self.prepare(settings, call)?).await?;
        etag::keep(note.as_ref(), &answer);
        if let Some(queue) = queue {
            self.events.keep_feedback(&queue, &answer);
        }
        request::interpret(answer, method, template, &self.clock)
    }

    #[cfg(feature = "async")]
    async fn send_async(&self, mut exchange: Exchange) -> Result<Answer> {
        loop {
            let request = exchange.request(&self.clock).clone();
            let outcome = self.async_transport.send(request).await.map(|r| Answer {
                status: r.status,
                headers: r.headers,
                body: r.body,
            });
            self.note_attempt(&exchange, &outcome);
            match exchange.next(outcome, &self.clock) {
                Step::Redirect => {}
                Step::Retry(delay) => {
                    self.clock.wait_async(delay, &self.async_closed).await;
                    if self.closed.get() {
                        return Err(Error::invalid("the client was closed"));
                    }
                }
                Step::Done(outcome) => return outcome.map_err(Error::from),
            }
        }
    }

    /// Sends what is left within `limit`, then refuses everything else.
    pub(crate) fn close(self: &Arc<Self>, limit: Duration) {
        if self.closed.get() {
            return;
        }
        let start = std::time::Instant::now();
        self.events.close(self, limit);
        self.reports
            .close(self, limit.saturating_sub(start.elapsed()));
        self.closed.set();
        #[cfg(feature = "async")]
        self.async_closed.notify_waiters();
    }
}

/// Shared by the handles that an application holds. Background threads hold
/// only the core, so that the end of the last handle is the end of the client.
pub(crate) struct Handle {
    pub core: Arc<Core>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.core.close(DROP_LIMIT);
    }
}

impl Handle {
    pub(crate) fn set_token(&self, token: Option<String>) {
        self.core.change(|s| s.token = token.map(Token::Text));
    }

    pub(crate) fn set_project_key(&self, key: Option<&str>) {
        let key = key.filter(|k| !k.is_empty()).map(str::to_owned);
        self.core.change(|s| s.project_key = key);
        self.core.events.rebind(&self.core);
    }

    pub(crate) fn set_platform(&self, platform: Option<&str>) {
        let platform = platform.and_then(detect::header_value);
        self.core.change(|s| s.platform = platform);
    }

    pub(crate) fn set_platform_version(&self, version: Option<&str>) {
        let version = version.and_then(detect::header_value);
        self.core.change(|s| s.platform_version = version);
    }

    pub(crate) fn set_locale(&self, locale: Option<&str>) {
        let locale = locale.map(str::to_owned);
        self.core.change(|s| s.locale = locale);
    }
}
