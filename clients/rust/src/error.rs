//! Errors: local checks, a missing credential, an answer that is
//! not usable, no answer at all.

use std::fmt;

use serde_json::Value;

use crate::transport::TransportError;

/// Result of every call of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
///
/// No text of an error contains a credential, an identifier of a user, a query
/// or the body of a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A local check failed before anything was sent: no project is bound, an
    /// option or a path value is not usable, the client is closed.
    Invalid(String),
    /// A method of [`crate::Admin`] was called without a credential. Nothing
    /// was sent.
    Auth(String),
    /// The server answered, but not with something usable.
    Api(Box<ApiError>),
    /// There was no complete answer.
    Connection(Box<ConnectionError>),
}

/// An answer with a status other than 2xx, or of an unexpected form.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ApiError {
    /// HTTP status of the answer.
    pub status: u16,
    /// The server's message, for display.
    pub message: String,
    /// The decoded body, or its text when it is not JSON; at most 64 KiB.
    pub body: Value,
    /// Seconds that the server asks to wait.
    pub retry_after: Option<u64>,
    /// HTTP method of the request.
    pub method: &'static str,
    /// Template of the path, such as `/public/{k}/events/me`.
    pub path: &'static str,
}

/// The request could not be sent, or its answer did not arrive whole.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConnectionError {
    /// The failure and its cause, such as `the connection failed: io: Connection
    /// refused (os error 111)`.
    pub message: String,
    /// Whether a time limit ended it.
    pub timeout: bool,
    /// The error of the transport.
    pub cause: Option<TransportError>,
}

impl Error {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Error::Invalid(message.into())
    }

    pub(crate) fn connection(message: impl Into<String>) -> Self {
        Error::Connection(Box::new(ConnectionError {
            message: message.into(),
            timeout: false,
            cause: None,
        }))
    }

    /// Status of the answer, when there was one.
    pub fn status(&self) -> Option<u16> {
        match self {
            Error::Api(e) => Some(e.status),
            _ => None,
        }
    }

    /// Whether a time limit ended the call.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Error::Connection(e) if e.timeout)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Invalid(message) | Error::Auth(message) => f.write_str(message),
            Error::Api(e) => write!(f, "[{}] {}", e.status, e.message),
            Error::Connection(e) => f.write_str(&e.message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Connection(e) => e.cause.as_ref().map(|c| c as _),
            _ => None,
        }
    }
}

impl From<TransportError> for Error {
    fn from(cause: TransportError) -> Self {
        Error::Connection(Box::new(ConnectionError {
            message: cause.with_reasons(),
            timeout: cause.kind.is_timeout(),
            cause: Some(cause),
        }))
    }
}
