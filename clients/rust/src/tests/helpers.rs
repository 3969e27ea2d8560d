//! Updates, downloads and error reports.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::events::InMemory;
use super::server::{Recorder, Server, Turn};
use crate::sync::lock;
use crate::transport::Failure;
use crate::{
    Analytics, CaptureOptions, CheckOptions, Decision, Downloaded, Error, InstallOptions, Result,
    SvcClient,
};

/// A folder of its own that goes away.
pub(super) struct Folder(pub PathBuf);

impl Folder {
    pub(super) fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("svc-sdk-{}", crate::events::rules::uuid()));
        std::fs::create_dir(&path).expect("a folder");
        Folder(path)
    }

    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(&self.0)
            .expect("the folder")
            .map(|e| {
                e.expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn update_answer(url: &str) -> String {
    json!({
        "should_update": true, "required": false, "reason_codes": ["newer_version_available"],
        "current_comparable_version": "1", "latest_version": {"version": "2"},
        "target_version": {"version": "2", "download_links": [{"url": url, "platform": "linux"}]},
        "milestone": {"target_is_milestone": true},
    })
    .to_string()
}

#[test]
fn rollout_key_stays_in_memory_until_the_user_agrees() {
    let storage = InMemory::default();
    let transport = Recorder::new(|_| Ok((500, Vec::new(), Vec::new())));
    let analytics = Analytics::new()
        .storage(storage.clone())
        .require_consent(true);
    let client = SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("demo")
        .app_version("1.0")
        .retries(0)
        .transport(transport.clone())
        .analytics(analytics)
        .build()
        .expect("a client");
    let key = || {
        let _ = client.public().check_update(&crate::CheckUpdate::new());
        let body = transport.taken().remove(0).body.expect("a body");
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        body["rollout_key"].as_str().expect("a key").to_owned()
    };
    let first = key();
    assert_eq!(key(), first);
    assert!(lock(&storage.0).is_empty());
    client.public().grant_consent();
    assert_eq!(key(), first);
    assert_eq!(lock(&storage.0).values().collect::<Vec<_>>(), [&first]);
}

#[test]
fn a_check_is_remembered() {
    let transport =
        Recorder::new(|_| Ok((200, Vec::new(), update_answer("https://dl.test/a").into())));
    let storage = InMemory::default();
    let open = || {
        SvcClient::builder("https://svc.test/api/v1")
            .project_key("acme")
            .platform("linux")
            .app_version("1")
            .transport(transport.clone())
            .analytics(Analytics::new().storage(storage.clone()))
            .fake_clock()
            .build()
            .expect("a client")
    };
    let client = open();
    let check = |client: &SvcClient, options: CheckOptions| {
        let update = client.updates().check(&options).expect("an update");
        (update.remembered, transport.taken().len())
    };
    let update = client
        .updates()
        .check(&CheckOptions::new())
        .expect("an update");
    assert_eq!(update.decision, Decision::Milestone);
    assert_eq!(
        update.link.as_ref().map(|l| l.url.as_str()),
        Some("https://dl.test/a")
    );
    assert_eq!(
        (update.remembered, update.checked_at),
        (false, 1_800_000_000)
    );
    transport.taken();
    assert_eq!(check(&client, CheckOptions::new()), (true, 0));
    assert_eq!(
        check(&open(), CheckOptions::new()),
        (true, 0),
        "after a restart"
    );
    assert_eq!(check(&client, CheckOptions::new().force(true)), (false, 1));
    assert_eq!(
        check(&client, CheckOptions::new().locale("de")),
        (false, 1),
        "another question"
    );
    client.0.core.clock.advance(6.0 * 3600.0, 0.0);
    assert_eq!(
        check(&client, CheckOptions::new()),
        (false, 1),
        "after the interval"
    );
    client.0.core.clock.advance(-1.0, 0.0);
    assert_eq!(
        check(&client, CheckOptions::new()),
        (false, 1),
        "the clock went back"
    );
    lock(&storage.0)
        .values_mut()
        .for_each(|v| *v = "garbage".into());
    assert_eq!(
        check(&open(), CheckOptions::new()),
        (false, 1),
        "garbage is nothing"
    );
}

/// A service that knows no version, so that it needs a comparable one.
fn knows_no_version() -> Recorder {
    Recorder::new(|request| {
        let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default());
        Ok(match body.contains("current_comparable_version") {
            true => (
                200,
                Vec::new(),
                update_answer("https://dl.test/a").into_bytes(),
            ),
            false => (
                400,
                Vec::new(),
                br#"{"message":"send current_comparable_version"}"#.to_vec(),
            ),
        })
    })
}

#[test]
fn a_version_that_was_never_published_is_compared_as_what_it_stands_for() {
    let transport = knows_no_version();
    let builder = SvcClient::builder("https://svc.test/api/v1")
        .project_key("acme")
        .app_version("v1.4")
        .transport(transport.clone())
        .analytics(Analytics::new().persistence(crate::Persistence::None))
        .fake_clock();
    #[cfg(feature = "async")]
    {
        let client = builder.clone().async_transport(transport.clone());
        let client = client.build_async().expect("a client");
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let options = CheckOptions::new();
        let update = runtime
            .expect("a runtime")
            .block_on(client.updates().check(&options));
        assert_eq!(update.expect("an update").decision, Decision::Milestone);
        assert_eq!(transport.taken().len(), 2);
    }
    let client = builder.build().expect("a client");
    let check = |options: CheckOptions| client.updates().check(&options);
    let update = check(CheckOptions::new()).expect("an update");
    assert_eq!(update.decision, Decision::Milestone);
    let requests = transport.taken();
    let bodies: Vec<serde_json::Value> = requests
        .iter()
        .map(|r| serde_json::from_slice(r.body.as_deref().expect("a body")).expect("JSON"))
        .collect();
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[1]["current_version"], "v1.4");
    assert_eq!(bodies[1]["current_comparable_version"], "1.4");

    // It has no comparable version, and the error names the remedy.
    let error = check(CheckOptions::new().current_version("nightly")).expect_err("an error");
    assert_eq!(error.to_string(), "[400] send current_comparable_version");
    assert_eq!(transport.taken().len(), 1);
    let given = CheckOptions::new().current_version("nightly");
    check(given.current_comparable_version("1.4")).expect("an update");
}

#[test]
fn no_version_of_the_application_is_a_local_error() {
    let transport = Recorder::always(200, "{}");
    let client = SvcClient::builder("https://svc.test/api/v1")
        .project_key("acme")
        .transport(transport.clone());
    let result = client
        .build()
        .expect("a client")
        .updates()
        .check(&CheckOptions::new());
    assert!(matches!(result, Err(Error::Invalid(_))));
    assert!(transport.taken().is_empty());
}

const CONTENT: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// Serves CONTENT like the service, but breaks each connection after `most`
/// bytes.
fn file_server(most: usize, etag: Option<String>) -> Server {
    Server::new(move |seen| {
        let range = seen
            .header("range")
            .and_then(|r| r.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
        let start: usize = range.unwrap_or(0);
        let rest = &CONTENT[start..];
        let mut head = match range {
            Some(_) => format!("HTTP/1.1 206 X\r\nContent-Range: bytes {start}-35/36\r\n"),
            None => "HTTP/1.1 200 X\r\n".to_owned(),
        };
        head += &format!("Connection: close\r\nContent-Length: {}\r\n", rest.len());
        if let Some(etag) = &etag {
            head += &format!("ETag: \"{etag}\"\r\n");
        }
        let mut bytes = (head + "\r\n").into_bytes();
        bytes.extend(&rest[..rest.len().min(most)]);
        Turn::Write(bytes)
    })
}

fn download(link: &str, to: &Path) -> Result<Downloaded> {
    download_watched(link, to, |_| ControlFlow::Continue(()))
}

fn download_watched(
    link: &str,
    to: &Path,
    progress: impl FnMut(crate::Progress) -> ControlFlow<()>,
) -> Result<Downloaded> {
    let client = SvcClient::builder("http://svc.test/api/v1")
        .fake_clock()
        .build()
        .expect("a client");
    crate::updates::download_for_tests(&client.0.core, link, to, progress)
}

#[test]
fn downloads_resume_and_are_checked() {
    let folder = Folder::new();
    let to = folder.0.join("app.zip");
    let own = "/f/acme/0123456789ab/app.zip";

    let server = file_server(7, Some(sum(CONTENT)));
    let done = download(&format!("{}{own}", server.url), &to).expect("a download");
    assert_eq!(
        (done.size, done.verified, done.sha256),
        (36, true, sum(CONTENT))
    );
    assert_eq!(std::fs::read(&to).expect("the file"), CONTENT);
    assert!(
        lock(&server.seen)
            .iter()
            .skip(1)
            .all(|s| s.header("range").is_some() && s.header("if-range").is_some())
    );
    assert!(
        lock(&server.seen)
            .iter()
            .all(|s| s.header("authorization").is_none() && s.header("x-svc-platform").is_none())
    );

    let foreign = file_server(100, None);
    let done = download(&format!("{}/app.zip", foreign.url), &to).expect("a download");
    assert!(!done.verified);
    assert_eq!(folder.names(), ["app.zip"]);
}

#[test]
fn a_download_that_fails_leaves_nothing() {
    let folder = Folder::new();
    let to = folder.0.join("app.zip");
    std::fs::write(&to, "old").expect("a file");
    let own = "/f/acme/0123456789ab/app.zip";
    let wrong = file_server(100, Some(sum(b"other")));
    let bare = file_server(100, None);
    let broken = Server::scripted(vec![Turn::Close]);
    for (url, text) in [
        (&wrong.url, "SHA-256"),
        (&bare.url, "SHA-256"),
        (&broken.url, ""),
    ] {
        let error = download(&format!("{url}{own}"), &to).expect_err("an error");
        assert!(
            matches!(&error, Error::Connection(_)) && error.to_string().contains(text),
            "{error:?}"
        );
    }
    assert_eq!(broken.count(), 5, "five attempts without a byte");
    let server = file_server(100, Some(sum(CONTENT)));
    let url = format!("{}{own}", server.url);
    assert!(matches!(
        download_watched(&url, &to, |_| ControlFlow::Break(())),
        Err(Error::Connection(_))
    ));
    assert!(matches!(download("ftp://x/y", &to), Err(Error::Invalid(_))));
    assert_eq!(std::fs::read(&to).expect("the file"), b"old");
    assert_eq!(folder.names(), ["app.zip"]);
}

#[test]
fn a_download_of_a_killed_process_goes_on() {
    let folder = Folder::new();
    let to = folder.0.join("app.zip");
    let part = format!("app.zip.{}.part", &sum(CONTENT)[..16]);
    std::fs::write(folder.0.join(part), &CONTENT[..10]).expect("a file");
    let server = file_server(100, Some(sum(CONTENT)));
    download(&format!("{}/f/acme/0123456789ab/app.zip", server.url), &to).expect("a download");
    let ranges: Vec<_> = lock(&server.seen)
        .iter()
        .map(|s| s.header("range").map(str::to_owned))
        .collect();
    assert_eq!(ranges, [None, Some("bytes=10-".to_owned())]);
    assert_eq!(std::fs::read(&to).expect("the file"), CONTENT);
    assert_eq!(folder.names(), ["app.zip"]);
}

#[test]
fn two_downloads_at_once_do_not_disturb_each_other() {
    let folder = Folder::new();
    let to = folder.0.join("app.zip");
    let server = file_server(7, Some(sum(CONTENT)));
    let url = format!("{}/f/acme/0123456789ab/app.zip", server.url);
    let mut other = None;
    let done = download_watched(&url, &to, |progress| {
        if progress.received > 7 && other.is_none() {
            other = Some(download(&url, &to));
        }
        ControlFlow::Continue(())
    });
    for done in [done, other.expect("the other download")] {
        assert!(done.expect("a download").verified);
    }
    assert_eq!(std::fs::read(&to).expect("the file"), CONTENT);
    assert_eq!(folder.names(), ["app.zip"]);
}

#[cfg(unix)]
#[test]
fn what_stands_in_place_of_the_partial_file_is_not_followed() {
    let folder = Folder::new();
    let to = folder.0.join("app.zip");
    let victim = folder.0.join("victim");
    std::fs::write(&victim, "untouched").expect("a file");
    let part = format!("app.zip.{}.part", &sum(CONTENT)[..16]);
    std::os::unix::fs::symlink(&victim, folder.0.join(part)).expect("a link");
    let server = file_server(100, Some(sum(CONTENT)));
    download(&format!("{}/f/acme/0123456789ab/app.zip", server.url), &to).expect("a download");
    assert_eq!(std::fs::read(&victim).expect("the file"), b"untouched");
    assert_eq!(std::fs::read(&to).expect("the file"), CONTENT);
    assert!(std::fs::symlink_metadata(&to).expect("the file").is_file());
}

#[test]
fn a_file_of_the_service_without_a_size_is_refused() {
    let folder = Folder::new();
    let server = Server::new(|_| {
        let head = format!(
            "HTTP/1.1 200 X\r\nConnection: close\r\nETag: \"{}\"\r\n\r\n",
            sum(CONTENT)
        );
        Turn::Write([head.as_bytes(), CONTENT].concat())
    });
    let url = format!("{}/f/acme/0123456789ab/app.zip", server.url);
    let error = download(&url, &folder.0.join("app.zip")).expect_err("an error");
    assert!(error.to_string().contains("size"), "{error:?}");
    assert!(folder.names().is_empty());
}

#[derive(Debug)]
struct Boom(usize);

impl std::fmt::Display for Boom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "boom {}", self.0)
    }
}

impl std::error::Error for Boom {}

fn bodies(transport: &Recorder) -> Vec<Value> {
    let requests = transport.taken();
    let json =
        |r: crate::Request| serde_json::from_slice(&r.body.unwrap_or_default()).expect("JSON");
    requests.into_iter().map(json).collect()
}

fn reporting(transport: &Recorder) -> SvcClient {
    let builder = SvcClient::builder("http://svc.test/api/v1")
        .project_key("acme")
        .without_platform();
    builder
        .transport(transport.clone())
        .fake_clock()
        .build()
        .expect("a client")
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn equal_errors_are_counted_and_many_are_dropped() {
    let transport = Recorder::always(201, "{}");
    let client = reporting(&transport);
    let logs = client.logs();
    let capture = |n| logs.capture_with(&Boom(n), CaptureOptions::new().with("n", n as u64));
    for _ in 0..3 {
        capture(0);
    }
    assert!(logs.flush(LONG));
    client.0.core.clock.advance(60.0, 60.0);
    (0..13).for_each(capture);
    assert!(logs.flush(LONG));
    client.0.core.clock.advance(6.0, 6.0);
    capture(20);
    assert!(logs.flush(LONG));
    let sent = bodies(&transport);
    assert_eq!(sent.len(), 1 + 10 + 1);
    assert!(
        sent[0]["content"]
            .as_str()
            .is_some_and(|c| c.contains("Boom: boom 0\nat ")),
        "{}",
        sent[0]
    );
    assert_eq!(sent[0]["custom_data"]["n"], 0);
    assert_eq!(sent[0]["custom_data"].get("repeated"), None);
    assert_eq!(
        sent[0]["device_info"].get("os"),
        None,
        "the platform is off"
    );
    assert_eq!(sent[1]["custom_data"]["repeated"], 2);
    assert_eq!(sent[11]["custom_data"]["dropped"], 3);
    assert_eq!(sent[11]["level"], 3);
}

#[test]
fn a_report_that_is_not_taken_waits() {
    let statuses = Mutex::new(vec![201, 0, 503]);
    let transport = Recorder::new(move |_| match lock(&statuses).pop() {
        Some(0) => Err(Failure::Connect),
        status => Ok((status.unwrap_or(201), Vec::new(), b"{}".to_vec())),
    });
    let logs = reporting(&transport).logs();
    logs.capture(&Boom(1));
    assert!(!logs.flush(LONG));
    // The thread may have begun before the flush did.
    while !logs.flush(LONG) {}
    let sent = bodies(&transport);
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|body| *body == sent[0]));
}

#[test]
fn a_report_goes_to_the_project_of_its_time() {
    let statuses = Mutex::new(vec![201, 201, 503]);
    let transport = Recorder::new(move |_| {
        let status = lock(&statuses).pop().unwrap_or(201);
        Ok((status, Vec::new(), b"{}".to_vec()))
    });
    let client = reporting(&transport);
    let logs = client.logs();
    logs.capture(&Boom(1));
    client.set_project_key("other");
    logs.capture(&Boom(2));
    while !logs.flush(LONG) {}
    let urls: Vec<_> = transport.taken().into_iter().map(|r| r.url).collect();
    let end = |url: &String| url.rsplit('/').nth(1).map(str::to_owned);
    let projects: Vec<_> = urls.iter().filter_map(end).collect();
    assert_eq!(projects, ["acme", "acme", "other"]);
}

#[test]
fn redaction_decides_what_is_sent() {
    let transport = Recorder::always(201, "{}");
    let logs = reporting(&transport).logs();
    let installed = logs.install(InstallOptions::new().redact(|mut report| {
        assert!(!report.content.contains("boom 3"), "a hook may fail");
        // Other tests of this program may panic on purpose; only ours count.
        let ours = report.content.contains("boom");
        report.content = "hidden".into();
        (ours && !report.custom_data.contains_key("secret")).then_some(report)
    }));
    logs.capture(&Boom(1));
    logs.capture_with(&Boom(2), CaptureOptions::new().with("secret", true));
    logs.capture(&Boom(3));
    assert!(logs.flush(LONG));
    installed.undo();
    let sent = bodies(&transport);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["content"], "hidden");
}

#[test]
fn panics_are_reported_while_installed() {
    static REPORTED: AtomicUsize = AtomicUsize::new(0);
    let transport = Recorder::always(201, "{}");
    let client = reporting(&transport);
    // Other tests of this program may panic on purpose; only ours count.
    let redact = |report: crate::Report| {
        let ours = report.content.contains("on purpose 4711");
        REPORTED.fetch_add(usize::from(ours), Ordering::Relaxed);
        ours.then_some(report)
    };
    let installed = client.logs().install(InstallOptions::new().redact(redact));
    let fail = || {
        std::thread::spawn(|| panic!("on purpose 4711"))
            .join()
            .expect_err("a panic")
    };
    fail();
    assert!(client.logs().flush(LONG));
    drop(installed);
    client.0.core.clock.advance(61.0, 61.0);
    fail();
    assert!(client.logs().flush(LONG));
    assert_eq!(REPORTED.load(Ordering::Relaxed), 1);
    let sent = bodies(&transport);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["source"], "uncaught");
    assert!(
        sent[0]["content"]
            .as_str()
            .is_some_and(|c| c.starts_with("panic: on purpose 4711\n")),
        "{}",
        sent[0]
    );
}

#[cfg(feature = "tracing")]
#[test]
fn tracing_events_are_reported() {
    use tracing_subscriber::layer::SubscriberExt;

    let transport = Recorder::always(201, "{}");
    let client = reporting(&transport);
    let subscriber =
        tracing_subscriber::registry().with(client.logs().layer(crate::models::LogLevel::WARNING));
    tracing::subscriber::with_default(subscriber, || {
        tracing::warn!(target: "app::disk", free = 3, "the disk is nearly full");
        tracing::info!(target: "app::disk", "not serious");
        tracing::error!(target: "ureq::pool", "not ours");
    });
    assert!(client.logs().flush(LONG));
    let sent = bodies(&transport);
    assert_eq!(sent.len(), 1);
    assert_eq!(
        (&sent[0]["level"], &sent[0]["source"]),
        (&json!(2), &json!("app::disk"))
    );
    assert_eq!(sent[0]["custom_data"]["free"], 3);
    assert!(
        sent[0]["content"]
            .as_str()
            .is_some_and(|c| c.starts_with("the disk is nearly full\nat "))
    );
}
