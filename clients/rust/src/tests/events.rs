//! The event queue: the scenarios of the vectors.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::server::Recorder;
use super::vectors::vectors;
use crate::sync::lock;
use crate::transport::Failure;
use crate::{Analytics, Storage, SvcClient};

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

/// What the scripted sender does and saw.
#[derive(Default)]
struct Script {
    status: u16,
    reject: Vec<String>,
    sent: Vec<String>,
    identities: HashSet<String>,
    sessions: HashSet<String>,
    batches: usize,
}

struct Scenario {
    options: Value,
    storage: InMemory,
    script: Arc<Mutex<Script>>,
    dropped: Arc<Mutex<Vec<String>>>,
    client: SvcClient,
}

fn names(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Scenario {
    fn open(
        options: &Value,
        storage: &InMemory,
        script: &Arc<Mutex<Script>>,
        dropped: &Arc<Mutex<Vec<String>>>,
    ) -> SvcClient {
        let mut analytics = Analytics::new().storage(storage.clone());
        for (name, value) in options.as_object().into_iter().flatten() {
            let number = value.as_u64().unwrap_or(0) as usize;
            let flag = value.as_bool().unwrap_or(false);
            analytics = match name.as_str() {
                "enabled" => analytics.enabled(flag),
                "require_consent" => analytics.require_consent(flag),
                "batch_size" => analytics.batch_size(number),
                "max_queue_size" => analytics.max_queue_size(number),
                "persistence" => {
                    analytics.persistence(value.as_str().unwrap_or("").parse().expect("a mode"))
                }
                other => panic!("unknown option {other}"),
            };
        }
        // Timers do not fire in scenarios.
        analytics = analytics.flush_interval(std::time::Duration::from_secs(3600));
        let names = dropped.clone();
        analytics = analytics.on_drop(move |name, _| lock(&names).push(name.to_owned()));
        let script = script.clone();
        let transport = Recorder::new(move |request| {
            let body: Value =
                serde_json::from_slice(request.body.as_deref().unwrap_or(b"null")).expect("JSON");
            let mut script = lock(&script);
            let events: Vec<String> = body["events"]
                .as_array()
                .expect("events")
                .iter()
                .map(|e| e["name"].as_str().unwrap_or("").to_owned())
                .collect();
            let status = if events.iter().any(|e| script.reject.contains(e)) {
                400
            } else {
                script.status
            };
            if status == 0 {
                return Err(Failure::Connect);
            }
            if status < 300 {
                script.sent.extend(events);
                script.batches += 1;
                script.identities.insert(body["distinct_id"].to_string());
                script.sessions.insert(body["session_id"].to_string());
            }
            Ok((
                status,
                Vec::new(),
                br#"{"accepted":0,"skipped":0,"suppressed":false}"#.to_vec(),
            ))
        });
        SvcClient::builder("https://svc.example.com/api/v1")
            .project_key("acme")
            .transport(transport)
            .fake_clock()
            .analytics(analytics)
            .build()
            .expect("a client")
    }

    fn step(&mut self, step: &Value) -> Result<(), String> {
        let argument = &step[1];
        let public = self.client.public();
        match step[0].as_str().unwrap_or("") {
            "track" => public.track(argument.as_str().unwrap_or(""), ()),
            "flush" => {
                public.flush();
            }
            "opt_out" => public.opt_out(),
            "opt_in" => public.opt_in(),
            "grant_consent" => public.grant_consent(),
            "revoke_consent" => public.revoke_consent(),
            "reset_identity" => public.reset_identity(),
            "advance" => {
                let seconds = argument.as_f64().unwrap_or(0.0);
                self.client.0.core.clock.advance(seconds, seconds);
            }
            "answer" => lock(&self.script).status = argument.as_u64().unwrap_or(0) as u16,
            "reject" => lock(&self.script).reject = names(argument),
            "restart" => {
                // The old process saves, but its sender is gone.
                let status = std::mem::replace(&mut lock(&self.script).status, 0);
                drop(public);
                self.client.close(std::time::Duration::ZERO);
                lock(&self.script).status = status;
                self.client = Self::open(&self.options, &self.storage, &self.script, &self.dropped);
            }
            "expect" => return self.expect(argument),
            other => return Err(format!("unknown step {other}")),
        }
        self.client.0.core.events.settle();
        Ok(())
    }

    fn expect(&self, wanted: &Value) -> Result<(), String> {
        let core = &self.client.0.core;
        let active = core.events.is_active(core);
        let opted_out = self.client.public().has_opted_out();
        core.events.save_now(core);
        let script = lock(&self.script);
        let mut stored: Vec<String> = lock(&self.storage.0)
            .keys()
            .map(|k| k.rsplit('.').next().unwrap_or("").to_owned())
            .collect();
        stored.sort();
        let got = json!({
            "active": active,
            "opted_out": opted_out,
            "pending": core.events.pending(),
            "stored": stored,
            "sent": script.sent,
            "dropped": *lock(&self.dropped),
            "identities": script.identities.len(),
            "sessions": script.sessions.len(),
            "batches": script.batches,
        });
        for (name, value) in wanted.as_object().expect("an object") {
            if &got[name] != value {
                return Err(format!("{name} is {}, want {value}", got[name]));
            }
        }
        Ok(())
    }
}

#[test]
fn scenarios() {
    for scenario in vectors()["scenarios"].as_array().expect("scenarios") {
        let options = scenario.get("options").cloned().unwrap_or(json!({}));
        // Privacy signals are a matter of browsers.
        if options.get("dnt").is_some() {
            continue;
        }
        let (storage, dropped) = (InMemory::default(), Arc::default());
        let script = Arc::new(Mutex::new(Script {
            status: 202,
            ..Script::default()
        }));
        let client = Scenario::open(&options, &storage, &script, &dropped);
        let mut run = Scenario {
            options,
            storage,
            script,
            dropped,
            client,
        };
        for (i, step) in scenario["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .enumerate()
        {
            if let Err(e) = run.step(step) {
                panic!("{}: step {i} {step}: {e}", scenario["name"]);
            }
        }
    }
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
    let mut times: Vec<_> = (0..2_000)
        .map(|i| {
            let start = std::time::Instant::now();
            public.track("slow", json!({"i": i}));
            start.elapsed()
        })
        .collect();
    times.sort();
    drop(release);
    assert!(
        times[times.len() * 99 / 100] < std::time::Duration::from_millis(5),
        "{:?}",
        times.last()
    );
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
    for (text, kept) in [
        ("not JSON", 0),
        ("[1]", 0),
        (r#"{"a":1}"#, 0),
        (part.to_string().as_str(), 1),
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
    // What a killed process leaves is a temporary file beside the old one.
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
