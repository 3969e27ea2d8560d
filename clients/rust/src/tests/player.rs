//! Plays the steps of a story that the harness in tests/clients gives.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::logs::{CaptureOptions, Failed};
use crate::models::LogLevel;
use crate::{Analytics, CheckOptions, Error, InstallOptions, Patch, Result, SvcClient};

/// Runs when the harness says where it is; see the script `player`.
#[test]
fn player() {
    if let Ok(control) = std::env::var("SVC_PLAYER_CONTROL") {
        Player::default().run(&control);
    }
}

#[derive(Default)]
struct Player {
    client: Option<SvcClient>,
    base_url: String,
    headers: Vec<(String, String)>,
    project_key: String,
    installed: Option<crate::Installed>,
}

fn outcome<T: serde::Serialize>(result: Result<T>) -> Value {
    match result {
        Ok(_) => json!({"ok": true}),
        // An empty answer is null; a type that has no null reports it as what
        // it is, an answer that cannot be used.
        Err(Error::Api(e)) if e.status < 300 && e.body == "" => json!({"ok": true}),
        Err(e) => json!({"error": describe(&e)}),
    }
}

fn describe(error: &Error) -> Value {
    match error {
        Error::Invalid(_) => json!({"kind": "base"}),
        Error::Auth(_) => json!({"kind": "auth"}),
        Error::Api(e) => json!({
            "kind": "api", "status": e.status, "message": e.message, "method": e.method, "path": e.path,
        }),
        Error::Connection(_) => json!({"kind": "connection"}),
    }
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

fn seconds(value: &Value) -> Option<Duration> {
    value.as_f64().map(Duration::from_secs_f64)
}

impl Player {
    fn run(&mut self, control: &str) {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .build()
            .new_agent();
        let mut result = json!({"ready": true});
        loop {
            let mut answer = agent
                .post(control)
                .header("content-type", "application/json")
                .send(result.to_string())
                .expect("the harness answers");
            if answer.status() != 200 {
                return;
            }
            let step = answer.body_mut().read_to_string().expect("a step");
            let step: Value = serde_json::from_str(&step).expect("a step is JSON");
            result = self.step(&step);
            if let Some(client) = &self.client {
                client.0.core.events.settle();
            }
        }
    }

    fn client(&self) -> &SvcClient {
        self.client.as_ref().expect("a client is open")
    }

    fn step(&mut self, step: &Value) -> Value {
        let public = self.client.as_ref().map(SvcClient::public);
        let public = || public.as_ref().expect("a client is open");
        match text(step, "do").unwrap_or("") {
            "open" => return self.open(step),
            "call" => return self.call(step),
            "set" => self.set(step),
            "track" => match step.get("properties") {
                Some(properties) => public().track(text(step, "name").unwrap_or(""), properties),
                None => public().track(text(step, "name").unwrap_or(""), ()),
            },
            "flush" => {
                let flushed = public().flush();
                return json!({"sent": flushed.sent, "dropped": flushed.dropped, "pending": flushed.pending});
            }
            "feedback_replies" => {
                return match public().feedback_replies() {
                    Ok(replies) => json!({"replies": replies}),
                    Err(e) => json!({"error": describe(&e)}),
                };
            }
            "opt_out" => public().opt_out(),
            "opt_in" => public().opt_in(),
            "grant_consent" => public().grant_consent(),
            "revoke_consent" => public().revoke_consent(),
            "reset_identity" => public().reset_identity(),
            "has_opted_out" => return json!({"value": public().has_opted_out()}),
            "clock" => {
                let number = |name: &str| step.get(name).and_then(Value::as_f64).unwrap_or(0.0);
                let clock = &self.client().0.core.clock;
                clock.advance(number("wall_seconds"), number("monotonic_seconds"));
            }
            "save" => {
                let core = &self.client().0.core;
                core.events.settle();
                core.events.save_now(core);
            }
            "check_updates" => return self.check_updates(step.get("args").unwrap_or(&Value::Null)),
            "capture" => self.capture(step.get("args").unwrap_or(&Value::Null)),
            "close" => self.client().close(Duration::from_secs(60)),
            "exit" => {
                if step.get("hard") != Some(&Value::Bool(true)) {
                    self.client = None;
                    std::process::exit(0);
                }
                std::process::abort();
            }
            "spin" => self.spin(step),
            "bench" => return self.bench(step),
            other => panic!("unknown step {other}"),
        }
        json!({})
    }

    fn open(&mut self, step: &Value) -> Value {
        let empty = json!({});
        let options = step.get("options").unwrap_or(&empty);
        self.client = None;
        self.base_url = text(step, "base_url").unwrap_or("").to_owned();
        let mut builder = SvcClient::builder(self.base_url.as_str());
        if step.get("real_clock") != Some(&Value::Bool(true)) {
            builder = builder.fake_clock();
        }
        for (name, value) in options.as_object().into_iter().flatten() {
            let text = value.as_str().unwrap_or("");
            builder = match (name.as_str(), value) {
                ("platform", Value::Null) => builder.without_platform(),
                ("platform_version", Value::Null) => builder.without_platform_version(),
                (_, Value::Null) => builder,
                ("project_key", _) => builder.project_key(text),
                ("token", _) => builder.token(text),
                ("platform", _) => builder.platform(text),
                ("platform_version", _) => builder.platform_version(text),
                ("locale", _) => builder.locale(text),
                ("app_version", _) => builder.app_version(text),
                ("rollout_key", _) => builder.rollout_key(text),
                ("app_identifier", _) => builder.app_identifier(text),
                ("retries", _) => builder.retries(value.as_u64().unwrap_or(0) as u32),
                ("headers", Value::Object(headers)) => headers.iter().fold(builder, |b, (n, v)| {
                    b.header(n.as_str(), v.as_str().unwrap_or(""))
                }),
                _ => builder,
            };
        }
        self.project_key = text(options, "project_key").unwrap_or("").to_owned();
        self.headers = vec![("accept".to_owned(), "application/json".to_owned())];
        let analytics = match self.analytics(options) {
            Ok(analytics) => analytics,
            Err(e) => return json!({"error": describe(&e)}),
        };
        match builder.analytics(analytics).build() {
            Ok(client) => {
                self.client = Some(client);
                json!({})
            }
            Err(e) => json!({"error": describe(&e)}),
        }
    }

    fn analytics(&self, options: &Value) -> Result<Analytics> {
        let mut analytics = Analytics::new();
        if let Some(folder) = text(options, "state_dir") {
            // As XDG_STATE_HOME, which a test cannot set, would have it.
            analytics.directory = Some(std::path::Path::new(folder).join("svc-sdk"));
        }
        for (name, value) in options
            .get("analytics")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let number = value.as_u64().unwrap_or(0) as usize;
            analytics = match name.as_str() {
                "enabled" => analytics.enabled(value == &Value::Bool(true)),
                "require_consent" => analytics.require_consent(value == &Value::Bool(true)),
                "persistence" => analytics.persistence(value.as_str().unwrap_or("").parse()?),
                "flush_interval" => analytics.flush_interval(seconds(value).unwrap_or_default()),
                "session_timeout" => analytics.session_timeout(seconds(value).unwrap_or_default()),
                "batch_size" => analytics.batch_size(number),
                "max_queue_size" => analytics.max_queue_size(number),
                "namespace" => match value.as_str() {
                    Some(namespace) => analytics.namespace(namespace),
                    None => analytics,
                },
                _ => analytics,
            };
        }
        Ok(analytics)
    }

    fn set(&self, step: &Value) {
        let (client, value) = (self.client(), text(step, "value"));
        match (text(step, "name").unwrap_or(""), value) {
            ("token", Some(token)) => client.set_token(token),
            ("token", None) => client.clear_token(),
            ("project_key", key) => client.set_project_key(key),
            ("platform", platform) => client.set_platform(platform),
            ("platform_version", version) => client.set_platform_version(version),
            ("locale", locale) => client.set_locale(locale),
            (other, _) => panic!("unknown setting {other}"),
        }
    }

    fn call(&self, step: &Value) -> Value {
        let empty = Map::new();
        let args = step
            .get("args")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let method = text(step, "method").unwrap_or("");
        let result = super::call(
            self.client(),
            text(step, "namespace").unwrap_or(""),
            method,
            args.clone(),
        );
        outcome(result)
    }

    fn check_updates(&self, args: &Value) -> Value {
        let flag = |name: &str| args.get(name).and_then(Value::as_bool);
        let mut options = CheckOptions::new().force(flag("force").unwrap_or(false));
        options.include_preview = flag("include_preview");
        match args.get("locale") {
            Some(Value::Null) => options.locale = Patch::Clear,
            Some(Value::String(locale)) => options.locale = locale.as_str().into(),
            _ => {}
        }
        if let Some(interval) = args.get("interval").and_then(seconds) {
            options = options.interval(interval);
        }
        if let Some(version) = text(args, "current_version") {
            options = options.current_version(version);
        }
        if let Some(version) = text(args, "current_comparable_version") {
            options = options.current_comparable_version(version);
        }
        match self.client().updates().check(&options) {
            Ok(update) => {
                json!({"decision": update.decision.as_str(), "remembered": update.remembered})
            }
            Err(e) => json!({"error": describe(&e)}),
        }
    }

    fn capture(&mut self, args: &Value) {
        let logs = self.client().logs();
        self.installed = Some(logs.install(InstallOptions::new().redact(|mut report| {
            report.device_info.clear();
            Some(report)
        })));
        let part = |name: &str| text(args, name).unwrap_or("").to_owned();
        let failed = Failed {
            type_name: part("type"),
            message: part("message"),
            frame: part("frame"),
            stack: part("frame"),
        };
        let level = args.get("level").and_then(Value::as_u64).unwrap_or(3) as u8;
        let core = &self.client().0.core;
        core.report(failed, CaptureOptions::new().level(LogLevel(level)));
        logs.flush(Duration::from_secs(30));
    }

    /// Tracks about a thousand events a second until it is killed.
    fn spin(&self, step: &Value) {
        let limit = step.get("seconds").and_then(seconds).unwrap_or_default();
        let path = text(step, "file").expect("a file");
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .expect("the file opens");
        let (public, start) = (self.client().public(), Instant::now());
        let mut i = 0_u64;
        while start.elapsed() < limit {
            public.track("tick", json!({"i": i}));
            let now = self.client().0.core.clock.unix_ms();
            file.write_all(format!("{i} {now}\n").as_bytes())
                .expect("the file takes a line");
            i += 1;
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn bench(&self, step: &Value) -> Value {
        let count = step.get("count").and_then(Value::as_u64).unwrap_or(1000);
        let public = Arc::new(self.client().public());
        let url = format!(
            "{}/public/{}/versions/latest",
            self.base_url, self.project_key
        );
        let agent = ureq::agent();
        let mut times: Vec<Duration> = (0..count)
            .map(|i| {
                let start = Instant::now();
                match text(step, "name").unwrap_or("") {
                    "track" => public.track("bench", json!({"i": i})),
                    "call" => {
                        public
                            .get_latest_version(&crate::ReadOptions::new())
                            .expect("a version");
                    }
                    _ => {
                        let mut request = agent.get(&url);
                        for (name, value) in &self.headers {
                            request = request.header(name, value);
                        }
                        let mut answer = request.call().expect("an answer");
                        answer.body_mut().read_to_vec().expect("a body");
                    }
                }
                let took = start.elapsed();
                if text(step, "name") == Some("track") {
                    std::thread::sleep(Duration::from_micros(500).saturating_sub(took));
                }
                took
            })
            .collect();
        times.sort();
        let at = |share: f64| {
            let index = ((times.len() as f64 * share) as usize).min(times.len() - 1);
            times[index].as_nanos() as f64 / 1000.0
        };
        json!({"p50_us": at(0.5), "p99_us": at(0.99), "max_us": at(1.0)})
    }
}
