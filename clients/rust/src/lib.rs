//! Client library of svc: updates, announcements, feedback, logs and events of
//! an application.
//!
//! ```no_run
//! use svc_sdk::{CheckOptions, SvcClient};
//!
//! # fn main() -> svc_sdk::Result<()> {
//! let client = SvcClient::builder("https://svc.example.com/api/v1")
//!     .project_key("acme-desktop")
//!     .app_version("1.4.2")
//!     .build()?;
//! let update = client.updates().check(&CheckOptions::new())?;
//! println!("{}", update.decision.as_str());
//! # Ok(())
//! # }
//! ```
//!
//! [`SvcClient`] blocks; `AsyncSvcClient`, with the feature `async`, does not.
//! Both have the same methods: [`Public`] ones need no credential, [`Admin`]
//! ones do.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod api;
#[cfg(feature = "async")]
mod async_client;
mod client;
mod clock;
mod core;
mod detect;
mod error;
mod etag;
mod events;
mod logs;
pub mod models;
mod pages;
mod patch;
mod request;
mod retry;
mod settings;
mod sync;
#[cfg(test)]
mod tests;
mod transport;
mod updates;
mod url;
mod version;

pub use api::*;
#[cfg(feature = "async")]
pub use async_client::AsyncSvcClient;
pub use client::{Attempt, ClientBuilder, SvcClient};
pub use error::{ApiError, ConnectionError, Error, Result};
pub use etag::ETag;
pub use events::{Analytics, Flushed, Persistence, Storage};
#[cfg(feature = "tracing")]
pub use logs::ReportLayer;
pub use logs::{CaptureOptions, InstallOptions, Installed, Logs, Report};
#[cfg(feature = "async")]
pub use pages::AsyncPages;
pub use pages::Pages;
pub use patch::Patch;
#[cfg(feature = "async")]
pub use transport::{AsyncTransport, FullResponse, SendFuture};
pub use transport::{Failure, Request, Response, Transport, TransportError};
#[cfg(feature = "async")]
pub use updates::AsyncUpdates;
pub use updates::{CheckOptions, Decision, Downloaded, Progress, Update, Updates};
pub use version::{compare_versions, is_comparable_version};

/// Version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The code of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
