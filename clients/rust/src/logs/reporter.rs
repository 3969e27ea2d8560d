//! The queue of reports: de-duplication, rate, one background sender.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{RedactFn, Report};
use crate::core::Core;
use crate::events::rules::{self, Action};
use crate::request::{Body, Call, Exchange};
use crate::sync::lock;

pub(crate) const MOST_REPORTS: usize = 100;
pub(crate) const MOST_FINGERPRINTS: usize = 500;
pub(crate) const SAME_WITHIN: Duration = Duration::from_secs(60);
pub(crate) const MOST_AT_ONCE: f64 = 10.0;
pub(crate) const SECONDS_FOR_ONE: f64 = 6.0;
const FIRST_BACKOFF: Duration = Duration::from_secs(5);

/// The queue of reports of one client.
#[derive(Default)]
pub(crate) struct Reporter {
    state: Mutex<State>,
    work: Condvar,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Waiting>,
    seen: HashMap<String, Seen>,
    order: VecDeque<String>,
    spent: f64,
    refilled: Duration,
    dropped: u64,
    redact: Option<Arc<RedactFn>>,
    failures: u32,
    failed_sends: u64,
    wait_until: Option<Instant>,
    sending: bool,
    has_sender: bool,
    stopped: bool,
}

/// A report that waits.
struct Waiting {
    report: Report,
    /// The project that was bound when it was made.
    project: Option<String>,
    /// The redaction hook has not seen it.
    raw: bool,
}

/// When a report was last sent, and how many equal ones were not.
struct Seen {
    at: Duration,
    repeated: u64,
}

/// Counts of unsent reports in a report.
pub(crate) struct Counts {
    pub repeated: u64,
    pub dropped: u64,
}

impl Reporter {
    pub(super) fn set_redact(&self, redact: Option<Arc<RedactFn>>) {
        lock(&self.state).redact = redact;
    }

    /// Whether a report may be sent now: not within a minute of an equal one,
    /// and not above the rate.
    pub(super) fn admit(&self, fingerprint: &str, now: Duration) -> Option<Counts> {
        let mut state = lock(&self.state);
        if state.stopped || thread_is_ours() || REDACTING.get() {
            return None;
        }
        if let Some(seen) = state.seen.get_mut(fingerprint) {
            if now.saturating_sub(seen.at) < SAME_WITHIN {
                seen.repeated += 1;
                return None;
            }
        }
        let refill = now.saturating_sub(state.refilled).as_secs_f64() / SECONDS_FOR_ONE;
        state.spent = (state.spent - refill).max(0.0);
        state.refilled = now;
        if state.spent + 1.0 > MOST_AT_ONCE + 1e-9 {
            state.dropped += 1;
            return None;
        }
        state.spent += 1.0;
        let seen = Seen {
            at: now,
            repeated: 0,
        };
        let repeated = match state.seen.insert(fingerprint.to_owned(), seen) {
            Some(before) => before.repeated,
            None => {
                state.order.push_back(fingerprint.to_owned());
                0
            }
        };
        if state.order.len() > MOST_FINGERPRINTS {
            if let Some(oldest) = state.order.pop_front() {
                state.seen.remove(&oldest);
            }
        }
        Some(Counts {
            repeated,
            dropped: std::mem::take(&mut state.dropped),
        })
    }

    /// Redacts and queues a report. One of a panic is redacted by the sender: a
    /// hook that panics within a panic would end the program.
    pub(super) fn push(&self, core: &Arc<Core>, report: Report, panicking: bool) {
        let report = if panicking {
            Some(report)
        } else {
            self.redact(report)
        };
        let Some(report) = report else { return };
        let project = core.settings().project_key.clone();
        let mut state = lock(&self.state);
        state.queue.push_back(Waiting {
            report,
            project,
            raw: panicking,
        });
        if state.queue.len() > MOST_REPORTS {
            state.queue.pop_front();
        }
        self.start(core, &mut state);
        self.work.notify_one();
    }

    /// The report after the hook. Failures of the hook are not reported.
    fn redact(&self, report: Report) -> Option<Report> {
        let Some(redact) = lock(&self.state).redact.clone() else {
            return Some(report);
        };
        REDACTING.set(true);
        let left = catch_unwind(AssertUnwindSafe(|| redact(report)));
        REDACTING.set(false);
        left.ok().flatten()
    }

    fn start(&self, core: &Arc<Core>, state: &mut State) {
        if !state.has_sender && !state.stopped {
            let core = core.clone();
            let thread = thread::Builder::new().name("svc-sdk-logs".to_owned());
            state.has_sender = thread.spawn(move || core.reports.serve(&core)).is_ok();
        }
    }

    /// Sends what waits; whether nothing is left. A send that fails ends it.
    pub(super) fn flush(&self, core: &Arc<Core>, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut state = lock(&self.state);
        let failed = state.failed_sends;
        state.wait_until = None;
        self.start(core, &mut state);
        self.work.notify_one();
        while (state.sending || !state.queue.is_empty())
            && state.failed_sends == failed
            && state.has_sender
        {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || state.stopped {
                break;
            }
            state = wait(&self.ended, state, Some(left));
        }
        state.queue.is_empty() && !state.sending
    }

    pub(crate) fn close(&self, core: &Arc<Core>, limit: Duration) {
        if !lock(&self.state).queue.is_empty() || lock(&self.state).sending {
            self.flush(core, limit);
        }
        lock(&self.state).stopped = true;
        self.work.notify_all();
        self.ended.notify_all();
    }

    fn serve(&self, core: &Core) {
        let mut state = lock(&self.state);
        while !state.stopped {
            let now = Instant::now();
            let left = state
                .wait_until
                .map(|until| until.saturating_duration_since(now));
            if state.queue.is_empty() || left.is_some_and(|l| !l.is_zero()) {
                let left = left.filter(|_| !state.queue.is_empty());
                state = wait(&self.work, state, left);
                continue;
            }
            let Some(mut waiting) = state.queue.pop_front() else {
                continue;
            };
            state.sending = true;
            state.wait_until = None;
            drop(state);
            if std::mem::take(&mut waiting.raw) {
                match self.redact(waiting.report) {
                    Some(report) => waiting.report = report,
                    None => {
                        state = lock(&self.state);
                        state.sending = false;
                        self.ended.notify_all();
                        continue;
                    }
                }
            }
            let (status, retry_after) = send(core, &waiting);
            state = lock(&self.state);
            state.sending = false;
            match rules::outcome(status, 1) {
                Action::Retry => {
                    state.queue.push_front(waiting);
                    state.failures = state.failures.saturating_add(1);
                    state.failed_sends += 1;
                    let wait = rules::backoff(FIRST_BACKOFF, state.failures, retry_after);
                    state.wait_until = Some(Instant::now() + wait);
                }
                _ => {
                    state.failures = 0;
                    if !(200..300).contains(&status) {
                        drop(state);
                        core.note("a report was refused by the server");
                        state = lock(&self.state);
                    }
                }
            }
            self.ended.notify_all();
        }
        state.queue.clear();
        self.ended.notify_all();
    }
}

thread_local! {
    /// Whether this thread is in the redaction hook.
    static REDACTING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread belongs to the library. Its own failures are never
/// reported.
fn thread_is_ours() -> bool {
    thread::current()
        .name()
        .is_some_and(|name| name.starts_with("svc-sdk-"))
}

/// One attempt; status 0 is no answer.
fn send(
    core: &Core,
    Waiting {
        report, project, ..
    }: &Waiting,
) -> (u16, Option<u64>) {
    let mut settings = (*core.settings()).clone();
    if project.is_some() {
        settings.project_key.clone_from(project);
    }
    let exchange =
        Call::new(&settings, "POST", "/public/{k}/logs", &[], false).and_then(|mut call| {
            let mut body = serde_json::Map::new();
            body.insert("level".to_owned(), report.level.0.into());
            body.insert("content".to_owned(), report.content.clone().into());
            if let Some(source) = &report.source {
                body.insert("source".to_owned(), source.clone().into());
            }
            body.insert("device_info".to_owned(), report.device_info.clone().into());
            body.insert("custom_data".to_owned(), report.custom_data.clone().into());
            call.body = Body::Json(Value::Object(body));
            Exchange::new(&settings, call)
        });
    match exchange {
        Ok(mut exchange) => match core.attempt(&mut exchange) {
            Ok(answer) => (answer.status, answer.retry_after(&core.clock)),
            Err(_) => (0, None),
        },
        // No project is bound: it cannot be sent, now or later.
        Err(_) => (400, None),
    }
}

fn wait<'a>(
    condition: &Condvar,
    state: MutexGuard<'a, State>,
    limit: Option<Duration>,
) -> MutexGuard<'a, State> {
    match limit {
        Some(limit) => {
            condition
                .wait_timeout(state, limit)
                .unwrap_or_else(|e| e.into_inner())
                .0
        }
        None => condition.wait(state).unwrap_or_else(|e| e.into_inner()),
    }
}
