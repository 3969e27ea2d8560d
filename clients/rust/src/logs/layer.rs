//! A layer that reports the events of `tracing`.

use std::fmt;
use std::sync::{Arc, Weak};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

use super::{CaptureOptions, Failed, base_name};
use crate::core::Core;
use crate::models::LogLevel;

/// Targets of the library and of what it sends with.
const OWN_TARGETS: [&str; 8] = [
    "svc_sdk",
    "ureq",
    "ureq_proto",
    "rustls",
    "reqwest",
    "hyper",
    "hyper_util",
    "native_tls",
];

/// Reports events of a level and above, made by [`crate::Logs::layer`].
pub struct ReportLayer {
    core: Weak<Core>,
    level: LogLevel,
}

impl ReportLayer {
    pub(super) fn new(core: &Arc<Core>, level: LogLevel) -> ReportLayer {
        ReportLayer {
            core: Arc::downgrade(core),
            level,
        }
    }
}

impl fmt::Debug for ReportLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportLayer")
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

impl<S: Subscriber> Layer<S> for ReportLayer {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let metadata = event.metadata();
        let level = match *metadata.level() {
            Level::ERROR => LogLevel::ERROR,
            Level::WARN => LogLevel::WARNING,
            Level::INFO => LogLevel::INFO,
            _ => LogLevel::DEBUG,
        };
        let target = metadata.target();
        let own = OWN_TARGETS.contains(&target.split("::").next().unwrap_or(""));
        if level < self.level || own {
            return;
        }
        let Some(core) = self.core.upgrade() else {
            return;
        };
        let mut fields = Fields::default();
        event.record(&mut fields);
        let file = metadata.file().unwrap_or("");
        let failed = Failed {
            type_name: String::new(),
            message: fields.message,
            frame: format!("({})", base_name(file)),
            stack: match metadata.line() {
                Some(line) => format!("at {file}:{line}"),
                None => String::new(),
            },
        };
        let mut options = CaptureOptions::new().level(level).source(target);
        options.custom_data = fields.others;
        core.report(failed, options);
    }
}

/// The message and the other fields of an event.
#[derive(Default)]
struct Fields {
    message: String,
    others: serde_json::Map<String, serde_json::Value>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<serde_json::Value>) {
        self.others.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        match field.name() {
            "message" => self.message = text,
            _ => self.put(field, text),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message = value.to_owned(),
            _ => self.put(field, value),
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.put(field, value.to_string());
    }
}
