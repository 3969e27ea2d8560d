//! The vectors that all libraries share, one test a section.

use std::cmp::Ordering;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;

use super::events::InMemory;
use super::server::Recorder;
use crate::events::rules::{self, Action};
use crate::models::{DownloadLink, UpdateCheck};
use crate::retry::{self, Ending};
use crate::sync::lock;
use crate::transport::Failure;
use crate::updates::{self, link};
use crate::{
    Analytics, CheckOptions, Decision, SvcClient, clock, compare_versions, core, detect,
    is_comparable_version, pages, request, settings, url,
};

/// Sections that are rules of the server alone.
const SERVER_ONLY: [&str; 3] = ["client_time_parse", "language_key", "language_match"];

pub(super) fn vectors() -> &'static Value {
    static VECTORS: OnceLock<Value> = OnceLock::new();
    VECTORS.get_or_init(|| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/vectors.json");
        let text = std::fs::read_to_string(path).expect("the vectors are in the repository");
        let vectors: Value = serde_json::from_str(&text).expect("the vectors are JSON");
        assert_eq!(vectors["format"], 1, "another format of the vectors");
        vectors
    })
}

/// Runs every case of a section and names all that fail.
fn each(section: &str, check: impl Fn(&Value) -> Result<(), String>) {
    let cases = vectors()[section]
        .as_array()
        .unwrap_or_else(|| panic!("no section {section}"));
    assert!(!cases.is_empty(), "section {section} is empty");
    let failed: Vec<_> = cases
        .iter()
        .filter_map(|case| check(case).err().map(|e| format!("{case}: {e}")))
        .collect();
    assert!(failed.is_empty(), "{section}:\n{}", failed.join("\n"));
}

fn same<T: PartialEq + std::fmt::Debug>(got: T, want: T) -> Result<(), String> {
    if got == want {
        Ok(())
    } else {
        Err(format!("got {got:?}, want {want:?}"))
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn optional(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

#[test]
fn every_section_is_known() {
    let known = [
        "format",
        "about",
        "defaults",
        "fnv1a32",
        "origin",
        "namespace",
        "state_file",
        "client_time",
        "header_value",
        "retry",
        "event_backoff",
        "event_backoff_retry_after",
        "event_outcome",
        "event_name",
        "version",
        "error_message",
        "os_version",
        "base_url",
        "path_segment",
        "retry_after",
        "architecture",
        "update_link",
        "update_decision",
        "update_due",
        "update_memory",
        "update_key",
        "own_link",
        "error_fingerprint",
        "error_content",
        "error_limits",
        "scenarios",
        "queue_scenarios",
        "endpoints",
    ];
    for section in vectors().as_object().expect("an object").keys() {
        if !known.contains(&section.as_str()) && !SERVER_ONLY.contains(&section.as_str()) {
            println!("section {section} of the vectors is not known here");
        }
    }
}

#[test]
fn defaults() {
    use crate::events::queue;
    use crate::logs::{self, reporter};
    use crate::updates::download;

    let ms = |time: Duration| time.as_millis() as f64;
    let seconds = |time: Duration| time.as_secs_f64();
    let options = settings::Options::new(String::new());
    let analytics = Analytics::new();
    let refused = Ending::Failure(Failure::Connect);
    let wait = |done, random| retry::delay("GET", done, 99, refused, random).unwrap_or_default();
    let is_waited_for = |seconds: &u64| {
        retry::delay("GET", 0, 1, Ending::Status(503, Some(*seconds)), 0.0).is_some()
    };
    let interval = Duration::from_secs(5);
    let figures = [
        (
            "timeout_seconds",
            seconds(options.timeout.unwrap_or_default()),
        ),
        ("retries", f64::from(options.retries)),
        ("retry_first_ms", ms(wait(0, 0.0))),
        ("retry_last_ms", ms(wait(50, 0.0))),
        (
            "retry_jitter_percent",
            (ms(wait(0, 1.0)) / ms(wait(0, 0.0)) - 1.0) * 100.0,
        ),
        (
            "retry_after_seconds",
            (0..1000).rev().find(is_waited_for).unwrap_or(0) as f64,
        ),
        ("response_bytes", request::LARGEST_ANSWER as f64),
        ("error_body_bytes", request::LARGEST_ERROR_BODY as f64),
        ("redirects", f64::from(request::MOST_REDIRECTS)),
        (
            "header_characters",
            detect::header_value(&"x".repeat(99))
                .unwrap_or_default()
                .len() as f64,
        ),
        ("page_limit", f64::from(pages::SIZE)),
        ("flush_interval_ms", ms(analytics.flush_interval)),
        ("batch_size", analytics.batch_size as f64),
        ("batch_size_max", crate::events::MOST_EVENTS as f64),
        ("batch_bytes", queue::LARGEST_BATCH as f64),
        ("max_queue_size", analytics.max_queue_size as f64),
        ("session_timeout_ms", ms(analytics.session_timeout)),
        ("properties_bytes", rules::LARGEST_PROPERTIES as f64),
        ("backoff_ms", ms(rules::backoff(interval, 50, None))),
        (
            "backoff_retry_after_ms",
            ms(rules::backoff(interval, 1, Some(1_000_000))),
        ),
        ("hold_ms", ms(rules::HOLD)),
        ("hold_answers", f64::from(queue::MOST_HOLDS)),
        ("save_interval_ms", ms(queue::SAVE_INTERVAL)),
        ("close_timeout_ms", ms(core::DROP_LIMIT)),
        ("update_interval_seconds", seconds(updates::INTERVAL)),
        ("update_spread_percent", 100.0 / updates::SPREAD as f64),
        ("update_memory_bytes", updates::LARGEST_MEMORY as f64),
        ("download_redirects", f64::from(download::MOST_REDIRECTS)),
        ("download_attempts", f64::from(download::MOST_IDLE)),
        ("log_queue", reporter::MOST_REPORTS as f64),
        ("log_content_characters", logs::LONGEST_CONTENT as f64),
        ("log_source_characters", logs::LONGEST_SOURCE as f64),
        ("log_repeat_seconds", seconds(reporter::SAME_WITHIN)),
        ("log_fingerprints", reporter::MOST_FINGERPRINTS as f64),
        ("log_burst", reporter::MOST_AT_ONCE),
        ("log_refill_seconds", reporter::SECONDS_FOR_ONE),
    ];
    let mut wanted = vectors()["defaults"].as_object().expect("figures").clone();
    // Only browsers have unload batches.
    wanted.remove("unload_bytes");
    for (name, figure) in figures {
        let want = wanted.remove(name).and_then(|value| value.as_f64());
        assert_eq!(Some(figure), want, "{name}");
    }
    assert!(wanted.is_empty(), "not compared: {wanted:?}");
}

#[test]
fn fnv1a32() {
    each("fnv1a32", |c| {
        same(rules::fnv1a32(text(&c["in"])).as_str(), text(&c["out"]))
    });
}

#[test]
fn origin() {
    each("origin", |c| {
        same(url::origin(text(&c["in"])).as_str(), text(&c["out"]))
    });
}

#[test]
fn namespace() {
    each("namespace", |c| {
        let got = rules::namespace(text(&c["base_url"]), c["project_key"].as_str());
        same(got.as_str(), text(&c["out"]))
    });
}

#[test]
fn state_file() {
    each("state_file", |c| {
        same(
            rules::state_file_stem(text(&c["in"])) + ".json",
            text(&c["out"]).to_owned(),
        )
    });
}

#[test]
fn client_time() {
    each("client_time", |c| {
        let offset = c["offset_seconds"].as_i64().unwrap_or(0) as i32;
        same(
            clock::client_time(c["unix_ms"].as_i64().unwrap_or(0), offset),
            optional(&c["out"]),
        )
    });
}

#[test]
fn header_value() {
    each("header_value", |c| {
        same(
            c["in"].as_str().and_then(detect::header_value),
            optional(&c["out"]),
        )
    });
}

#[test]
fn retry_delays() {
    each("retry", |c| {
        let ending = match c["error"].as_str() {
            Some(error) => Ending::Failure(match error {
                "dns" => Failure::Lookup,
                "connect" => Failure::Connect,
                "connect_timeout" => Failure::ConnectTimeout,
                "tls_handshake" => Failure::TlsHandshake,
                "stale_connection" => Failure::StaleConnection,
                "read_timeout" => Failure::ReadTimeout,
                "tls_certificate" => Failure::Certificate,
                "reset_after_headers" => Failure::Body,
                "aborted" => Failure::Aborted,
                other => return Err(format!("unknown error {other}")),
            }),
            None => Ending::Status(
                c["status"].as_u64().unwrap_or(0) as u16,
                c["retry_after"].as_u64(),
            ),
        };
        let number = |name: &str| c[name].as_u64().unwrap_or(0) as u32;
        let got = retry::delay(
            text(&c["method"]),
            number("done"),
            number("max"),
            ending,
            0.0,
        );
        same(got, c["delay_ms"].as_u64().map(Duration::from_millis))
    });
}

#[test]
fn event_backoff() {
    for section in ["event_backoff", "event_backoff_retry_after"] {
        each(section, |c| {
            let number = |name: &str| c[name].as_u64().unwrap_or(0);
            let interval = Duration::from_millis(number("interval_ms"));
            let got = rules::backoff(
                interval,
                number("failures") as u32,
                c["retry_after"].as_u64(),
            );
            same(got, Duration::from_millis(number("delay_ms")))
        });
    }
}

#[test]
fn event_outcome() {
    each("event_outcome", |c| {
        let number = |name: &str| c[name].as_u64().unwrap_or(0);
        let got = match rules::outcome(number("status") as u16, number("events") as usize) {
            Action::DropBatch => "drop_batch",
            Action::Split => "split",
            Action::Hold => "hold",
            Action::Retry => "retry",
        };
        same(got, text(&c["action"]))
    });
}

#[test]
fn event_name() {
    each("event_name", |c| {
        same(rules::event_name(text(&c["in"])), optional(&c["out"]))
    });
}

#[test]
fn versions() {
    let version = &vectors()["version"];
    let list = |name: &str| -> Vec<&str> {
        version[name]
            .as_array()
            .expect("a list")
            .iter()
            .map(text)
            .collect()
    };
    for valid in list("valid") {
        assert!(is_comparable_version(valid), "{valid} is valid");
    }
    for invalid in list("invalid") {
        assert!(!is_comparable_version(invalid), "{invalid:?} is not valid");
    }
    for c in version["derive"].as_array().expect("cases") {
        let derived = crate::version::derive(text(&c["in"]));
        assert_eq!(derived, c["out"].as_str(), "{c}");
    }
    let ascending = list("ascending");
    for (i, a) in ascending.iter().enumerate() {
        for (j, b) in ascending.iter().enumerate() {
            assert_eq!(compare_versions(a, b), Some(i.cmp(&j)), "{a} and {b}");
        }
    }
    for group in version["equal"].as_array().expect("groups") {
        let group: Vec<&str> = group
            .as_array()
            .expect("a group")
            .iter()
            .map(text)
            .collect();
        for a in &group {
            for b in &group {
                assert_eq!(compare_versions(a, b), Some(Ordering::Equal), "{a} and {b}");
            }
        }
    }
}

#[test]
fn error_message() {
    each("error_message", |c| {
        let status = c["status"].as_u64().unwrap_or(0) as u16;
        same(
            request::error_message(status, &c["body"]).as_str(),
            text(&c["out"]),
        )
    });
}

#[test]
fn os_version() {
    each("os_version", |c| {
        let given = text(&c["in"]);
        let got = match text(&c["kind"]) {
            "macos_product" => detect::macos_product(given),
            "darwin_release" => detect::darwin_release(given),
            "windows_build" => detect::windows_build(given),
            "os_release" => detect::os_release(given),
            other => return Err(format!("unknown kind {other}")),
        };
        same(got.as_str(), text(&c["out"]))
    });
}

#[test]
fn base_url() {
    each("base_url", |c| {
        same(settings::base_url(text(&c["in"])).ok(), optional(&c["out"]))
    });
}

#[test]
fn path_segment() {
    each("path_segment", |c| {
        same(
            url::segment("part", text(&c["in"])).ok(),
            optional(&c["out"]),
        )
    });
}

#[test]
fn retry_after() {
    each("retry_after", |c| {
        let now = c["now_unix"].as_i64().unwrap_or(0);
        same(
            clock::retry_after(text(&c["header"]), now),
            c["seconds"].as_u64(),
        )
    });
}

#[test]
fn architecture() {
    each("architecture", |c| {
        same(
            detect::architecture(text(&c["in"])).map(str::to_owned),
            optional(&c["out"]),
        )
    });
}

#[test]
fn update_link() {
    each("update_link", |c| {
        let links: Vec<DownloadLink> = serde_json::from_value(c["links"].clone()).expect("links");
        let got = link::best(&links, c["platform"].as_str(), c["arch"].as_str());
        same(got.map(|at| at as u64), c["out"].as_u64())
    });
}

#[test]
fn update_decision() {
    each("update_decision", |c| {
        let answer: UpdateCheck = serde_json::from_value(c["in"].clone()).expect("an answer");
        same(Decision::of(&answer).as_str(), text(&c["out"]))
    });
}

#[test]
fn update_due() {
    each("update_due", |c| {
        let number = |value: &Value| value.as_i64().unwrap_or(0);
        let memory = &c["remembered"];
        let remembered = memory
            .is_object()
            .then(|| (number(&memory["checked_at"]), number(&memory["next_at"])));
        let got = updates::is_due(
            remembered,
            number(&c["interval_seconds"]),
            number(&c["now"]),
        );
        same(Some(got), c["out"].as_bool())
    });
}

const MEMORY: &str = "svc.updates.454ea31f-acme.last";

/// A client that remembers checks in a storage, at a time of its clock.
fn checking(storage: &InMemory, now: i64) -> (SvcClient, Recorder) {
    let transport = Recorder::always(200, "{}");
    let client = SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("acme")
        .transport(transport.clone())
        .analytics(Analytics::new().storage(storage.clone()))
        .fake_clock()
        .build()
        .expect("a client");
    let clock = &client.0.core.clock;
    clock.advance((now - clock.unix_seconds()) as f64, 0.0);
    (client, transport)
}

/// Options of a check from their values, in the order of the key.
fn check_options(
    version: Option<&str>,
    comparable: Option<&str>,
    include_preview: Option<bool>,
    locale: Option<&str>,
) -> CheckOptions {
    let mut options = CheckOptions::new();
    options.current_version = version.map(str::to_owned);
    options.current_comparable_version = comparable.map(str::to_owned);
    options.include_preview = include_preview;
    match locale {
        Some(locale) => options.locale(locale),
        None => options,
    }
}

#[test]
fn update_memory() {
    each("update_memory", |c| {
        let storage = InMemory::default();
        if let Some(memory) = optional(&c["memory"]) {
            lock(&storage.0).insert(MEMORY.to_owned(), memory);
        }
        let parts: Vec<_> = text(&c["key"])
            .split('|')
            .map(|part| Some(part).filter(|p| !p.is_empty()))
            .collect();
        let preview = parts[2].map(|word| word == "true");
        let interval = Duration::from_secs(c["interval_seconds"].as_u64().unwrap_or(0));
        let options = check_options(parts[0], parts[1], preview, parts[3]).interval(interval);
        let (client, transport) = checking(&storage, c["now"].as_i64().unwrap_or(0));
        let update = client.updates().check(&options);
        let asked = !transport.taken().is_empty();
        same(Some(asked), c["due"].as_bool())?;
        same(update.map(|u| u.remembered).ok(), Some(!asked))
    });
}

#[test]
fn update_key() {
    each("update_key", |c| {
        let storage = InMemory::default();
        let options = check_options(
            c["current_version"].as_str(),
            c["current_comparable_version"].as_str(),
            c["include_preview"].as_bool(),
            c["locale"].as_str(),
        );
        let (client, _) = checking(&storage, 1000);
        let checked = client.updates().check(&options);
        checked.map_err(|e| e.to_string())?;
        let memory = lock(&storage.0).get(MEMORY).cloned().unwrap_or_default();
        let memory: Value = serde_json::from_str(&memory).map_err(|e| e.to_string())?;
        same(text(&memory["key"]), text(&c["out"]))
    });
}

#[test]
fn own_link() {
    each("own_link", |c| {
        same(Some(link::is_own(text(&c["in"]))), c["out"].as_bool())
    });
}

#[test]
fn error_fingerprint() {
    each("error_fingerprint", |c| {
        let part = |name: &str| text(&c[name]).to_owned();
        let failed = crate::logs::Failed {
            type_name: part("type"),
            message: part("message"),
            frame: part("frame"),
            stack: String::new(),
        };
        same(failed.fingerprint().as_str(), text(&c["out"]))
    });
}

#[test]
fn error_content() {
    each("error_content", |c| {
        let repeat = c["repeat"].as_u64().unwrap_or(0) as usize;
        let failed = crate::logs::Failed {
            type_name: text(&c["type"]).to_owned(),
            message: text(&c["message"]).to_owned(),
            frame: String::new(),
            stack: text(&c["stack"]).repeat(repeat),
        };
        let got = failed.content();
        if let Some(out) = c["out"].as_str() {
            return same(got.as_str(), out);
        }
        same(Some(got.chars().count() as u64), c["characters"].as_u64())?;
        same(got.ends_with(text(&c["end"])), true)
    });
}

#[test]
fn error_limits() {
    each("error_limits", |c| {
        let transport = Recorder::always(201, "{}");
        let client = SvcClient::builder("https://svc.example.com/api/v1")
            .project_key("acme")
            .transport(transport.clone())
            .fake_clock()
            .build()
            .expect("a client");
        for step in c["steps"].as_array().expect("steps") {
            match text(&step[0]) {
                "capture" => client.0.core.report(
                    crate::logs::Failed {
                        type_name: "Error".to_owned(),
                        message: text(&step[1]).to_owned(),
                        ..Default::default()
                    },
                    crate::CaptureOptions::new(),
                ),
                "advance" => {
                    let seconds = step[1].as_f64().unwrap_or(0.0);
                    client.0.core.clock.advance(seconds, seconds);
                }
                "expect" => {
                    client.logs().flush(Duration::from_secs(60));
                    let sent = lock(&transport.requests).clone();
                    let sent: Vec<Value> = sent.into_iter().map(report).collect();
                    same(&Value::Array(sent), &step[1])?;
                }
                other => return Err(format!("unknown step {other}")),
            }
        }
        Ok(())
    });
}

/// A report in the vectors.
fn report(request: crate::Request) -> Value {
    let mut body: Value =
        serde_json::from_slice(&request.body.unwrap_or_default()).expect("a report");
    let mut told = body["custom_data"].take();
    let fields = told.as_object_mut().expect("custom_data");
    fields.remove("fingerprint");
    let message = text(&body["content"]).trim_start_matches("Error: ");
    fields.insert("message".to_owned(), message.into());
    told
}
