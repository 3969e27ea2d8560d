//! The built-in transport of the blocking client: `ureq`.

use std::io::{self, Read};
use std::time::Duration;

use ureq::tls::{TlsConfig, TlsProvider};
use ureq::{Agent, Timeout, http};

use super::{Failure, Request, Response, Transport, TransportError, classify};

/// Sends with one `ureq` agent, which keeps connections open for a while.
pub(crate) struct Ureq(Agent);

impl Ureq {
    pub(crate) fn new() -> Self {
        let provider = if cfg!(feature = "rustls") {
            TlsProvider::Rustls
        } else {
            TlsProvider::NativeTls
        };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .tls_config(TlsConfig::builder().provider(provider).build())
            .build();
        Ureq(config.new_agent())
    }
}

impl Transport for Ureq {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let mut builder = http::Request::builder()
            .method(request.method)
            .uri(&request.url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let (total, per_read) = if request.streamed {
            (None, request.timeout)
        } else {
            (request.timeout, None)
        };
        let answer = match &request.body {
            Some(body) => self.run(builder.body(&body[..]), request, total, per_read),
            None => self.run(builder.body(()), request, total, per_read),
        };
        let answer = answer.map_err(failed_before_answer)?;
        let (parts, body) = answer.into_parts();
        let headers = parts
            .headers
            .iter()
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                (name.as_str().to_owned(), value)
            })
            .collect();
        let body = body.into_with_config().limit(u64::MAX).reader();
        Ok(Response {
            status: parts.status.as_u16(),
            headers,
            body: Box::new(Body(body)),
        })
    }
}

impl Ureq {
    fn run<B: ureq::AsSendBody>(
        &self,
        request: http::Result<http::Request<B>>,
        limits: &Request,
        total: Option<Duration>,
        per_read: Option<Duration>,
    ) -> Result<http::Response<ureq::Body>, ureq::Error> {
        let request = self
            .0
            .configure_request(request?)
            .timeout_global(total)
            .timeout_per_read(per_read)
            .timeout_connect(limits.connect_timeout)
            .timeout_resolve(limits.connect_timeout)
            .build();
        self.0.run(request)
    }
}

fn failed_before_answer(error: ureq::Error) -> TransportError {
    let kind = match &error {
        // The text of these two may hold the address.
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => return Failure::Other.into(),
        ureq::Error::HostNotFound => Failure::Lookup,
        ureq::Error::ConnectionFailed | ureq::Error::ConnectProxyFailed(_) => Failure::Connect,
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => Failure::ConnectTimeout,
        ureq::Error::Timeout(_) => Failure::ReadTimeout,
        other => match other {
            ureq::Error::Io(e) => classify(e, true),
            e => classify(e, true),
        }
        .unwrap_or(match other {
            ureq::Error::Tls(_) => Failure::TlsHandshake,
            _ => Failure::Other,
        }),
    };
    TransportError::new(kind, error)
}

/// A body that marks its errors as within an answer.
struct Body(ureq::BodyReader<'static>);

impl Read for Body {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf).map_err(|e| {
            let timed_out = e.kind() == io::ErrorKind::TimedOut
                || e.get_ref()
                    .and_then(|e| e.downcast_ref::<ureq::Error>())
                    .is_some_and(|e| matches!(e, ureq::Error::Timeout(_)));
            if timed_out {
                io::Error::new(io::ErrorKind::TimedOut, e)
            } else {
                e
            }
        })
    }
}
