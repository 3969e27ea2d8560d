//! The panic hook.

use std::backtrace::Backtrace;
use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use super::{CaptureOptions, Failed, base_name};
use crate::core::Core;

/// Panics are reported as long as this lives.
#[must_use = "dropping this undoes the hook"]
#[derive(Debug)]
pub struct Installed {
    active: Arc<AtomicBool>,
}

impl Installed {
    /// Puts a hook before the present one. Hooks form a chain that others may
    /// have lengthened, so undoing it means to pass everything on.
    pub(super) fn new(core: &Arc<Core>) -> Installed {
        let active = Arc::new(AtomicBool::new(true));
        let (is_active, core) = (active.clone(), Arc::downgrade(core));
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if is_active.load(Ordering::Relaxed) {
                report(&core, info);
            }
            before(info);
        }));
        Installed { active }
    }

    /// Stops reporting panics.
    pub fn undo(self) {}
}

impl Drop for Installed {
    fn drop(&mut self) {
        self.active.store(false, Ordering::Relaxed);
    }
}

fn report(core: &Weak<Core>, info: &PanicHookInfo<'_>) {
    let Some(core) = core.upgrade() else { return };
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    let file = info.location().map_or("", |l| l.file());
    let frames = frames(&Backtrace::force_capture().to_string());
    let function = frames.first().map_or("", String::as_str);
    let mut stack = match info.location() {
        Some(place) => format!("at {}:{}", place.file(), place.line()),
        None => String::new(),
    };
    for frame in &frames {
        stack.push('\n');
        stack.push_str(frame);
    }
    let failed = Failed {
        type_name: "panic".to_owned(),
        message,
        frame: format!("{function} ({})", base_name(file))
            .trim_start()
            .to_owned(),
        stack,
    };
    core.report_from(failed, CaptureOptions::new().source("uncaught"), true);
}

/// Names of the functions below the machinery of the panic.
fn frames(backtrace: &str) -> Vec<String> {
    let names: Vec<&str> = backtrace
        .lines()
        .filter_map(|line| {
            let (number, name) = line.trim_start().split_once(": ")?;
            number.bytes().all(|b| b.is_ascii_digit()).then_some(name)
        })
        .collect();
    let machinery = [
        "core::panicking::",
        "std::panicking::",
        "rust_begin_unwind",
        "__rustc::",
    ];
    let is_machinery = |name: &&str| machinery.iter().any(|m| name.contains(m));
    // The program itself runs inside `std::panicking::catch_unwind`, further
    // out; only the innermost run of such frames is the panic.
    let first = names.iter().position(is_machinery).unwrap_or(0);
    let inner = names[first..]
        .iter()
        .take_while(|n| is_machinery(n))
        .count();
    names[first + inner..]
        .iter()
        .map(|n| without_hash(n))
        .collect()
}

/// A symbol without the hash that compilers append.
fn without_hash(name: &str) -> String {
    match name.rsplit_once("::h") {
        Some((plain, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            plain.to_owned()
        }
        _ => name.to_owned(),
    }
}
