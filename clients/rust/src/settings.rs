//! Connection settings. A request works on one immutable snapshot of them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::{VERSION, detect};

/// Where a credential comes from.
#[derive(Clone)]
pub(crate) enum Token {
    Text(String),
    Call(Arc<dyn Fn() -> Option<String> + Send + Sync>),
}

/// Settings of a request.
#[derive(Clone)]
pub(crate) struct Settings {
    pub base_url: String,
    pub project_key: Option<String>,
    pub token: Option<Token>,
    pub platform: Option<String>,
    pub platform_version: Option<String>,
    pub locale: Option<String>,
    pub app_version: Option<String>,
    pub channel: Option<String>,
    pub rollout_key: Option<String>,
    pub user_agent: String,
    pub headers: Vec<(String, String)>,
    pub client_time: bool,
    pub timeout: Option<Duration>,
    pub connect_timeout: Option<Duration>,
    pub retries: u32,
}

/// Detected, given, or switched off.
#[derive(Clone, Default)]
pub(crate) enum Declared {
    #[default]
    Detect,
    Off,
    Given(String),
}

/// Options as an application gave them.
#[derive(Clone)]
pub(crate) struct Options {
    pub base_url: String,
    pub project_key: Option<String>,
    pub token: Option<Token>,
    pub platform: Declared,
    pub platform_version: Declared,
    pub client_time: bool,
    pub timeout: Option<Duration>,
    pub connect_timeout: Option<Duration>,
    pub retries: u32,
    pub user_agent: Option<String>,
    pub app_identifier: Option<String>,
    pub headers: Vec<(String, String)>,
    pub locale: Option<String>,
    pub app_version: Option<String>,
    pub channel: Option<String>,
    pub rollout_key: Option<String>,
}

impl Options {
    pub(crate) fn new(base_url: String) -> Self {
        Options {
            base_url,
            project_key: None,
            token: None,
            platform: Declared::Detect,
            platform_version: Declared::Detect,
            client_time: true,
            timeout: Some(Duration::from_secs(15)),
            connect_timeout: None,
            retries: 3,
            user_agent: None,
            app_identifier: None,
            headers: Vec::new(),
            locale: None,
            app_version: None,
            channel: None,
            rollout_key: None,
        }
    }

    /// Checks the options and settles what is detected.
    pub(crate) fn settle(self) -> Result<Settings> {
        let base_url = base_url(&self.base_url)?;
        let mut user_agent = self
            .user_agent
            .unwrap_or_else(|| format!("svc-sdk-rust/{VERSION}"));
        if let Some(name) = self.app_identifier.filter(|n| !n.is_empty()) {
            user_agent = format!("{user_agent} {name}");
        }
        if broken(&user_agent) {
            return Err(Error::invalid(
                "user agent and application name must not contain line breaks",
            ));
        }
        for (name, value) in &self.headers {
            let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
            if name.is_empty() || !name.bytes().all(token) || broken(value) {
                return Err(Error::invalid(
                    "names of extra headers must be tokens, values must not contain line breaks",
                ));
            }
        }
        let platform = match &self.platform {
            Declared::Detect => Some(detect::platform().to_owned()),
            Declared::Off => None,
            Declared::Given(text) => detect::header_value(text),
        };
        let platform_version = match (&self.platform_version, &self.platform) {
            (Declared::Given(text), _) => detect::header_value(text),
            (Declared::Detect, Declared::Detect | Declared::Given(_)) => {
                detect::header_value(detect::platform_version())
            }
            _ => None,
        };
        Ok(Settings {
            base_url,
            project_key: self.project_key.filter(|k| !k.is_empty()),
            token: self.token,
            platform,
            platform_version,
            locale: self.locale,
            app_version: self.app_version,
            channel: self.channel.filter(|c| !c.is_empty()),
            rollout_key: self.rollout_key.filter(|k| !k.is_empty()),
            user_agent,
            headers: self.headers,
            client_time: self.client_time,
            timeout: self.timeout,
            connect_timeout: self.connect_timeout.or(self.timeout),
            retries: self.retries,
        })
    }
}

fn broken(value: &str) -> bool {
    value.bytes().any(|b| matches!(b, b'\r' | b'\n' | 0))
}

/// The base address without surrounding white space and final slashes.
pub(crate) fn base_url(text: &str) -> Result<String> {
    let text = text.trim().trim_end_matches('/');
    let scheme = |s: &str| {
        text.get(..s.len())
            .is_some_and(|t| t.eq_ignore_ascii_case(s))
    };
    if scheme("http://") || scheme("https://") {
        return Ok(text.to_owned());
    }
    Err(Error::invalid(
        "the base address must start with http:// or https://",
    ))
}

impl Settings {
    /// The bound project key.
    pub(crate) fn project(&self) -> Result<&str> {
        self.project_key
            .as_deref()
            .ok_or_else(|| Error::invalid("no project is bound: set project_key"))
    }

    /// The credential, read now.
    pub(crate) fn credential(&self) -> Result<String> {
        let token = match &self.token {
            Some(Token::Text(text)) => Some(text.clone()),
            Some(Token::Call(call)) => call(),
            None => None,
        };
        match token {
            Some(token) if broken(&token) => Err(Error::invalid(
                "the credential must not contain line breaks",
            )),
            Some(token) if !token.is_empty() => Ok(token),
            _ => Err(Error::Auth(
                "this method needs a credential: set a token or log in".to_owned(),
            )),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("base_url", &crate::url::origin(&self.base_url))
            .field("project_key", &self.project_key)
            .field("has_token", &self.token.is_some())
            .finish_non_exhaustive()
    }
}
