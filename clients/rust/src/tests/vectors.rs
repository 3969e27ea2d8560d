//! The vectors that all libraries share, one test a section.

use std::cmp::Ordering;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;

use crate::events::rules::{self, Action};
use crate::models::{DownloadLink, UpdateCheck};
use crate::retry::{self, Ending};
use crate::transport::Failure;
use crate::updates::{self, link};
use crate::{
    Decision, clock, compare_versions, detect, is_comparable_version, request, settings, url,
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
        "fnv1a32",
        "origin",
        "namespace",
        "state_file",
        "client_time",
        "header_value",
        "retry",
        "event_backoff",
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
        "own_link",
        "error_fingerprint",
        "scenarios",
        "endpoints",
    ];
    for section in vectors().as_object().expect("an object").keys() {
        if !known.contains(&section.as_str()) && !SERVER_ONLY.contains(&section.as_str()) {
            println!("section {section} of the vectors is not known here");
        }
    }
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
    each("event_backoff", |c| {
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
