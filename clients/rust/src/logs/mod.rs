//! Reporting errors: captured ones, panics, and the events of `tracing`.
//!
//! Nothing is sent until an application asks for it. Nothing is written to the
//! device, nothing blocks the caller, and nothing here panics.

use std::error::Error as StdError;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::core::{Core, Handle};
use crate::events::rules::fnv1a32;
use crate::models::LogLevel;
use crate::{VERSION, detect};

#[cfg(feature = "tracing")]
mod layer;
mod panics;
pub(crate) mod reporter;

#[cfg(feature = "tracing")]
pub use layer::ReportLayer;
pub use panics::Installed;
pub(crate) use reporter::Reporter;

pub(crate) const LONGEST_CONTENT: usize = 4096;
pub(crate) const LONGEST_SOURCE: usize = 128;

/// A report, as it will be sent. A redaction hook may change it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// How serious it is.
    pub level: LogLevel,
    /// Type, message and stack.
    pub content: String,
    /// Name of the logger, or `uncaught`.
    pub source: Option<String>,
    /// Library, runtime, system, architecture, version of the application.
    pub device_info: Map<String, Value>,
    /// Data of the application, and the fingerprint.
    pub custom_data: Map<String, Value>,
}

/// The known facts of an error.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failed {
    /// Its type, empty when there is none.
    pub type_name: String,
    pub message: String,
    /// Innermost frame: function and file.
    pub frame: String,
    pub stack: String,
}

impl Failed {
    pub(crate) fn fingerprint(&self) -> String {
        fnv1a32(&format!(
            "{}\n{}\n{}",
            self.type_name, self.message, self.frame
        ))
    }

    pub(crate) fn content(&self) -> String {
        let mut text = match (self.type_name.as_str(), self.message.as_str()) {
            ("", message) => message.to_owned(),
            (type_name, "") => type_name.to_owned(),
            (type_name, message) => format!("{type_name}: {message}"),
        };
        if !self.stack.is_empty() {
            text.push('\n');
            text.push_str(&self.stack);
        }
        cut(&text, LONGEST_CONTENT)
    }
}

fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

/// Options of capturing an error.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CaptureOptions {
    /// How serious it is; an error unless set.
    pub level: Option<LogLevel>,
    /// Which part of the application it comes from.
    pub source: Option<String>,
    /// Data of the application about it.
    pub custom_data: Map<String, Value>,
}

impl CaptureOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How serious it is.
    pub fn level(mut self, level: LogLevel) -> Self {
        self.level = Some(level);
        self
    }

    /// Which part of the application it comes from.
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds something that the application knows about it.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.custom_data.insert(name.into(), value.into());
        self
    }
}

type RedactFn = dyn Fn(Report) -> Option<Report> + Send + Sync;

/// The hooks of [`Logs::install`], and its redaction.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct InstallOptions {
    pub(crate) redact: Option<Arc<RedactFn>>,
}

impl InstallOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sees each report before it is queued, in the thread of the caller (that
    /// of a panic before it is sent, in a thread of the library): returns what
    /// may be sent, or `None` for nothing.
    pub fn redact(
        mut self,
        redact: impl Fn(Report) -> Option<Report> + Send + Sync + 'static,
    ) -> Self {
        self.redact = Some(Arc::new(redact));
        self
    }
}

impl fmt::Debug for InstallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InstallOptions")
            .field("redact", &self.redact.is_some())
            .finish()
    }
}

/// Reports errors. Of equal errors one a minute is sent, of all ten at once
/// and ten a minute.
#[derive(Clone)]
pub struct Logs(pub(crate) Arc<Handle>);

impl Logs {
    /// Reports an error with the errors that caused it.
    #[track_caller]
    pub fn capture<E: StdError + ?Sized>(&self, error: &E) {
        self.capture_with(error, CaptureOptions::default());
    }

    /// Reports an error with a level, a source and data of the application.
    #[track_caller]
    pub fn capture_with<E: StdError + ?Sized>(&self, error: &E, options: CaptureOptions) {
        let place = Location::caller();
        let mut stack = format!("at {}:{}", place.file(), place.line());
        let mut cause = error.source();
        while let Some(e) = cause {
            stack.push_str(&format!("\ncaused by: {e}"));
            cause = e.source();
        }
        let failed = Failed {
            type_name: type_name::<E>(),
            message: error.to_string(),
            frame: format!("({})", base_name(place.file())),
            stack,
        };
        self.0.core.report(failed, options);
    }

    /// Installs a panic hook that reports each panic and then calls the
    /// previous hook. Dropping the result removes it.
    ///
    /// A panic that ends the program is sent when the client is dropped while
    /// the stack unwinds; with `panic = "abort"` it is lost.
    pub fn install(&self, options: InstallOptions) -> Installed {
        self.0.core.reports.set_redact(options.redact);
        Installed::new(&self.0.core)
    }

    /// A layer for `tracing-subscriber` that reports events of a level and
    /// above, except those of the library and its transports.
    #[cfg(feature = "tracing")]
    pub fn layer(&self, level: LogLevel) -> ReportLayer {
        ReportLayer::new(&self.0.core, level)
    }

    /// Sends all reports now; whether nothing is left. It returns after
    /// `limit`, or when a send failed.
    pub fn flush(&self, limit: Duration) -> bool {
        let core = &self.0.core;
        core.reports.flush(core, limit)
    }

    /// Like [`Self::flush`], on tokio's threads for blocking work.
    #[cfg(feature = "async")]
    pub async fn flush_async(&self, limit: Duration) -> bool {
        let logs = self.clone();
        let flush = move || logs.flush(limit);
        tokio::task::spawn_blocking(flush).await.unwrap_or(false)
    }
}

impl Core {
    /// Reports what failed, if nothing speaks against it.
    pub(crate) fn report(self: &Arc<Self>, failed: Failed, options: CaptureOptions) {
        self.report_from(failed, options, false);
    }

    fn report_from(self: &Arc<Self>, failed: Failed, options: CaptureOptions, panicking: bool) {
        let fingerprint = failed.fingerprint();
        let Some(counts) = self.reports.admit(&fingerprint, self.clock.monotonic()) else {
            return;
        };
        let mut custom_data = options.custom_data;
        custom_data.insert("fingerprint".to_owned(), fingerprint.into());
        for (name, count) in [("repeated", counts.repeated), ("dropped", counts.dropped)] {
            if count > 0 {
                custom_data.insert(name.to_owned(), count.into());
            }
        }
        let report = Report {
            level: options.level.unwrap_or(LogLevel::ERROR),
            content: failed.content(),
            source: options.source.map(|s| cut(&s, LONGEST_SOURCE)),
            device_info: self.device_info(),
            custom_data,
        };
        self.reports.push(self, report, panicking);
    }

    fn device_info(&self) -> Map<String, Value> {
        let settings = self.settings();
        let on = settings.platform.is_some();
        let fields = [
            ("sdk", Some(format!("svc-sdk-rust/{VERSION}"))),
            ("runtime", Some("rust".to_owned())),
            ("os", settings.platform.clone()),
            (
                "os_version",
                settings.platform_version.clone().filter(|_| on),
            ),
            ("arch", detect::own_architecture().map(str::to_owned)),
            ("app_version", settings.app_version.clone()),
        ];
        let present = fields
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        present
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect()
    }
}

/// The name of an error's type without the modules it is in; a trait object
/// tells only its trait.
fn type_name<E: ?Sized>() -> String {
    let name = std::any::type_name::<E>().trim_start_matches("dyn ");
    let plain = name.split('<').next().unwrap_or(name);
    plain.split(" + ").next().unwrap_or(plain).to_owned()
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
