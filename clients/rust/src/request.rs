//! From a method and its arguments to requests, and from answers to results.
//! Both clients share all of it; they differ only in how they wait.

use std::io::Read;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::clock::{self, Clock};
use crate::error::{ApiError, Error, Result};
use crate::retry::{self, Ending};
use crate::settings::Settings;
use crate::transport::{Failure, Request, TransportError};
use crate::url;

/// Bytes of the largest answer.
pub(crate) const LARGEST_ANSWER: u64 = 32 << 20;
/// Bytes of a body that an error keeps.
pub(crate) const LARGEST_ERROR_BODY: usize = 64 << 10;
pub(crate) const MOST_REDIRECTS: u32 = 3;

/// Body of a call.
#[derive(Default)]
pub(crate) enum Body {
    #[default]
    None,
    Json(Value),
    /// JSON that is encoded already.
    Text(Vec<u8>),
    Bytes(Vec<u8>),
}

/// One call of the interface.
pub(crate) struct Call {
    pub method: &'static str,
    pub template: &'static str,
    pub path: String,
    pub query: Vec<(&'static str, String)>,
    pub body: Body,
    pub credential: bool,
    pub if_match: Option<String>,
    /// Of the feedback whose reply is asked for.
    pub reply_token: Option<String>,
    /// The answer is feedback to keep.
    pub keeps_feedback: bool,
    /// The body gets the key that is kept with the local state.
    pub needs_rollout_key: bool,
    pub note: Option<crate::ETag>,
}

impl Call {
    /// Creates a call of `template`. Its `{k}` becomes the bound project, and
    /// its other placeholders become `segments`, in their order.
    pub(crate) fn new(
        settings: &Settings,
        method: &'static str,
        template: &'static str,
        segments: &[(&'static str, &str)],
        credential: bool,
    ) -> Result<Call> {
        let mut path = String::with_capacity(template.len() + 32);
        let mut given = segments.iter();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            path.push_str(before);
            if name == "k" {
                path.push_str(&url::segment("the project key", settings.project()?)?);
            } else if let Some((argument, value)) = given.next() {
                path.push_str(&url::segment(argument, value)?);
            }
            rest = after;
        }
        path.push_str(rest);
        Ok(Call {
            method,
            template,
            path,
            query: Vec::new(),
            body: Body::None,
            credential,
            if_match: None,
            reply_token: None,
            keeps_feedback: false,
            needs_rollout_key: false,
            note: None,
        })
    }
}

/// A call on its way: the request of the present attempt and what is needed to
/// make the next one.
pub(crate) struct Exchange {
    pub template: &'static str,
    request: Request,
    url: String,
    client_time: bool,
    retries: u32,
    done: u32,
    redirects: u32,
    started: Duration,
}

/// An answer that was read.
pub(crate) struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    pub(crate) fn retry_after(&self, clock: &Clock) -> Option<u64> {
        clock::retry_after(self.header("retry-after")?, clock.unix_seconds())
    }
}

pub(crate) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(n, _)| n.eq_ignore_ascii_case(name))
        .map(|(_, v)| v.as_str())
}

/// The step after an attempt.
pub(crate) enum Step {
    /// Send the request again, at its new address.
    Redirect,
    /// Send it again after a wait.
    Retry(Duration),
    /// This is the end.
    Done(Result<Answer, TransportError>),
}

impl Exchange {
    /// Builds the request of the first attempt. Local checks happen here.
    pub(crate) fn new(settings: &Settings, call: Call) -> Result<Exchange> {
        let mut headers = Vec::with_capacity(8 + settings.headers.len());
        headers.push(("accept".to_owned(), "application/json".to_owned()));
        headers.push(("user-agent".to_owned(), settings.user_agent.clone()));
        if let Some(platform) = &settings.platform {
            headers.push(("x-svc-platform".to_owned(), platform.clone()));
        }
        if let Some(version) = &settings.platform_version {
            headers.push(("x-svc-platform-version".to_owned(), version.clone()));
        }
        if call.credential {
            let value = format!("Bearer {}", settings.credential()?);
            headers.push(("authorization".to_owned(), value));
        }
        if let Some(tag) = call.if_match {
            headers.push(("if-match".to_owned(), tag));
        }
        if let Some(token) = call.reply_token {
            headers.push(("x-reply-token".to_owned(), token));
        }
        let body = match call.body {
            Body::None => None,
            Body::Json(value) => {
                headers.push(("content-type".to_owned(), "application/json".to_owned()));
                Some(value.to_string().into_bytes())
            }
            Body::Text(text) => {
                headers.push(("content-type".to_owned(), "application/json".to_owned()));
                Some(text)
            }
            Body::Bytes(bytes) => {
                let octets = "application/octet-stream";
                headers.push(("content-type".to_owned(), octets.to_owned()));
                Some(bytes)
            }
        };
        for (name, value) in &settings.headers {
            let name = name.to_ascii_lowercase();
            let ours = name.starts_with("x-svc-")
                || name == "authorization"
                || name == "if-match"
                || headers.iter().any(|(n, _)| *n == name);
            if !ours {
                headers.push((name, value.clone()));
            }
        }
        let mut url = settings.base_url.clone() + &call.path;
        for (i, (name, value)) in call.query.iter().enumerate() {
            url.push(if i == 0 { '?' } else { '&' });
            url.push_str(name);
            url.push('=');
            url.push_str(&url::encode(value));
        }
        Ok(Exchange {
            template: call.template,
            request: Request {
                method: call.method,
                url: url.clone(),
                headers,
                body,
                timeout: settings.timeout,
                connect_timeout: settings.connect_timeout,
                streamed: false,
            },
            url,
            client_time: settings.client_time,
            retries: settings.retries,
            done: 0,
            redirects: 0,
            started: Duration::ZERO,
        })
    }

    /// The request to send now. The client's time is read again for each.
    pub(crate) fn request(&mut self, clock: &Clock) -> &Request {
        const NAME: &str = "x-svc-client-time";
        let now = clock.monotonic();
        if self.redirects == 0 {
            self.started = now;
        }
        let request = &mut self.request;
        request.headers.retain(|(name, _)| name != NAME);
        if let Some(time) = self
            .client_time
            .then(|| clock::client_time_now(clock))
            .flatten()
        {
            request.headers.push((NAME.to_owned(), time));
        }
        request
    }

    /// Number of the present attempt, from 1.
    pub(crate) fn attempt(&self) -> u32 {
        self.done + 1
    }

    pub(crate) fn method(&self) -> &'static str {
        self.request.method
    }

    /// How long the present attempt has taken.
    pub(crate) fn elapsed(&self, clock: &Clock) -> Duration {
        clock.monotonic().saturating_sub(self.started)
    }

    /// Decides what follows the end of an attempt.
    pub(crate) fn next(&mut self, outcome: Result<Answer, TransportError>, clock: &Clock) -> Step {
        let ending = match &outcome {
            Ok(answer) => {
                if let Some(target) = self.redirect(answer) {
                    self.redirects += 1;
                    self.request.url = target;
                    return Step::Redirect;
                }
                Ending::Status(answer.status, answer.retry_after(clock))
            }
            Err(e) => Ending::Failure(e.kind),
        };
        let method = self.request.method;
        match retry::delay(method, self.done, self.retries, ending, clock.random()) {
            Some(delay) => {
                self.done += 1;
                self.redirects = 0;
                self.request.url.clone_from(&self.url);
                Step::Retry(delay)
            }
            None => Step::Done(outcome),
        }
    }

    fn redirect(&self, answer: &Answer) -> Option<String> {
        let follows = matches!(self.request.method, "GET" | "HEAD")
            && matches!(answer.status, 301 | 302 | 303 | 307 | 308)
            && self.redirects < MOST_REDIRECTS;
        let location = answer.header("location").filter(|_| follows)?;
        let target = url::join(&self.request.url, location);
        url::may_follow(&self.request.url, &target).then_some(target)
    }
}

/// Reads a body of at most 32 MiB.
pub(crate) fn read_body(body: Box<dyn Read + Send>) -> Result<Vec<u8>, TransportError> {
    let mut bytes = Vec::new();
    let read = body.take(LARGEST_ANSWER + 1).read_to_end(&mut bytes);
    if let Err(e) = read {
        let kind = match e.kind() {
            std::io::ErrorKind::TimedOut => Failure::ReadTimeout,
            _ => Failure::Body,
        };
        return Err(TransportError::new(kind, e));
    }
    if bytes.len() as u64 > LARGEST_ANSWER {
        return Err(Failure::TooLarge.into());
    }
    Ok(bytes)
}

/// The result of a call: its value, or the error that the answer is.
pub(crate) fn interpret<T: DeserializeOwned>(
    answer: Answer,
    method: &'static str,
    template: &'static str,
    clock: &Clock,
) -> Result<T> {
    if !(200..300).contains(&answer.status) {
        return Err(api_error(answer, method, template, clock, None));
    }
    if answer.body.is_empty() {
        return serde_json::from_value(Value::Null).map_err(|_| {
            let message = "the answer is empty".to_owned();
            api_error(answer, method, template, clock, Some(message))
        });
    }
    serde_json::from_slice(&answer.body).map_err(|e| {
        let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(&answer.body).is_ok();
        let message = is_json.then(|| format!("the answer is not what was asked for: {e}"));
        api_error(answer, method, template, clock, message)
    })
}

fn api_error(
    answer: Answer,
    method: &'static str,
    template: &'static str,
    clock: &Clock,
    message: Option<String>,
) -> Error {
    let retry_after = answer.retry_after(clock);
    let body = if answer.body.len() <= LARGEST_ERROR_BODY {
        serde_json::from_slice(&answer.body).ok()
    } else {
        None
    };
    let body = body.unwrap_or_else(|| {
        let cut = &answer.body[..answer.body.len().min(LARGEST_ERROR_BODY)];
        Value::String(String::from_utf8_lossy(cut).into_owned())
    });
    Error::Api(Box::new(ApiError {
        status: answer.status,
        message: message.unwrap_or_else(|| error_message(answer.status, &body)),
        body,
        retry_after,
        method,
        path: template,
    }))
}

/// The message of an error, for display.
pub(crate) fn error_message(status: u16, body: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(s) if !s.is_empty() => Some(s.clone()),
        _ => None,
    };
    let message = body.get("message").and_then(|message| match message {
        Value::Array(list) => {
            let texts: Vec<_> = list.iter().filter_map(Value::as_str).collect();
            (!texts.is_empty()).then(|| texts.join("; "))
        }
        other => text(other),
    });
    message
        .or_else(|| body.get("error").and_then(text))
        .unwrap_or_else(|| format!("HTTP {status}"))
}
