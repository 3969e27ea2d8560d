//! The built-in transport of the async client: `reqwest`.

use std::sync::OnceLock;
use std::time::Duration;

use super::{AsyncTransport, Failure, FullResponse, Request, SendFuture, TransportError, classify};
use crate::request::LARGEST_ANSWER;

/// Sends with one `reqwest` client, made at the first request because the
/// limit for connecting belongs to the client.
#[derive(Default)]
pub(crate) struct Reqwest(OnceLock<Result<reqwest::Client, String>>);

impl Reqwest {
    fn client(
        &self,
        connect_timeout: Option<Duration>,
    ) -> Result<&reqwest::Client, TransportError> {
        let client = self.0.get_or_init(|| {
            let mut builder =
                reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
            if let Some(limit) = connect_timeout {
                builder = builder.connect_timeout(limit);
            }
            builder.build().map_err(|e| e.to_string())
        });
        client
            .as_ref()
            .map_err(|e| TransportError::new(Failure::Other, e.clone()))
    }
}

impl AsyncTransport for Reqwest {
    fn send(&self, request: Request) -> SendFuture<'_> {
        Box::pin(async move {
            let client = self.client(request.connect_timeout)?;
            let method = reqwest::Method::from_bytes(request.method.as_bytes())
                .map_err(|e| TransportError::new(Failure::Other, e))?;
            let mut builder = client.request(method, &request.url);
            for (name, value) in &request.headers {
                builder = builder.header(name, value);
            }
            if let Some(limit) = request.timeout {
                builder = builder.timeout(limit);
            }
            if let Some(body) = request.body {
                builder = builder.body(body);
            }
            let mut answer = builder.send().await.map_err(|e| failed(e, true))?;
            let status = answer.status().as_u16();
            let headers = answer
                .headers()
                .iter()
                .map(|(name, value)| {
                    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                    (name.as_str().to_owned(), value)
                })
                .collect();
            let mut body = Vec::new();
            while let Some(chunk) = answer.chunk().await.map_err(|e| failed(e, false))? {
                body.extend_from_slice(&chunk);
                if body.len() as u64 > LARGEST_ANSWER {
                    return Err(Failure::TooLarge.into());
                }
            }
            Ok(FullResponse {
                status,
                headers,
                body,
            })
        })
    }
}

fn failed(error: reqwest::Error, before_answer: bool) -> TransportError {
    let error = error.without_url();
    let kind = if error.is_timeout() {
        match error.is_connect() {
            true => Failure::ConnectTimeout,
            false => Failure::ReadTimeout,
        }
    } else {
        classify(&error, before_answer).unwrap_or_else(|| {
            // hyper hides a connection that was closed too early in a text.
            let closed = source_texts(&error).contains("closed before message completed");
            match (before_answer, error.is_connect()) {
                (false, _) => Failure::Body,
                (true, true) => Failure::Connect,
                (true, false) if closed => Failure::StaleConnection,
                (true, false) => Failure::Other,
            }
        })
    };
    TransportError::new(kind, error)
}

fn source_texts(error: &dyn std::error::Error) -> String {
    let mut texts = error.to_string();
    let mut next = error.source();
    while let Some(e) = next {
        texts.push('\n');
        texts.push_str(&e.to_string());
        next = e.source();
    }
    texts
}
