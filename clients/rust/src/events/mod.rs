//! Collecting events: options, consent, and one queue for each project that
//! the client was bound to.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::core::Core;
use crate::error::{Error, Result};
use crate::request::Answer;
use crate::settings::Settings;
use crate::sync::lock;

pub(crate) mod feedback;
mod methods;
pub(crate) mod queue;
pub(crate) mod rules;
pub(crate) mod state;

use feedback::Sent;
use queue::Queue;
use state::Place;

/// The data of event collection that stays on the device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Persistence {
    /// Events, identifier and opt-out.
    #[default]
    Persistent,
    /// Only an opt-out.
    Session,
    /// Nothing at all.
    None,
}

impl std::str::FromStr for Persistence {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "persistent" | "device" => Ok(Persistence::Persistent),
            "session" => Ok(Persistence::Session),
            "none" => Ok(Persistence::None),
            _ => Err(Error::invalid(
                "persistence must be persistent, device, session or none",
            )),
        }
    }
}

/// A place for local state: texts under keys.
pub trait Storage: Send + Sync {
    /// The text under `key`.
    fn read(&self, key: &str) -> std::io::Result<Option<String>>;
    /// Puts a text under `key`.
    fn write(&self, key: &str, value: &str) -> std::io::Result<()>;
    /// Takes `key` away, if it is there.
    fn remove(&self, key: &str) -> std::io::Result<()>;
}

/// Events of one request at most.
pub(crate) const MOST_EVENTS: usize = 50;

type DropFn = dyn Fn(&str, &str) + Send + Sync;

/// Options of event collection.
#[derive(Clone)]
pub struct Analytics {
    pub(crate) enabled: bool,
    pub(crate) require_consent: bool,
    pub(crate) persistence: Persistence,
    pub(crate) flush_interval: Duration,
    pub(crate) batch_size: usize,
    pub(crate) max_queue_size: usize,
    pub(crate) session_timeout: Duration,
    pub(crate) namespace: Option<String>,
    pub(crate) storage: Option<Arc<dyn Storage>>,
    pub(crate) on_drop: Option<Arc<DropFn>>,
    #[cfg(test)]
    pub(crate) directory: Option<std::path::PathBuf>,
}

impl Default for Analytics {
    fn default() -> Self {
        Analytics {
            enabled: true,
            require_consent: false,
            persistence: Persistence::Persistent,
            flush_interval: Duration::from_secs(5),
            batch_size: 20,
            max_queue_size: 500,
            session_timeout: Duration::from_secs(30 * 60),
            namespace: None,
            storage: None,
            on_drop: None,
            #[cfg(test)]
            directory: None,
        }
    }
}

impl Analytics {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether events are collected at all; true unless set.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Collects nothing until consent is granted; false unless set.
    pub fn require_consent(mut self, required: bool) -> Self {
        self.require_consent = required;
        self
    }

    /// The data that stays on the device.
    pub fn persistence(mut self, persistence: Persistence) -> Self {
        self.persistence = persistence;
        self
    }

    /// How long an event waits at most; 5 s unless set.
    pub fn flush_interval(mut self, interval: Duration) -> Self {
        self.flush_interval = interval;
        self
    }

    /// Events of one request, 1 to 50; 20 unless set.
    pub fn batch_size(mut self, size: usize) -> Self {
        self.batch_size = size;
        self
    }

    /// Events that are kept; above it the oldest go. 500 unless set.
    pub fn max_queue_size(mut self, size: usize) -> Self {
        self.max_queue_size = size;
        self
    }

    /// Idle time after which a new session begins; 30 min unless set.
    pub fn session_timeout(mut self, timeout: Duration) -> Self {
        self.session_timeout = timeout;
        self
    }

    /// Name of the local state, for applications that share a project but
    /// must not share an identifier.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Keeps local state in a place of the application's.
    pub fn storage(mut self, storage: impl Storage + 'static) -> Self {
        self.storage = Some(Arc::new(storage));
        self
    }

    /// Called with the name of each dropped event and the reason.
    pub fn on_drop(mut self, hook: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.on_drop = Some(Arc::new(hook));
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        for (name, wrong) in [
            ("flush_interval", self.flush_interval.is_zero()),
            ("batch_size", self.batch_size == 0),
            ("max_queue_size", self.max_queue_size == 0),
            ("session_timeout", self.session_timeout.is_zero()),
        ] {
            if wrong {
                return Err(Error::invalid(format!("{name} must be more than 0")));
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Analytics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analytics")
            .field("enabled", &self.enabled)
            .field("require_consent", &self.require_consent)
            .field("persistence", &self.persistence)
            .finish_non_exhaustive()
    }
}

/// Calls the drop hook. A panic in it must not end a thread of the library.
fn tell(hook: &Arc<DropFn>, name: &str, reason: &str) {
    let call = std::panic::AssertUnwindSafe(|| hook(name, reason));
    let _ = std::panic::catch_unwind(call);
}

/// Result of a flush.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flushed {
    /// Events that the server took.
    pub sent: usize,
    /// Dropped events.
    pub dropped: usize,
    /// Events that are left.
    pub pending: usize,
}

/// All queues of a client.
pub(crate) struct Events {
    options: Analytics,
    state: Mutex<State>,
    /// By namespace, with whether the key is the one on the device.
    rollout_keys: Mutex<HashMap<String, (String, bool)>>,
}

#[derive(Default)]
struct State {
    granted: bool,
    closed: bool,
    /// By namespace and project.
    queues: HashMap<(String, String), Arc<Queue>>,
    bound: Option<Arc<Queue>>,
    bad_names: HashSet<String>,
}

impl Events {
    pub(crate) fn new(mut options: Analytics) -> Self {
        options.batch_size = options.batch_size.min(MOST_EVENTS);
        Events {
            options,
            state: Mutex::default(),
            rollout_keys: Mutex::default(),
        }
    }

    fn allowed(&self) -> bool {
        self.options.enabled && self.consented()
    }

    /// Whether the user has agreed, or need not.
    fn consented(&self) -> bool {
        !self.options.require_consent || lock(&self.state).granted
    }

    /// Returns the queue of the bound project. The queue of another project
    /// stops, and tries once more to send the events that it may not store.
    pub(crate) fn queue(&self, core: &Arc<Core>) -> Option<Arc<Queue>> {
        let settings = core.settings();
        let project = settings.project_key.as_deref();
        let mut state = lock(&self.state);
        if state.closed {
            return None;
        }
        if let Some(bound) = state.bound.as_ref().filter(|q| q.is_of(project)) {
            return Some(bound.clone());
        }
        let left = state.bound.take();
        let taken = project.map(|project| {
            let queue = self.open(&mut state, &settings.base_url, project);
            state.bound = Some(queue.clone());
            queue
        });
        drop(state);
        if let Some(left) = left {
            left.let_go(core);
        }
        if let Some(queue) = &taken {
            queue.take_up();
        }
        taken
    }

    /// Another project may be bound now: the queue of the one before stops. It
    /// is taken up again, with all that ends by that, when its project is.
    pub(crate) fn rebind(&self, core: &Arc<Core>) {
        let settings = core.settings();
        let mut state = lock(&self.state);
        let left = match &state.bound {
            Some(bound) if !bound.is_of(settings.project_key.as_deref()) => state.bound.take(),
            _ => None,
        };
        drop(state);
        if let Some(left) = left {
            left.let_go(core);
        }
    }

    /// The queue of a project, read from where it is kept when it is new.
    fn open(&self, state: &mut State, base_url: &str, project: &str) -> Arc<Queue> {
        let (namespace, shared) = match &self.options.namespace {
            Some(namespace) => (namespace.clone(), true),
            None => (rules::namespace(base_url, Some(project)), false),
        };
        let key = (namespace, project.trim().to_ascii_lowercase());
        if let Some(queue) = state.queues.get(&key) {
            return queue.clone();
        }
        let place = Place::of_events(&self.options, &key.0);
        let queue = Queue::new(&self.options, project, shared, place, &key.0);
        state.queues.insert(key, queue.clone());
        queue
    }

    pub(crate) fn track(&self, core: &Arc<Core>, name: &str, properties: impl Serialize) {
        if !self.allowed() {
            return;
        }
        let Some(queue) = self.queue(core) else {
            return;
        };
        if queue.opted_out() {
            return;
        }
        let Some(event) = rules::event_name(name) else {
            return self.refuse(core, name);
        };
        let settings = core.settings();
        let version = settings.app_version.as_deref().filter(|v| !v.is_empty());
        match rules::properties(properties, version) {
            Ok(properties) => queue.track(core, event, properties),
            Err(reason) => queue.report_drop(&event, reason),
        }
    }

    /// Drops an event with an invalid name, and logs that once for each name.
    fn refuse(&self, core: &Core, name: &str) {
        const MOST_NAMES: usize = 100;
        const REASON: &str = "name is not valid";
        let mut state = lock(&self.state);
        let new = state.bad_names.len() < MOST_NAMES && state.bad_names.insert(name.to_owned());
        drop(state);
        if new {
            core.note("an event was dropped because its name is not valid");
        }
        if let Some(hook) = &self.options.on_drop {
            tell(hook, name, REASON);
        }
    }

    pub(crate) fn flush(&self, core: &Arc<Core>, limit: Option<Duration>) -> Flushed {
        match self.queue(core) {
            Some(queue) if self.allowed() => queue.flush(core, limit.map(|l| Instant::now() + l)),
            _ => Flushed::default(),
        }
    }

    /// Keeps the feedback of an answer, so that its reply can be asked for.
    pub(crate) fn keep_feedback(&self, queue: &Queue, answer: &Answer) {
        if let Some(sent) = Sent::of(answer) {
            queue.keep_feedback(sent, || self.allowed());
        }
    }

    /// Forgets feedback that was deleted.
    pub(crate) fn forget_feedback(&self, queue: &Queue, id: &str) {
        queue.forget_feedback(id, || self.allowed());
    }

    /// Feedback of the queue's project that was kept, the oldest first. None while collection is off.
    pub(crate) fn sent_feedback(&self, queue: &Queue) -> Vec<Sent> {
        match self.allowed() && !queue.opted_out() {
            true => queue.sent_feedback(),
            false => Vec::new(),
        }
    }

    pub(crate) fn opt_out(&self, core: &Arc<Core>) {
        if let Some(queue) = self.queue(core) {
            queue.opt_out(core);
        }
    }

    pub(crate) fn opt_in(&self, core: &Arc<Core>) {
        if let Some(queue) = self.queue(core) {
            queue.opt_in(core);
        }
    }

    pub(crate) fn has_opted_out(&self, core: &Arc<Core>) -> bool {
        self.queue(core).is_some_and(|q| q.opted_out())
    }

    pub(crate) fn grant_consent(&self) {
        lock(&self.state).granted = true;
    }

    pub(crate) fn revoke_consent(&self, core: &Arc<Core>) {
        if !self.options.require_consent {
            return self.opt_out(core);
        }
        // The queue of the bound project may not have been used in this run;
        // what an earlier one left has to go as well.
        self.queue(core);
        let mut state = lock(&self.state);
        state.granted = false;
        let queues: Vec<_> = state.queues.values().cloned().collect();
        drop(state);
        for queue in queues {
            queue.forget(core);
        }
    }

    pub(crate) fn reset_identity(&self, core: &Arc<Core>) {
        if let Some(queue) = self.active(core) {
            queue.reset_identity(core);
        }
    }

    fn active(&self, core: &Arc<Core>) -> Option<Arc<Queue>> {
        let queue = self.allowed().then(|| self.queue(core)).flatten()?;
        (!queue.opted_out()).then_some(queue)
    }

    /// Whether an event would be collected now.
    #[cfg(test)]
    pub(crate) fn is_active(&self, core: &Arc<Core>) -> bool {
        self.active(core).is_some()
    }

    pub(crate) fn distinct_id(&self, core: &Arc<Core>) -> Option<String> {
        Some(self.active(core)?.distinct_id(core))
    }

    /// The given identifier, or the current one if there is any.
    pub(crate) fn subject(&self, core: &Arc<Core>, given: Option<&str>) -> Result<String> {
        if let Some(given) = given.filter(|g| !g.is_empty()) {
            return Ok(given.to_owned());
        }
        self.active(core)
            .and_then(|queue| queue.current_id())
            .ok_or_else(|| Error::invalid("there is no distinct_id: give one"))
    }

    /// Drops the waiting events of an identifier.
    pub(crate) fn erase(&self, core: &Arc<Core>, distinct_id: &str) {
        if let Some(queue) = self.queue(core) {
            queue.erase(core, distinct_id);
        }
    }

    /// Sends and saves what is left, then ends all queues.
    pub(crate) fn close(&self, core: &Arc<Core>, limit: Duration) {
        let end = Instant::now() + limit;
        let mut state = lock(&self.state);
        state.closed = true;
        let bound = state.bound.take();
        let queues: Vec<_> = state.queues.values().cloned().collect();
        drop(state);
        if let Some(queue) = bound.filter(|_| self.allowed()) {
            queue.flush(core, Some(end));
        }
        for queue in queues {
            queue.end(core);
        }
    }

    /// Ends all queues like the process after its last write: nothing is sent.
    #[cfg(test)]
    pub(crate) fn end(&self, core: &Core) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.bound = None;
        let queues: Vec<_> = state.queues.values().cloned().collect();
        drop(state);
        for queue in queues {
            queue.end(core);
        }
    }

    /// Waits until no send runs and none is due because of a full batch.
    #[cfg(test)]
    pub(crate) fn settle(&self) {
        let queues: Vec<_> = lock(&self.state).queues.values().cloned().collect();
        for queue in queues {
            queue.settle();
        }
    }

    /// Does the work of the save at the end of a second.
    #[cfg(test)]
    pub(crate) fn save_now(&self, core: &Arc<Core>) {
        let queues: Vec<_> = lock(&self.state).queues.values().cloned().collect();
        for queue in queues {
            queue.save(core);
        }
    }

    #[cfg(test)]
    pub(crate) fn pending(&self) -> Vec<String> {
        let bound = lock(&self.state).bound.clone();
        bound.map(|q| q.pending()).unwrap_or_default()
    }

    /// Where the update helper keeps its memory, beside the events.
    pub(crate) fn updates_place(&self, base_url: &str, project: Option<&str>) -> (Place, String) {
        let namespace = self.namespace(base_url, project);
        let place = Place::of_updates(&self.options, &namespace);
        (place, format!("svc.updates.{namespace}.last"))
    }

    fn namespace(&self, base_url: &str, project: Option<&str>) -> String {
        match &self.options.namespace {
            Some(namespace) => namespace.clone(),
            None => rules::namespace(base_url, project),
        }
    }

    /// The key with which the application takes part in rollouts of the bound
    /// project: a random number from 0 to 9999. It is stored beside the
    /// identifier, but an opt-out does not remove it, because it identifies
    /// nobody. Without a consent that is required, it stays in memory.
    pub(crate) fn rollout_key(&self, settings: &Settings) -> String {
        let namespace = self.namespace(&settings.base_url, settings.project_key.as_deref());
        let consented = self.consented();
        let mut known = lock(&self.rollout_keys);
        let (fresh, stored) = known.remove(&namespace).unwrap_or_else(|| {
            let number = getrandom::u32().unwrap_or(0) % 10_000;
            (number.to_string(), false)
        });
        if stored || !consented || self.options.persistence != Persistence::Persistent {
            known.insert(namespace, (fresh.clone(), stored));
            return fresh;
        }
        let place = Place::of_events(&self.options, &namespace);
        let keys = [format!("svc.analytics.{namespace}.rollout_key")];
        // If the key cannot be written, it stays in memory.
        let (key, _) = place.update(&keys, |texts| {
            match texts.get(&keys[0]).filter(|t| rules::is_rollout_key(t)) {
                Some(kept) => kept.clone(),
                None => {
                    texts.insert(keys[0].clone(), fresh.clone());
                    fresh
                }
            }
        });
        known.insert(namespace, (key.clone(), true));
        key
    }
}
