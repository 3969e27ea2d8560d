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
