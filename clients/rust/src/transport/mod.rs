//! How requests leave the process. The library stands on `ureq`, and on
//! `reqwest` for calls of the async client; an application may put its own
//! transport in their place.

use std::fmt;
use std::io::Read;
use std::time::Duration;

pub(crate) mod blocking;
#[cfg(feature = "async")]
pub(crate) mod nonblocking;

/// One HTTP request, ready to be sent.
///
/// A transport sends it as it is: it follows no redirect, keeps no cookie and
/// repeats nothing.
#[derive(Clone)]
pub struct Request {
    /// Method in upper case.
    pub method: &'static str,
    /// Whole address.
    pub url: String,
    /// Names and values of the headers.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
    /// Time limit from the start to the last byte of the body; of each wait
    /// for bytes when `streamed`.
    pub timeout: Option<Duration>,
    /// Time limit until the connection is usable.
    pub connect_timeout: Option<Duration>,
    /// Whether the answer is a download, which has no limit of its size.
    pub streamed: bool,
}

/// Headers, query and body stay out of it: they may have secrets.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url.split(['?', '#']).next().unwrap_or("");
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("origin", &crate::url::origin(url))
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("streamed", &self.streamed)
            .finish_non_exhaustive()
    }
}

/// An answer of which the body is still to be read.
pub struct Response {
    /// Status.
    pub status: u16,
    /// Names and values of the headers; names in any case.
    pub headers: Vec<(String, String)>,
    /// The body. It ends with an error when the connection broke.
    pub body: Box<dyn Read + Send>,
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// A transport of the blocking client. The background threads of both clients
/// (events, error reports, downloads) use it as well.
pub trait Transport: Send + Sync {
    /// Sends `request` and returns when the headers of the answer are here.
    fn send(&self, request: &Request) -> Result<Response, TransportError>;
}

/// An answer with its body.
#[cfg(feature = "async")]
#[derive(Clone)]
pub struct FullResponse {
    /// Status.
    pub status: u16,
    /// Names and values of the headers; names in any case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

#[cfg(feature = "async")]
impl fmt::Debug for FullResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FullResponse")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// The future of [`AsyncTransport::send`].
#[cfg(feature = "async")]
pub type SendFuture<'a> = std::pin::Pin<
    Box<dyn std::future::Future<Output = Result<FullResponse, TransportError>> + Send + 'a>,
>;

/// A transport of the async client's calls.
#[cfg(feature = "async")]
pub trait AsyncTransport: Send + Sync {
    /// Sends `request` and reads the whole answer, at most 32 MiB of it.
    fn send(&self, request: Request) -> SendFuture<'_>;
}

/// Where an attempt failed. It decides whether the attempt is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The name of the host could not be looked up.
    Lookup,
    /// Connecting was refused or the host is unreachable.
    Connect,
    /// Connecting took too long.
    ConnectTimeout,
    /// The TLS handshake broke.
    TlsHandshake,
    /// The certificate was rejected.
    Certificate,
    /// A connection was closed before any byte of the answer.
    StaleConnection,
    /// The answer took too long.
    ReadTimeout,
    /// The connection broke after the headers of the answer.
    Body,
    /// The answer is larger than 32 MiB.
    TooLarge,
    /// The sender cancelled the request.
    Aborted,
    /// Anything else.
    Other,
}

impl Failure {
    /// Whether the connection was never usable, so that the server cannot have
    /// seen the request.
    pub fn never_usable(self) -> bool {
        matches!(
            self,
            Failure::Lookup
                | Failure::Connect
                | Failure::ConnectTimeout
                | Failure::TlsHandshake
                | Failure::StaleConnection
        )
    }

    /// Whether a time limit was passed.
    pub fn is_timeout(self) -> bool {
        matches!(self, Failure::ConnectTimeout | Failure::ReadTimeout)
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Failure::Lookup => "the name of the host could not be looked up",
            Failure::Connect => "the connection failed",
            Failure::ConnectTimeout => "connecting took too long",
            Failure::TlsHandshake => "the TLS handshake failed",
            Failure::Certificate => "the certificate of the server was rejected",
            Failure::StaleConnection => "the connection was closed before an answer",
            Failure::ReadTimeout => "the answer took too long",
            Failure::Body => "the connection broke within the answer",
            Failure::TooLarge => "the answer is larger than 32 MiB",
            Failure::Aborted => "the request was given up",
            Failure::Other => "the request could not be sent",
        }
    }
}

/// Error of a transport without a complete answer.
#[derive(Debug)]
pub struct TransportError {
    /// Where it failed.
    pub kind: Failure,
    /// The error below, if there is one. It must not contain the address.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl TransportError {
    /// A failure with the error that caused it.
    pub fn new(kind: Failure, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        TransportError {
            kind,
            source: Some(source.into()),
        }
    }
}

impl TransportError {
    /// Describes the failure, followed by its causes from the outermost to the
    /// innermost. It omits addresses, which may contain a credential or a query.
    pub(crate) fn with_reasons(&self) -> String {
        let mut text = self.kind.text().to_owned();
        let mut next = std::error::Error::source(self);
        while let Some(error) = next {
            let reason = error.to_string();
            // An error often ends with the text of the one below it.
            if !reason.is_empty() && !text.ends_with(&reason) {
                text.push_str(": ");
                text.push_str(&reason);
            }
            next = error.source();
        }
        let words = text.split(' ').map(|word| match word.contains("://") {
            true => "(address)",
            false => word,
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

impl From<Failure> for TransportError {
    fn from(kind: Failure) -> Self {
        TransportError { kind, source: None }
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.text())
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

/// Finds TLS and socket errors in a chain of errors, as far as their types and
/// texts tell; both transports hide them in several layers.
fn classify(error: &(dyn std::error::Error + 'static), before_answer: bool) -> Option<Failure> {
    let mut next = Some(error);
    while let Some(e) = next {
        let text = e.to_string();
        if text.contains("invalid peer certificate") || text.contains("certificate verify failed") {
            return Some(Failure::Certificate);
        }
        if text.contains("dns error") || text.contains("failed to lookup") {
            return Some(Failure::Lookup);
        }
        if text.contains("received fatal alert")
            || text.contains("received corrupt message")
            || text.contains("handshake")
        {
            return Some(Failure::TlsHandshake);
        }
        if let Some(io) = e.downcast_ref::<std::io::Error>() {
            use std::io::ErrorKind as K;
            match io.kind() {
                K::ConnectionRefused
                | K::HostUnreachable
                | K::NetworkUnreachable
                | K::NetworkDown
                | K::AddrNotAvailable => return Some(Failure::Connect),
                K::UnexpectedEof | K::ConnectionReset | K::ConnectionAborted | K::BrokenPipe
                    if before_answer =>
                {
                    return Some(Failure::StaleConnection);
                }
                K::TimedOut => return Some(Failure::ReadTimeout),
                _ => {}
            }
            if let Some(inner) = io.get_ref() {
                next = Some(inner);
                continue;
            }
        }
        next = e.source();
    }
    None
}
