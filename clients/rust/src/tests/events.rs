//! The event queue: the scenarios of the vectors.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use super::server::Recorder;
use super::vectors::vectors;
use crate::events::rules;
use crate::events::state::parse_queue;
use crate::sync::lock;
use crate::transport::Failure;
use crate::{Analytics, CheckUpdate, Flushed, Storage, SvcClient};

/// A storage in memory that outlives a client.
#[derive(Clone, Default)]
pub(super) struct InMemory(pub Arc<Mutex<BTreeMap<String, String>>>);

impl Storage for InMemory {
    fn read(&self, key: &str) -> io::Result<Option<String>> {
        Ok(lock(&self.0).get(key).cloned())
    }

    fn write(&self, key: &str, value: &str) -> io::Result<()> {
        lock(&self.0).insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn remove(&self, key: &str) -> io::Result<()> {
        lock(&self.0).remove(key);
        Ok(())
    }
}

/// A request that waits for its answer.
struct Hold {
    arrived: mpsc::Sender<()>,
    status: mpsc::Receiver<u16>,
}

/// Script and record of the sender.
#[derive(Default)]
struct Script {
    status: u16,
    retry_after: Option<String>,
    reject: Vec<String>,
    /// Answer to the next request.
    hold: Option<Hold>,
    requests: Vec<Value>,
    sent: Vec<String>,
    sent_by: BTreeMap<String, Vec<String>>,
    unique_sent: Vec<String>,
    event_ids: HashSet<String>,
    identities: HashSet<String>,
    sessions: HashSet<String>,
    batches: usize,
    distinct_id: String,
    properties: Vec<Value>,
    /// Rollout keys of all update checks.
    keys: Vec<String>,
}

/// Status, headers and body.
type Told = (u16, Vec<(String, String)>, Vec<u8>);

/// A request is answered from the script.
fn answer(script: &Mutex<Script>, request: &crate::Request) -> Result<Told, Failure> {
    let body: Value =
        serde_json::from_slice(request.body.as_deref().unwrap_or(b"null")).expect("JSON");
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    if request.url.ends_with("/check-update") {
        lock(script).keys.push(text(&body["rollout_key"]));
        return Ok((200, Vec::new(), b"{}".to_vec()));
    }
    let events = body["events"].as_array().expect("events");
    let names: Vec<String> = events.iter().map(|e| text(&e["name"])).collect();
    let mut state = lock(script);
    let mut status = if names.iter().any(|name| state.reject.contains(name)) {
        400
    } else {
        state.status
    };
    let retry_after = state.retry_after.clone();
    if let Some(hold) = state.hold.take() {
        drop(state);
        hold.arrived.send(()).expect("the scenario waits");
        status = hold.status.recv().expect("the scenario answers");
        state = lock(script);
    }
    let path = request.url.split("/public/").nth(1).unwrap_or("");
    let project = path.split('/').next().unwrap_or("").to_owned();
    state.requests.push(json!([project, names, status]));
    if status == 0 {
        return Err(Failure::Connect);
    }
    if status < 300 {
        for event in events {
            state.properties.push(event["properties"].clone());
            if state.event_ids.insert(text(&event["event_id"])) {
                state.unique_sent.push(text(&event["name"]));
            }
        }
        state.sent.extend(names.iter().cloned());
        state.sent_by.entry(project).or_default().extend(names);
        state.batches += 1;
        state.identities.insert(text(&body["distinct_id"]));
        state.sessions.insert(text(&body["session_id"]));
        state.distinct_id = text(&body["distinct_id"]);
    }
    let wait = retry_after.map(|seconds| ("Retry-After".to_owned(), seconds));
    let accepted = br#"{"accepted":0,"skipped":0,"suppressed":false}"#;
    Ok((status, wait.into_iter().collect(), accepted.to_vec()))
}

/// A flush in progress. Its first request waits for an answer.
struct Held {
    status: mpsc::Sender<u16>,
    flush: JoinHandle<Flushed>,
}

/// A scenario that is played.
#[derive(Default)]
struct Scenario {
    options: Value,
    storage: InMemory,
    script: Arc<Mutex<Script>>,
    dropped: Arc<Mutex<Vec<String>>>,
    clients: BTreeMap<String, SvcClient>,
    current: String,
    flushed: Flushed,
    held: Option<Held>,
}

const BASE: &str = "https://svc.example.com/api/v1";
const PROJECT: &str = "alpha";

fn names(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Scenario {
    fn new(options: &Value) -> Scenario {
        let scenario = Scenario {
            options: options.clone(),
            current: "one".to_owned(),
            ..Scenario::default()
        };
        lock(&scenario.script).status = 202;
        scenario
    }

    /// The current client, made at its first mention.
    fn client(&mut self) -> SvcClient {
        if let Some(client) = self.clients.get(&self.current) {
            return client.clone();
        }
        let mut builder = SvcClient::builder(BASE);
        let mut analytics = Analytics::new().storage(self.storage.clone());
        for (name, value) in self.options.as_object().into_iter().flatten() {
            let number = value.as_u64().unwrap_or(0) as usize;
            let flag = value.as_bool().unwrap_or(false);
            let seconds = Duration::from_secs_f64(value.as_f64().unwrap_or(0.0));
            let text = value.as_str().unwrap_or("");
            analytics = match name.as_str() {
                "enabled" => analytics.enabled(flag),
                "require_consent" => analytics.require_consent(flag),
                "batch_size" => analytics.batch_size(number),
                "max_queue_size" => analytics.max_queue_size(number),
                "flush_interval" => analytics.flush_interval(seconds),
                "session_timeout" => analytics.session_timeout(seconds),
                "namespace" => analytics.namespace(text),
                "persistence" => analytics.persistence(text.parse().expect("a mode")),
                "app_version" => {
                    builder = builder.app_version(text);
                    analytics
                }
                "rollout_key" => {
                    builder = builder.rollout_key(text);
                    analytics
                }
                other => panic!("unknown option {other}"),
            };
        }
        let dropped = self.dropped.clone();
        analytics = analytics.on_drop(move |name, _| lock(&dropped).push(name.to_owned()));
        let script = self.script.clone();
        let client = builder
            .project_key(PROJECT)
            .transport(Recorder::new(move |request| answer(&script, request)))
            .fake_clock()
            .analytics(analytics)
            .build()
            .expect("a client");
        self.clients.insert(self.current.clone(), client.clone());
        client
    }

    /// Ends all processes after their last write.
    fn end(&mut self) {
        for client in std::mem::take(&mut self.clients).into_values() {
            let core = &client.0.core;
            core.events.end(core);
        }
    }

    fn step(&mut self, step: &Value) -> Result<(), String> {
        let argument = &step[1];
        let text = argument.as_str().unwrap_or("");
        match step[0].as_str().unwrap_or("") {
            "track" => self.client().public().track(text, &step[2]),
            "check" => {
                let check = CheckUpdate::new().current_version("1");
                // The answer is not one of the service.
                let _ = self.client().public().check_update(&check);
            }
            "flush" => self.flushed = self.client().public().flush(),
            "send" => {
                let (arrived, arrival) = mpsc::channel();
                let (answer, status) = mpsc::channel();
                lock(&self.script).hold = Some(Hold { arrived, status });
                let public = self.client().public();
                self.held = Some(Held {
                    status: answer,
                    flush: thread::spawn(move || public.flush()),
                });
                arrival.recv().map_err(|e| e.to_string())?;
            }
            "done" => {
                let held = self.held.take().ok_or("nothing was sent")?;
                let status = argument.as_u64().unwrap_or(0) as u16;
                held.status.send(status).map_err(|e| e.to_string())?;
                self.flushed = held.flush.join().map_err(|_| "the flush panicked")?;
            }
            "opt_out" => self.client().public().opt_out(),
            "opt_in" => self.client().public().opt_in(),
            "grant_consent" => self.client().public().grant_consent(),
            "revoke_consent" => self.client().public().revoke_consent(),
            "reset_identity" => self.client().public().reset_identity(),
            "advance" => {
                let seconds = argument.as_f64().unwrap_or(0.0);
                self.client().0.core.clock.advance(seconds, seconds);
            }
            "answer" => {
                let mut script = lock(&self.script);
                script.status = argument.as_u64().unwrap_or(0) as u16;
                script.retry_after = step[2].as_u64().map(|seconds| seconds.to_string());
            }
            "reject" => lock(&self.script).reject = names(argument),
            "restart" => self.end(),
            "bind" => self.client().set_project_key(text),
            "client" => {
                // The one that is left has written what it had to.
                let core = self.client().0.core.clone();
                core.events.save_now(&core);
                self.current = text.to_owned();
                self.client();
            }
            "store" => {
                let key = format!("{}{text}", self.prefix(PROJECT));
                let value = step[2].as_str().unwrap_or("").to_owned();
                lock(&self.storage.0).insert(key, value);
            }
            "expect" => return self.expect(argument),
            other => return Err(format!("unknown step {other}")),
        }
        if self.held.is_none() {
            self.clients.values().for_each(|c| c.0.core.events.settle());
        }
        Ok(())
    }

    /// Prefix of the keys of a project.
    fn prefix(&self, project: &str) -> String {
        let namespace = match self.options["namespace"].as_str() {
            Some(namespace) => namespace.to_owned(),
            None => rules::namespace(BASE, Some(project)),
        };
        format!("svc.analytics.{namespace}.")
    }

    fn expect(&mut self, wanted: &Value) -> Result<(), String> {
        let client = self.client();
        // Makes sure that the queue of the bound project is there.
        client.public().has_opted_out();
        for client in self.clients.values() {
            client.0.core.events.save_now(&client.0.core);
        }
        let core = &client.0.core;
        let prefix = self.prefix(&client.project_key().unwrap_or_default());
        let texts = lock(&self.storage.0).clone();
        let stored: Vec<&str> = texts
            .keys()
            .filter_map(|key| key.strip_prefix(&prefix))
            .collect();
        let stored_queue = parse_queue(texts.get(&format!("{prefix}queue")));
        let mut stored_queue: Vec<&str> = stored_queue.iter().map(|e| e.name.as_str()).collect();
        stored_queue.sort();
        let script = lock(&self.script);
        let version = script.distinct_id.as_bytes().get(14);
        let got = json!({
            "active": core.events.is_active(core),
            "opted_out": client.public().has_opted_out(),
            "pending": core.events.pending(),
            "stored": stored,
            "stored_queue": stored_queue,
            "storage_keys": texts.keys().collect::<Vec<_>>(),
            "requests": script.requests,
            "sent": script.sent,
            "sent_by": script.sent_by,
            "unique_sent": script.unique_sent,
            "dropped": *lock(&self.dropped),
            "flush": {
                "sent": self.flushed.sent,
                "dropped": self.flushed.dropped,
                "pending": self.flushed.pending,
            },
            "identities": script.identities.len(),
            "sessions": script.sessions.len(),
            "batches": script.batches,
            "distinct_id": script.distinct_id,
            "properties": script.properties,
            "rollout_keys": script.keys.iter().collect::<HashSet<_>>().len(),
            "rollout_key": script.keys.last(),
            "rollout_key_is_number": script.keys.last().is_some_and(|k| rules::is_rollout_key(k)),
            "distinct_id_is_uuid": script.distinct_id.len() == 36 && version == Some(&b'4'),
        });
        for (name, value) in wanted.as_object().expect("an object") {
            if got.get(name) != Some(value) {
                return Err(format!("{name} is {}, want {value}", got[name]));
            }
        }
        Ok(())
    }
}

/// Plays a section and names all scenarios that fail.
fn play(section: &str) {
    let mut failed = Vec::new();
    for scenario in vectors()[section].as_array().expect("scenarios") {
        // Privacy signals are a matter of browsers.
        if scenario["options"].get("dnt").is_some() {
            continue;
        }
        let mut run = Scenario::new(&scenario["options"]);
        let steps = scenario["steps"].as_array().expect("steps").iter();
        for (i, step) in steps.enumerate() {
            if let Err(e) = run.step(step) {
                failed.push(format!("{}: step {i} {step}: {e}", scenario["name"]));
                break;
            }
        }
        run.end();
    }
    assert!(failed.is_empty(), "{section}:\n{}", failed.join("\n"));
}

#[test]
fn scenarios() {
    play("scenarios");
}

#[test]
fn queue_scenarios() {
    play("queue_scenarios");
}

fn open_on(folder: &super::helpers::Folder, transport: &Recorder) -> SvcClient {
    let mut analytics = Analytics::new().flush_interval(std::time::Duration::from_secs(3600));
    analytics.directory = Some(folder.0.clone());
    SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("acme")
        .transport(transport.clone())
        .analytics(analytics)
        .build()
        .expect("a client")
}

const FILE: &str = "454ea31f-acme.json";

fn stored(folder: &super::helpers::Folder) -> Value {
    let text = std::fs::read_to_string(folder.0.join(FILE)).expect("the state file");
    let state: Value = serde_json::from_str(&text).expect("JSON");
    let queue = state["svc.analytics.454ea31f-acme.queue"]
        .as_str()
        .unwrap_or("[]");
    serde_json::from_str(queue).expect("JSON")
}

fn save(client: &SvcClient) {
    client.0.core.events.settle();
    client.0.core.events.save_now(&client.0.core);
}

#[test]
fn many_threads_lose_nothing() {
    const THREADS: usize = 8;
    const EACH: usize = 500;
    let delivered: Arc<Mutex<Vec<String>>> = Arc::default();
    let dropped: Arc<Mutex<usize>> = Arc::default();
    let (log, drops) = (delivered.clone(), dropped.clone());
    let transport = Recorder::new(move |request| {
        let body: Value =
            serde_json::from_slice(request.body.as_deref().unwrap_or(b"null")).expect("JSON");
        let chance = crate::events::rules::uuid().as_bytes()[0] % 4;
        let status = [202, 503, 202, 400][usize::from(chance)];
        if status == 202 {
            let ids = body["events"]
                .as_array()
                .expect("events")
                .iter()
                .map(|e| e["event_id"].to_string());
            lock(&log).extend(ids);
        }
        Ok((status, Vec::new(), b"{}".to_vec()))
    });
    let analytics = Analytics::new()
        .persistence(crate::Persistence::None)
        .max_queue_size(1_000)
        .flush_interval(std::time::Duration::from_millis(1))
        .on_drop(move |_, _| *lock(&drops) += 1);
    let client = SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("acme")
        .transport(transport)
        .analytics(analytics)
        .build()
        .expect("a client");
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let public = client.public();
            scope.spawn(move || (0..EACH).for_each(|i| public.track("load", json!({"i": i}))));
        }
    });
    while client.public().flush().pending > 0 {}
    let delivered = lock(&delivered);
    let distinct: HashSet<_> = delivered.iter().collect();
    assert_eq!(
        distinct.len(),
        delivered.len(),
        "an event was delivered twice"
    );
    assert_eq!(delivered.len() + *lock(&dropped), THREADS * EACH);
}

#[test]
fn track_does_not_wait_for_a_send() {
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = Mutex::new(blocked);
    let transport = Recorder::new(move |_| {
        let _ = lock(&blocked).recv();
        Err(Failure::Connect)
    });
    let folder = super::helpers::Folder::new();
    let public = open_on(&folder, &transport).public();
    for i in 0..2_000 {
        public.track("slow", json!({"i": i}));
    }
    drop(release); // until here no send has ended
}

#[cfg(unix)]
#[test]
fn state_is_private() {
    use std::os::unix::fs::PermissionsExt;

    let folder = super::helpers::Folder::new();
    let inner = super::helpers::Folder(folder.0.join("svc-sdk"));
    let client = open_on(&inner, &Recorder::always(503, "{}"));
    assert!(
        !inner.0.exists(),
        "nothing is written before the first event"
    );
    client.public().track("a", ());
    save(&client);
    let mode =
        |path: &std::path::Path| path.metadata().expect("metadata").permissions().mode() & 0o777;
    assert_eq!((mode(&inner.0), mode(&inner.0.join(FILE))), (0o700, 0o600));
    assert_eq!(inner.names(), [FILE], "no temporary file stays");
}

#[test]
fn clients_on_one_file_are_merged() {
    let folder = super::helpers::Folder::new();
    let (down, up) = (Recorder::always(503, "{}"), Recorder::always(202, "{}"));
    let (one, two) = (open_on(&folder, &down), open_on(&folder, &up));
    let names = || -> Vec<String> {
        let queue = stored(&folder);
        queue
            .as_array()
            .expect("a list")
            .iter()
            .map(|e| e["name"].to_string())
            .collect()
    };
    assert!(
        !two.public().has_opted_out(),
        "reads before the other writes"
    );
    one.public().track("one", ());
    save(&one);
    two.public().track("two", ());
    save(&two);
    assert_eq!(names(), [r#""one""#, r#""two""#]);
    assert_eq!(one.public().distinct_id(), two.public().distinct_id());
    two.public().flush();
    assert_eq!(names(), [r#""one""#], "only what was delivered is gone");
    two.public().opt_out();
    one.public().track("late", ());
    save(&one);
    assert!(
        one.public().has_opted_out(),
        "the marker of the other client counts"
    );
    assert!(one.0.core.events.pending().is_empty());
}

#[test]
fn garbage_in_the_file_is_ignored() {
    let folder = super::helpers::Folder::new();
    let sound = r#"{"distinct_id":"x","event_id":"e","name":"kept","occurred_at":1}"#;
    let queue = format!(
        r#"[{sound},7,{{"name":"half"}},{{"distinct_id":"x","event_id":"f","name":"NO","occurred_at":1}}]"#
    );
    let part = json!({
        "svc.analytics.454ea31f-acme.queue": queue,
        "svc.analytics.454ea31f-acme.distinct_id": "bad\nidentifier",
    });
    let mixed = json!({
        "svc.analytics.454ea31f-acme.queue": part["svc.analytics.454ea31f-acme.queue"],
        "svc.analytics.454ea31f-acme.distinct_id": {"no": "text"},
        "other": 7,
    });
    for (text, kept) in [
        ("not JSON", 0),
        ("[1]", 0),
        (r#"{"a":1}"#, 0),
        (part.to_string().as_str(), 1),
        (mixed.to_string().as_str(), 1),
    ] {
        std::fs::write(folder.0.join(FILE), text).expect("a file");
        let client = open_on(&folder, &Recorder::always(503, "{}"));
        client.public().track("new", ());
        save(&client);
        assert_eq!(
            stored(&folder).as_array().map(Vec::len),
            Some(kept + 1),
            "{text}"
        );
        let id = client.public().distinct_id().expect("an identifier");
        assert!(crate::events::rules::is_identifier(&id));
    }
}

#[test]
fn unwritable_storage_means_memory() {
    let folder = super::helpers::Folder::new();
    let file = folder.0.join("not-a-folder");
    std::fs::write(&file, "").expect("a file");
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = notes.clone();
    let mut analytics = Analytics::new();
    analytics.directory = Some(file);
    let client = SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("acme")
        .transport(Recorder::always(202, "{}"))
        .analytics(analytics)
        .log_fn(move |a| lock(&log).push(a.message.to_owned()))
        .build()
        .expect("a client");
    client.public().track("a", ());
    save(&client);
    client.public().track("b", ());
    assert_eq!(client.public().flush().sent, 2);
    let about_state = |n: &&String| n.contains("local state");
    assert_eq!(lock(&notes).iter().filter(about_state).count(), 1);
}

#[test]
fn a_crash_before_the_rename_leaves_the_old_content() {
    let folder = super::helpers::Folder::new();
    let client = open_on(&folder, &Recorder::always(503, "{}"));
    client.public().track("a", ());
    save(&client);
    let before = std::fs::read(folder.0.join(FILE)).expect("the file");
    // A killed process leaves a temporary file beside the old one.
    std::fs::write(folder.0.join(format!("{FILE}.killed.tmp")), "{\"half").expect("a file");
    assert_eq!(
        std::fs::read(folder.0.join(FILE)).expect("the file"),
        before
    );
    let again = open_on(&folder, &Recorder::always(202, "{}"));
    assert_eq!(again.public().flush().sent, 1);
}

#[test]
fn events_do_not_reach_another_project() {
    let transport = Recorder::always(503, "{}");
    let folder = super::helpers::Folder::new();
    let client = open_on(&folder, &transport);
    client.public().track("mine", ());
    client.set_project_key("other");
    client.public().track("theirs", ());
    assert_eq!(client.0.core.events.pending(), ["theirs"]);
    client.set_project_key("acme");
    assert!(!client.public().has_opted_out());
    assert_eq!(client.0.core.events.pending(), ["mine"]);
    client.public().flush();
    let urls: Vec<_> = transport.taken().into_iter().map(|r| r.url).collect();
    assert!(
        urls.iter().all(|u| u.ends_with("/public/acme/events")),
        "{urls:?}"
    );
}

#[test]
fn a_project_key_in_another_case_is_the_same_project() {
    let storage = InMemory::default();
    let entry = |id: &str, project: &str| {
        json!({
            "distinct_id": "x", "event_id": id, "name": id, "occurred_at": 1,
            "project_key": project,
        })
    };
    let queue = json!([entry("ours", "ACME"), entry("theirs", "other")]);
    lock(&storage.0).insert("svc.analytics.tool.queue".to_owned(), queue.to_string());
    let client = SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("acme")
        .transport(Recorder::always(202, "{}"))
        .analytics(Analytics::new().storage(storage).namespace("tool"))
        .build()
        .expect("a client");
    assert!(!client.public().has_opted_out());
    assert_eq!(client.0.core.events.pending(), ["ours"]);
}

#[test]
fn binding_again_ends_a_stop() {
    let transport = Recorder::always(404, "{}");
    let client = SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("acme")
        .transport(transport.clone())
        .fake_clock()
        .analytics(Analytics::new().storage(InMemory::default()).batch_size(1))
        .build()
        .expect("a client");
    for wait in [61.0, 61.0, 0.0] {
        client.public().track("refused", ());
        client.0.core.events.settle();
        client.0.core.clock.advance(wait, wait);
    }
    assert_eq!(transport.taken().len(), 3);
    client.public().track("stopped", ());
    client.0.core.events.settle();
    assert!(transport.taken().is_empty());
    client.set_project_key("other");
    assert!(!client.public().has_opted_out());
    client.set_project_key("acme");
    client.public().track("again", ());
    client.0.core.events.settle();
    assert_eq!(transport.taken().len(), 1);
}

#[test]
fn dropping_the_last_handle_sends() {
    let transport = Recorder::always(202, "{}");
    let folder = super::helpers::Folder::new();
    let client = open_on(&folder, &transport);
    client.public().track("a", ());
    let clone = client.clone();
    drop(client);
    assert!(transport.taken().is_empty());
    drop(clone);
    assert_eq!(transport.taken().len(), 1);
}
