//! The queue of one project: what was tracked and not yet delivered.
//!
//! Two threads work for it, both started when they are first needed. The
//! keeper writes the state once a second and says when a flush is due; the
//! sender sends. So a send that hangs keeps nothing from being written. The
//! lock is never held during I/O.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use super::feedback::{Kept, Sent};
use super::rules::{self, Action};
use super::state::{Batch, Change, Entry, Found, Keys, Place, Texts, parse_queue};
use super::{Analytics, Flushed, Persistence};
use crate::core::Core;
use crate::request::{Body, Call, Exchange};
use crate::sync::lock;

/// Changes are on the device after this time.
pub(crate) const SAVE_INTERVAL: Duration = Duration::from_secs(1);
/// The part that the next write contains.
const TIME_TO_WRITE: Duration = Duration::from_millis(150);
/// Bytes of a batch.
pub(crate) const LARGEST_BATCH: usize = 64 << 10;
/// Answers in a row that say "not for you" before the queue waits for a flush.
pub(crate) const MOST_HOLDS: u32 = 3;
/// Ids of delivered events that other processes may still have in the file.
const MOST_GONE: usize = 5_000;

pub(crate) struct Queue {
    options: Analytics,
    project: String,
    /// Whether projects share the namespace, so that entries name theirs.
    shared_namespace: bool,
    place: Place,
    keys: Keys,
    feedback: Kept,
    state: Mutex<State>,
    /// Something for the keeper.
    keeper: Condvar,
    /// Something for the sender.
    sender: Condvar,
    /// A send has ended.
    ended: Condvar,
    /// Saves happen one after the other.
    saving: Mutex<()>,
}

#[derive(Default)]
struct State {
    entries: VecDeque<Arc<Entry>>,
    flying: HashSet<String>,
    distinct_id: Option<String>,
    /// The identifier is not in the file yet; `true` when it replaces another.
    unsaved_id: Option<bool>,
    session: Option<(String, Duration)>,
    opted_out: bool,
    /// The marker is to be written or removed.
    unsaved_marker: Option<bool>,
    /// Queue and identifier of the file are to be forgotten.
    unsaved_clear: bool,
    gone: HashSet<String>,
    gone_order: VecDeque<String>,
    /// Increases when the queue is cleared, so that a running send knows.
    age: u64,
    sent: usize,
    dropped: usize,
    failures: u32,
    holds: u32,
    failed_sends: u64,
    /// No send in the background before this moment of the client's clock.
    wait_until: Duration,
    /// The sender is to send: full batches only, or everything.
    sending: Option<Drain>,
    flush_due: Option<Instant>,
    save_due: Option<Instant>,
    last_save: Option<Instant>,
    unwritable: bool,
    resting: bool,
    stopped: bool,
    has_keeper: bool,
    has_sender: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Drain {
    FullBatches,
    Everything,
}

impl Queue {
    pub(crate) fn new(
        options: &Analytics,
        project: &str,
        shared_namespace: bool,
        place: Place,
        namespace: &str,
    ) -> Arc<Queue> {
        let keys = Keys::new(namespace);
        let texts = place.read(&keys.all());
        let mut state = State {
            opted_out: texts.get(&keys.opt_out).is_some_and(|t| t == "1"),
            resting: true,
            ..State::default()
        };
        if options.persistence == Persistence::Persistent && !state.opted_out {
            state.take_over(options, &keys, &texts, project);
        }
        let feedback = match options.persistence {
            Persistence::Persistent => place.clone(),
            _ => Place::Memory,
        };
        Arc::new(Queue {
            feedback: Kept::new(feedback, &keys),
            options: options.clone(),
            project: project.to_owned(),
            shared_namespace,
            place,
            keys,
            state: Mutex::new(state),
            keeper: Condvar::new(),
            sender: Condvar::new(),
            ended: Condvar::new(),
            saving: Mutex::new(()),
        })
    }

    /// Whether it belongs to a project. Keys are compared like in namespaces.
    pub(crate) fn is_of(&self, project: Option<&str>) -> bool {
        project.is_some_and(|p| same_project(p, &self.project))
    }

    pub(crate) fn opted_out(&self) -> bool {
        lock(&self.state).opted_out
    }

    fn keeps_events(&self) -> bool {
        self.options.persistence == Persistence::Persistent
    }

    /// The project is bound (again): timers run.
    pub(crate) fn take_up(&self) {
        let mut state = lock(&self.state);
        state.resting = false;
        if state.holds > 0 {
            (state.holds, state.wait_until) = (0, Duration::ZERO);
        }
        if !state.entries.is_empty() && state.flush_due.is_none() {
            state.flush_due = Some(Instant::now() + self.options.flush_interval);
            self.keeper.notify_one();
        }
    }

    /// Stops the timers and saves everything, because another project is
    /// bound. Events that may not be stored are sent once in the background.
    pub(crate) fn let_go(self: &Arc<Self>, core: &Arc<Core>) {
        let mut state = lock(&self.state);
        state.resting = true;
        state.flush_due = None;
        let has_events = !state.entries.is_empty();
        if has_events && !self.keeps_events() {
            self.request_send(core, &mut state, Drain::Everything);
        }
        drop(state);
        self.save(core);
    }

    /// Ends the threads and saves.
    pub(crate) fn end(&self, core: &Core) {
        lock(&self.state).stopped = true;
        self.keeper.notify_all();
        self.sender.notify_all();
        self.ended.notify_all();
        self.save(core);
    }

    pub(crate) fn track(
        self: &Arc<Self>,
        core: &Arc<Core>,
        name: String,
        properties: Option<Box<RawValue>>,
    ) {
        let occurred_at = core.clock.unix_seconds();
        let now = core.clock.monotonic();
        let event_id = rules::uuid();
        let mut state = lock(&self.state);
        if state.opted_out || state.stopped {
            return;
        }
        let session = match &state.session {
            Some((id, last)) if now.saturating_sub(*last) <= self.options.session_timeout => {
                id.clone()
            }
            _ => rules::uuid(),
        };
        state.session = Some((session.clone(), now));
        let distinct_id = state.identifier();
        state.entries.push_back(Arc::new(Entry {
            distinct_id,
            session_id: Some(session),
            project_key: self.shared_namespace.then(|| self.project.clone()),
            event_id,
            name,
            occurred_at,
            properties,
        }));
        let mut lost = None;
        if state.entries.len() > self.options.max_queue_size {
            let flying = &state.flying;
            let oldest = state
                .entries
                .iter()
                .position(|e| !flying.contains(&e.event_id));
            lost = oldest.and_then(|at| state.entries.remove(at));
            if let Some(lost) = &lost {
                state.forget_id(&lost.event_id);
                state.dropped += 1;
            }
        }
        self.want_save(core, &mut state);
        if state.entries.len() >= self.options.batch_size && state.may_send(now) {
            self.request_send(core, &mut state, Drain::FullBatches);
        }
        if state.flush_due.is_none() && !state.resting && state.holds < MOST_HOLDS {
            state.flush_due = Some(Instant::now() + self.options.flush_interval);
            self.start_keeper(core, &mut state);
            self.keeper.notify_one();
        }
        drop(state);
        if let Some(lost) = lost {
            self.report_drop(&lost.name, "the queue is full");
        }
    }

    /// Tells the drop hook. No lock may be held.
    pub(crate) fn report_drop(&self, name: &str, reason: &str) {
        if let Some(hook) = &self.options.on_drop {
            super::tell(hook, name, reason);
        }
    }

    /// The identifier, made when there is none.
    pub(crate) fn distinct_id(self: &Arc<Self>, core: &Arc<Core>) -> String {
        let mut state = lock(&self.state);
        let id = state.identifier();
        if state.unsaved_id.is_some() {
            self.want_save(core, &mut state);
        }
        id
    }

    pub(crate) fn current_id(&self) -> Option<String> {
        lock(&self.state).distinct_id.clone()
    }

    /// Keeps feedback that was sent, while events are `allowed` and the user has not opted out.
    pub(crate) fn keep_feedback(&self, mut sent: Sent, allowed: impl Fn() -> bool) {
        if self.options.persistence != Persistence::None {
            sent.project_key = self.shared_namespace.then(|| self.project.clone());
            self.feedback.add(sent, || allowed() && !self.opted_out());
        }
    }

    pub(crate) fn forget_feedback(&self, id: &str, allowed: impl Fn() -> bool) {
        self.feedback.remove(id, || allowed() && !self.opted_out());
    }

    pub(crate) fn sent_feedback(&self) -> Vec<Sent> {
        let mut list = self.feedback.list();
        list.retain(|sent| is_of_project(sent.project_key.as_deref(), &self.project));
        list
    }

    pub(crate) fn opt_out(&self, core: &Core) {
        let mut state = lock(&self.state);
        state.clear();
        state.opted_out = true;
        state.unsaved_marker = Some(true);
        drop(state);
        self.feedback.clear();
        self.save(core);
    }

    pub(crate) fn opt_in(&self, core: &Core) {
        let mut state = lock(&self.state);
        if !state.opted_out {
            return;
        }
        state.opted_out = false;
        state.unsaved_marker = Some(false);
        drop(state);
        self.save(core);
    }

    /// Consent was revoked: everything goes, no marker stays.
    pub(crate) fn forget(&self, core: &Core) {
        lock(&self.state).clear();
        self.feedback.clear();
        self.save(core);
    }

    pub(crate) fn reset_identity(&self, core: &Core) {
        let mut state = lock(&self.state);
        state.distinct_id = Some(rules::uuid());
        state.unsaved_id = Some(true);
        state.session = None;
        drop(state);
        self.save(core);
    }

    pub(crate) fn erase(&self, core: &Core, distinct_id: &str) {
        let mut state = lock(&self.state);
        let ids: Vec<_> = state
            .entries
            .iter()
            .filter(|e| e.distinct_id == distinct_id)
            .map(|e| e.event_id.clone())
            .collect();
        state.remove(&ids);
        drop(state);
        self.save(core);
    }

    /// Sends everything now, also during a wait, until nothing is left, a send
    /// failed or `end` has come.
    pub(crate) fn flush(self: &Arc<Self>, core: &Arc<Core>, end: Option<Instant>) -> Flushed {
        let mut state = lock(&self.state);
        let (sent, dropped, failed) = (state.sent, state.dropped, state.failed_sends);
        state.holds = state.holds.min(MOST_HOLDS - 1);
        if !state.entries.is_empty() {
            self.request_send(core, &mut state, Drain::Everything);
        }
        while state.sending.is_some() && state.failed_sends == failed && !state.stopped {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|l| l.is_zero()) {
                break;
            }
            state = wait(&self.ended, state, left);
        }
        Flushed {
            sent: state.sent - sent,
            dropped: state.dropped - dropped,
            pending: state.entries.len(),
        }
    }

    #[cfg(test)]
    pub(crate) fn settle(&self) {
        let mut state = lock(&self.state);
        while state.sending.is_some() && !state.stopped {
            state = wait(&self.ended, state, None);
        }
    }

    #[cfg(test)]
    pub(crate) fn pending(&self) -> Vec<String> {
        lock(&self.state)
            .entries
            .iter()
            .map(|e| e.name.clone())
            .collect()
    }

    /// A change is to be written within a second; at once when the last write
    /// is longer ago or an identifier is new.
    fn want_save(self: &Arc<Self>, core: &Arc<Core>, state: &mut State) {
        if !self.keeps_events() || state.save_due.is_some() || state.unwritable {
            return;
        }
        let now = Instant::now();
        let due = match state.last_save {
            Some(last) if state.unsaved_id.is_none() => {
                now.max(last + (SAVE_INTERVAL - TIME_TO_WRITE))
            }
            _ => now,
        };
        state.save_due = Some(due);
        self.start_keeper(core, state);
        self.keeper.notify_one();
    }

    /// Writes what is not written yet.
    pub(crate) fn save(&self, core: &Core) {
        let _saving = lock(&self.saving);
        let mut state = lock(&self.state);
        state.save_due = None;
        let keeps_marker = self.options.persistence != Persistence::None;
        if !keeps_marker || state.unwritable {
            return;
        }
        let keeps_events = self.keeps_events();
        let marker = state.unsaved_marker.take();
        if !keeps_events && marker.is_none() {
            return;
        }
        state.last_save = Some(Instant::now());
        let unsaved_id = state.unsaved_id.take().filter(|_| keeps_events);
        let change = Change {
            keeps_events,
            marker,
            clear: std::mem::take(&mut state.unsaved_clear) && keeps_events,
            distinct_id: state.distinct_id.clone().zip(unsaved_id),
            entries: state.entries.iter().cloned().collect(),
            gone: state.gone.clone(),
            limit: self.options.max_queue_size,
        };
        let age = state.age;
        drop(state);
        let (found, written) = self.place.update(&self.keys.all(), |texts: &mut Texts| {
            change.apply(&self.keys, texts)
        });
        self.saved(core, found, written, &change, age);
    }

    fn saved(
        &self,
        core: &Core,
        found: Found,
        written: std::io::Result<()>,
        change: &Change,
        age: u64,
    ) {
        if found.opted_out {
            self.follow_opt_out();
        }
        let mut state = lock(&self.state);
        if let Some(other) = found.distinct_id {
            if state.age == age && state.unsaved_id.is_none() {
                state.distinct_id = Some(other);
            }
        }
        if written.is_err() {
            state.unwritable = true;
            drop(state);
            core.note("local state cannot be written; it stays in memory");
            return;
        }
        // Entries that this write removed stay removed, unless another process stores them again.
        while state.gone.len() > MOST_GONE {
            match state.gone_order.pop_front() {
                Some(id) if change.gone.contains(&id) => state.gone.remove(&id),
                _ => break,
            };
        }
    }

    /// Opts out, because another process has.
    fn follow_opt_out(&self) {
        let mut state = lock(&self.state);
        if state.opted_out || state.unsaved_marker.is_some() {
            return;
        }
        state.clear();
        state.opted_out = true;
        state.unsaved_clear = false;
        drop(state);
        self.feedback.clear();
    }

    fn start_keeper(self: &Arc<Self>, core: &Arc<Core>, state: &mut State) {
        if !state.has_keeper {
            let (queue, core) = (self.clone(), core.clone());
            let thread = thread::Builder::new().name("svc-sdk-events".to_owned());
            state.has_keeper = thread.spawn(move || queue.keep(&core)).is_ok();
        }
    }

    /// The keeper: saves and flushes when they are due.
    fn keep(self: Arc<Self>, core: &Arc<Core>) {
        let mut state = lock(&self.state);
        while !state.stopped {
            let now = Instant::now();
            if state.save_due.is_some_and(|due| due <= now) {
                drop(state);
                self.save(core);
                state = lock(&self.state);
                continue;
            }
            let flush_due = state.flush_due.filter(|_| core.clock.runs());
            if flush_due.is_some_and(|due| due <= now) {
                state.flush_due = None;
                if !state.entries.is_empty() && !state.resting && state.holds < MOST_HOLDS {
                    self.request_send(core, &mut state, Drain::Everything);
                }
                continue;
            }
            let due = [state.save_due, flush_due].into_iter().flatten().min();
            let left = due.map(|due| due.saturating_duration_since(now));
            state = wait(&self.keeper, state, left);
        }
    }

    /// Wakes the sender, or widens what it is doing.
    fn request_send(self: &Arc<Self>, core: &Arc<Core>, state: &mut State, drain: Drain) {
        match state.sending {
            None => state.sending = Some(drain),
            Some(_) if drain == Drain::Everything => state.sending = Some(drain),
            Some(_) => {}
        }
        if !state.has_sender {
            let (queue, core) = (self.clone(), core.clone());
            let thread = thread::Builder::new().name("svc-sdk-sender".to_owned());
            state.has_sender = thread.spawn(move || queue.serve(&core)).is_ok();
            if !state.has_sender {
                state.sending = None;
            }
        }
        self.sender.notify_one();
    }

    /// The sender: sends on request.
    fn serve(self: Arc<Self>, core: &Arc<Core>) {
        let mut state = lock(&self.state);
        while !state.stopped {
            let wanted = match state.sending {
                Some(Drain::Everything) => 1,
                Some(Drain::FullBatches) => self.options.batch_size,
                None => {
                    state = wait(&self.sender, state, None);
                    continue;
                }
            };
            let mut going = state.entries.len() >= wanted;
            if going {
                let (batch, age) = (self.batch(&state), state.age);
                state.fly(&batch);
                drop(state);
                going = self.deliver(core, batch, age);
                state = lock(&self.state);
                state.flying.clear();
                if !going {
                    state.failed_sends += 1;
                }
            }
            if !going {
                state.sending = None;
                self.plan(&mut state, core.clock.monotonic());
                drop(state);
                if self.keeps_events() {
                    self.save(core);
                }
                self.ended.notify_all();
                state = lock(&self.state);
            }
        }
        self.ended.notify_all();
    }

    /// When the next flush is due, after sends have ended.
    fn plan(&self, state: &mut State, now: Duration) {
        state.flush_due = None;
        if state.entries.is_empty() || state.resting || state.holds >= MOST_HOLDS {
            return;
        }
        let wait = state.wait_until.saturating_sub(now);
        let wait = if wait.is_zero() {
            self.options.flush_interval
        } else {
            wait
        };
        state.flush_due = Some(Instant::now() + wait);
        self.keeper.notify_one();
    }

    /// The longest run from the front with one identifier and session that
    /// fits into a batch.
    fn batch(&self, state: &State) -> Vec<Arc<Entry>> {
        let Some(first) = state.entries.front() else {
            return Vec::new();
        };
        let session = first.session_id.as_ref().map_or(0, String::len);
        let mut size = 64 + first.distinct_id.len() + session;
        let mut batch = Vec::new();
        for entry in state.entries.iter().take(self.options.batch_size) {
            size += entry.size();
            let same =
                entry.distinct_id == first.distinct_id && entry.session_id == first.session_id;
            if !batch.is_empty() && (!same || size > LARGEST_BATCH) {
                break;
            }
            batch.push(entry.clone());
        }
        batch
    }

    /// Sends a batch, in halves if the server refuses it. Returns whether
    /// further batches may be sent.
    fn deliver(&self, core: &Core, batch: Vec<Arc<Entry>>, age: u64) -> bool {
        let answer = self.post(core, &batch);
        let mut state = lock(&self.state);
        if state.age != age {
            return false;
        }
        let ids: Vec<String> = batch.iter().map(|e| e.event_id.clone()).collect();
        match rules::outcome(answer.status, batch.len()) {
            Action::DropBatch => {
                state.remove(&ids);
                (state.failures, state.holds, state.wait_until) = (0, 0, Duration::ZERO);
                let delivered = answer.status < 300;
                if delivered {
                    state.sent += batch.len();
                } else {
                    state.dropped += batch.len();
                }
                drop(state);
                self.report_answer(&batch, delivered, &answer);
                true
            }
            Action::Split => {
                drop(state);
                let mut first = batch;
                let rest = first.split_off(first.len() / 2);
                if !self.deliver(core, first, age) {
                    return false;
                }
                // Some may have been erased since.
                let state = lock(&self.state);
                let left: HashSet<&str> =
                    state.entries.iter().map(|e| e.event_id.as_str()).collect();
                let rest: Vec<_> = rest
                    .iter()
                    .filter(|e| left.contains(e.event_id.as_str()))
                    .cloned()
                    .collect();
                drop(state);
                rest.is_empty() || self.deliver(core, rest, age)
            }
            Action::Hold => {
                state.holds += 1;
                state.wait_until = core.clock.monotonic() + rules::HOLD;
                false
            }
            Action::Retry => {
                state.holds = 0;
                state.failures = state.failures.saturating_add(1);
                let interval = self.options.flush_interval;
                let wait = rules::backoff(interval, state.failures, answer.retry_after);
                state.wait_until = core.clock.monotonic() + wait;
                false
            }
        }
    }

    fn report_answer(&self, batch: &[Arc<Entry>], delivered: bool, answer: &Answer) {
        if !delivered {
            for entry in batch {
                self.report_drop(&entry.name, "the server refused it");
            }
        }
        for (index, message) in &answer.rejected {
            if let Some(entry) = batch.get(*index) {
                self.report_drop(&entry.name, message);
            }
        }
    }

    /// One request with a batch, under the key of this queue's project.
    fn post(&self, core: &Core, batch: &[Arc<Entry>]) -> Answer {
        let mut settings = (*core.settings()).clone();
        settings.project_key = Some(self.project.clone());
        let exchange =
            Call::new(&settings, "POST", "/public/{k}/events", &[], false).and_then(|mut call| {
                let text = serde_json::to_vec(&Batch::new(batch)).unwrap_or_default();
                call.body = Body::Text(text);
                Exchange::new(&settings, call)
            });
        let outcome = exchange.ok().and_then(|mut e| core.attempt(&mut e).ok());
        let Some(answer) = outcome else {
            return Answer::default();
        };
        let accepted = if answer.status < 300 {
            serde_json::from_slice::<crate::models::EventsAccepted>(&answer.body).ok()
        } else {
            None
        };
        Answer {
            status: answer.status,
            retry_after: answer.retry_after(&core.clock),
            rejected: accepted
                .and_then(|a| a.rejected)
                .unwrap_or_default()
                .into_iter()
                .filter_map(|r| Some((usize::try_from(r.index).ok()?, r.message)))
                .collect(),
        }
    }
}

/// The server's answer to a batch; status 0 is no answer.
#[derive(Default)]
struct Answer {
    status: u16,
    retry_after: Option<u64>,
    rejected: Vec<(usize, String)>,
}

impl State {
    /// Takes over what an earlier run, or another process, left.
    fn take_over(&mut self, options: &Analytics, keys: &Keys, texts: &Texts, project: &str) {
        let id = texts
            .get(&keys.distinct_id)
            .filter(|t| rules::is_identifier(t));
        self.distinct_id = id.cloned();
        let mine = |e: &Arc<Entry>| is_of_project(e.project_key.as_deref(), project);
        self.entries = parse_queue(texts.get(&keys.queue))
            .into_iter()
            .filter(mine)
            .collect();
        let over = self.entries.len().saturating_sub(options.max_queue_size);
        for entry in self.entries.drain(..over).collect::<Vec<_>>() {
            self.forget_id(&entry.event_id);
        }
    }

    fn identifier(&mut self) -> String {
        if let Some(id) = &self.distinct_id {
            return id.clone();
        }
        let id = rules::uuid();
        self.distinct_id = Some(id.clone());
        self.unsaved_id = Some(false);
        id
    }

    fn may_send(&self, now: Duration) -> bool {
        self.sending.is_none() && !self.resting && self.holds < MOST_HOLDS && now >= self.wait_until
    }

    fn fly(&mut self, batch: &[Arc<Entry>]) {
        self.flying = batch.iter().map(|e| e.event_id.clone()).collect();
    }

    /// Clears queue, identifier and session; a running send is disowned. The stored data has to be
    /// deleted as well, so the next write is attempted even after a failed one.
    fn clear(&mut self) {
        self.unwritable = false;
        self.age += 1;
        let ids: Vec<_> = self.entries.iter().map(|e| e.event_id.clone()).collect();
        self.remove(&ids);
        self.flying.clear();
        self.distinct_id = None;
        self.unsaved_id = None;
        self.unsaved_clear = true;
        self.session = None;
        self.flush_due = None;
    }

    /// Takes entries out by their ids.
    fn remove(&mut self, ids: &[String]) {
        let out: HashSet<&str> = ids.iter().map(String::as_str).collect();
        self.entries.retain(|e| !out.contains(e.event_id.as_str()));
        for id in ids {
            self.forget_id(id);
        }
    }

    /// Another process may still have this entry in the file.
    fn forget_id(&mut self, id: &str) {
        if self.gone.insert(id.to_owned()) {
            self.gone_order.push_back(id.to_owned());
        }
    }
}

/// Whether an entry of a namespace is of a project; it names its own only where projects share one.
fn is_of_project(named: Option<&str>, project: &str) -> bool {
    named.is_none_or(|p| same_project(p, project))
}

fn same_project(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
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
