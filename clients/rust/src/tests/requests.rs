//! Headers, retries, redirects, answers: what goes over the wire and back.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::server::{Recorder, Server, Turn, answer, header};
use crate::sync::lock;
use crate::transport::Failure;
use crate::{ClientBuilder, Error, ReadOptions, SvcClient};

fn builder(url: &str) -> ClientBuilder {
    SvcClient::builder(format!("{url}/api/v1"))
        .project_key("acme")
        .without_analytics()
}

fn recorded(change: impl FnOnce(ClientBuilder) -> ClientBuilder) -> crate::Request {
    let transport = Recorder::always(200, "null");
    let client = change(builder("http://svc.test"))
        .transport(transport.clone())
        .build()
        .expect("a client");
    let _ = client.admin().get_project();
    let _ = client
        .public()
        .get_latest_preview_version(&ReadOptions::new());
    transport.taken().pop().expect("a request")
}

const HEALTH: &str = r#"{"status":"ok","timestamp":1}"#;

#[test]
fn default_headers() {
    let request = recorded(|b| b.app_identifier("Notes/2"));
    let user_agent = format!("svc-sdk-rust/{} Notes/2", crate::VERSION);
    assert_eq!(header(&request, "user-agent"), Some(user_agent));
    assert_eq!(
        header(&request, "accept").as_deref(),
        Some("application/json")
    );
    assert_eq!(
        header(&request, "x-svc-platform").as_deref(),
        Some(crate::detect::platform())
    );
    assert_eq!(
        header(&request, "x-svc-client-time").map(|t| t.len()),
        Some(29)
    );
    for absent in [
        "authorization",
        "content-type",
        "cookie",
        "x-svc-do-not-track",
    ] {
        assert_eq!(header(&request, absent), None, "{absent}");
    }
}

#[test]
fn platform_off_stops_detection_of_its_version() {
    let request = recorded(ClientBuilder::without_platform);
    assert_eq!(header(&request, "x-svc-platform"), None);
    assert_eq!(header(&request, "x-svc-platform-version"), None);
    let request = recorded(|b| b.without_platform().platform_version("  9 \u{e9} x "));
    assert_eq!(header(&request, "x-svc-platform"), None);
    assert_eq!(
        header(&request, "x-svc-platform-version").as_deref(),
        Some("9 x")
    );
    let request = recorded(ClientBuilder::without_client_time);
    assert_eq!(header(&request, "x-svc-client-time"), None);
}

#[test]
fn setters_clean_and_apply() {
    let transport = Recorder::always(200, "null");
    let client = builder("http://svc.test")
        .transport(transport.clone())
        .build()
        .expect("a client");
    client.set_platform("web\r\nx");
    client.set_platform_version(None);
    client.set_token("second");
    let _ = client.admin().get_project();
    let request = transport.taken().remove(0);
    assert_eq!(header(&request, "x-svc-platform").as_deref(), Some("web x"));
    assert_eq!(header(&request, "x-svc-platform-version"), None);
    assert_eq!(
        header(&request, "authorization").as_deref(),
        Some("Bearer second")
    );
    client.clear_token();
    assert!(matches!(client.admin().get_project(), Err(Error::Auth(_))));
}

#[test]
fn extra_headers_do_not_replace_ours() {
    let request = recorded(|b| {
        b.header("X-Extra", "1")
            .header("Authorization", "Basic x")
            .header("X-SVC-Platform", "mine")
            .header("accept", "*/*")
    });
    assert_eq!(header(&request, "x-extra").as_deref(), Some("1"));
    assert_eq!(header(&request, "authorization"), None);
    assert_eq!(
        header(&request, "accept").as_deref(),
        Some("application/json")
    );
    assert_ne!(header(&request, "x-svc-platform").as_deref(), Some("mine"));
}

#[test]
fn line_breaks_are_refused() {
    let refused = [
        builder("http://x").user_agent("a\nb"),
        builder("http://x").app_identifier("a\rb"),
        builder("http://x").header("x", "a\r\nb"),
        builder("http://x").header("x\n", "a"),
        SvcClient::builder("svc.test"),
    ];
    for builder in refused {
        assert!(matches!(builder.build(), Err(Error::Invalid(_))));
    }
}

#[test]
fn client_time_is_read_for_each_attempt() {
    let transport = Recorder::new({
        let count = Mutex::new(0);
        move |_| {
            *lock(&count) += 1;
            Ok((
                if *lock(&count) < 3 { 503 } else { 200 },
                Vec::new(),
                HEALTH.into(),
            ))
        }
    });
    let client = builder("http://svc.test")
        .transport(transport.clone())
        .fake_clock()
        .build()
        .expect("a client");
    client.health().expect("health");
    let times: Vec<_> = transport
        .taken()
        .iter()
        .filter_map(|r| header(r, "x-svc-client-time"))
        .collect();
    assert_eq!(times.len(), 3);
    assert!(times[0] < times[1] && times[1] < times[2], "{times:?}");
}

#[test]
fn reads_are_retried() {
    let server = Server::scripted(vec![answer(503, &[], "{}"), answer(200, &[], HEALTH)]);
    let client = builder(&server.url).fake_clock().build().expect("a client");
    client.health().expect("health");
    assert_eq!(server.count(), 2);

    let server = Server::scripted(vec![answer(
        503,
        &[("Retry-After", "2")],
        r#"{"message":"later"}"#,
    )]);
    let client = builder(&server.url).fake_clock().build().expect("a client");
    let error = client.health().expect_err("an error");
    assert_eq!((error.status(), server.count()), (Some(503), 4));
    assert_eq!(error.to_string(), "[503] later");
    assert_eq!(
        client.0.core.clock.monotonic(),
        Duration::from_secs(6),
        "Retry-After counts"
    );

    let server = Server::scripted(vec![answer(503, &[("Retry-After", "31")], "{}")]);
    let client = builder(&server.url).fake_clock().build().expect("a client");
    client.health().expect_err("an error");
    assert_eq!(server.count(), 1);
}

#[test]
fn writes_are_sent_once() {
    let server = Server::scripted(vec![answer(503, &[], "{}")]);
    let client = builder(&server.url).fake_clock().build().expect("a client");
    client.login("a", "b").expect_err("an error");
    assert_eq!(server.count(), 1);
}

#[test]
fn read_timeouts_are_not_retried() {
    for partial in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"] {
        let server = Server::scripted(vec![Turn::Hang(partial.into())]);
        let client = builder(&server.url)
            .timeout(Duration::from_millis(200))
            .build()
            .expect("a client");
        let error = client.health().expect_err("an error");
        assert!(error.is_timeout(), "{error:?}");
        assert_eq!(server.count(), 1);
    }
}

/// Nobody listens on this port; one that was free may be another test's by now.
const NOBODY: &str = "http://127.0.0.1:1";

#[test]
fn refused_connections_are_retried() {
    let client = builder(NOBODY).fake_clock().build().expect("a client");
    let error = client.health().expect_err("an error");
    assert!(matches!(error, Error::Connection(_)), "{error:?}");
    assert_eq!(
        client.0.core.clock.monotonic(),
        Duration::from_millis(300 + 600 + 1200)
    );
}

fn message(error: Error) -> String {
    let Error::Connection(error) = error else {
        panic!("{error:?}")
    };
    error.message
}

/// Tries with both clients where a server may be, and returns why there is none.
fn reasons(url: &str) -> Vec<String> {
    let client = || builder(url).retries(0);
    let blocking = client().build().expect("a client");
    vec![
        message(blocking.health().expect_err("an error")),
        #[cfg(feature = "async")]
        message(asynchronous::failed(client())),
    ]
}

#[test]
fn a_failed_connection_says_why() {
    for text in reasons(NOBODY) {
        assert!(text.starts_with("the connection failed: "), "{text}");
        assert!(text.contains("Connection refused"), "{text}");
    }
    for text in reasons("http://svc.invalid") {
        assert!(
            text.starts_with("the name of the host could not be looked up: "),
            "{text}"
        );
    }
    // It does not speak TLS.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = std::io::BufReader::new(stream);
            let _ = stream
                .get_mut()
                .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            let _ = stream.read_to_end(&mut Vec::new());
        }
    });
    for text in reasons(&format!("https://{address}")) {
        // rustls, and TLS of the system.
        let says = |why| text.contains(why);
        assert!(
            says("InvalidContentType") || says("wrong version"),
            "{text}"
        );
    }
}

/// A transport with errors that reveal too much.
struct Talkative;

impl crate::Transport for Talkative {
    fn send(
        &self,
        _: &crate::Request,
    ) -> std::result::Result<crate::Response, crate::TransportError> {
        let inner = std::io::Error::other("http://me:secret@svc.test/?q=secret was refused");
        Err(crate::TransportError::new(Failure::Connect, inner))
    }
}

#[test]
fn reasons_have_no_address() {
    let client = builder("http://svc.test").transport(Talkative).retries(0);
    let error = client.build().expect("a client").health();
    assert_eq!(
        message(error.expect_err("an error")),
        "the connection failed: (address) was refused"
    );
}

#[test]
fn no_debug_text_has_a_credential() {
    let transport = Recorder::always(200, "{\"total\":0,\"data\":[]}");
    let client = builder("http://me:svc_secret@svc.test")
        .token("svc_secret")
        .header("X-Key", "svc_secret")
        .transport(transport.clone())
        .build()
        .expect("a client");
    let list = crate::ListFeedbacks::new().search("svc_secret");
    let _ = client.admin().list_feedbacks(&list);
    let _ = client.login("me", "svc_secret");
    client.set_token("svc_secret");
    let requests = transport.taken();
    assert_eq!(requests.len(), 2);
    for text in [
        format!("{client:?} {client:#?}"),
        format!("{requests:?} {requests:#?}"),
    ] {
        assert!(text.contains("http://svc.test"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

/// A wait of 30 s that was cut short. The bar is 100 ms, which the bench of all
/// libraries measures; a loaded machine holds 2 s.
fn ended_in_time(what: &str, took: Duration) {
    println!("{what} ends a wait of 30 s after {took:?}");
    assert!(took < Duration::from_secs(2), "{what} took {took:?}");
}

#[test]
fn closing_ends_a_wait() {
    let server = Server::scripted(vec![answer(503, &[("Retry-After", "30")], "{}")]);
    let (tell, told) = std::sync::mpsc::channel();
    let client = builder(&server.url)
        .log_fn(move |_| {
            let _ = tell.send(());
        })
        .build()
        .expect("a client");
    let other = client.clone();
    let waiting = std::thread::spawn(move || (other.health(), Instant::now()));
    // The attempt has ended: what is left of the call is its wait.
    told.recv().expect("an attempt");
    let start = Instant::now();
    client.close(Duration::ZERO);
    let (result, end) = waiting.join().expect("a result");
    assert!(
        matches!(result, Err(Error::Invalid(_)) | Err(Error::Api(_))),
        "{result:?}"
    );
    ended_in_time("closing", end.saturating_duration_since(start));
    assert!(matches!(client.health(), Err(Error::Invalid(_))), "closed");
}

#[test]
fn redirects_stay_with_the_host() {
    let server = Server::new(|seen| match seen.line.split(' ').nth(1) {
        Some("/api/v1/health") => answer(302, &[("Location", "/moved")], ""),
        Some("/moved") => answer(200, &[], HEALTH),
        _ => answer(
            301,
            &[("Location", "http://other.test/x")],
            r#"{"message":"away"}"#,
        ),
    });
    let client = builder(&server.url).token("t").build().expect("a client");
    client.health().expect("health");
    let error = client.admin().get_project().expect_err("an error");
    assert_eq!(error.status(), Some(301));
    assert_eq!(server.count(), 3);
}

#[test]
fn answers_that_are_not_usable() {
    let try_answer = |turn: Turn| {
        let server = Server::scripted(vec![turn]);
        let client = builder(&server.url).retries(0).build().expect("a client");
        client
            .public()
            .get_latest_preview_version(&ReadOptions::new())
    };
    let message = |turn: Turn| try_answer(turn).expect_err("an error").to_string();
    assert_eq!(
        message(answer(400, &[], r#"{"message":["a","b"]}"#)),
        "[400] a; b"
    );
    assert_eq!(message(answer(502, &[], "<h1>down</h1>")), "[502] HTTP 502");
    assert_eq!(try_answer(answer(200, &[], "")).expect("null"), None);
    assert_eq!(try_answer(answer(200, &[], "null")).expect("null"), None);
    match try_answer(answer(200, &[("Retry-After", "7")], "<p>hello</p>")) {
        Err(Error::Api(e)) => {
            assert_eq!(
                (e.status, e.body.as_str(), e.retry_after),
                (200, Some("<p>hello</p>"), Some(7))
            );
            assert_eq!(
                (e.method, e.path),
                ("GET", "/public/{k}/versions/latest-preview")
            );
        }
        other => panic!("{other:?}"),
    }
    let cut = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 900\r\n\r\n{\"id\":";
    let error = try_answer(Turn::Write(cut.into())).expect_err("an error");
    assert!(matches!(error, Error::Connection(_)), "{error:?}");
}

#[test]
fn no_text_has_a_secret() {
    let secrets = ["svc_secret", "hidden-id", "search-me", "acme"];
    let texts: Arc<Mutex<Vec<String>>> = Arc::default();
    for failure in [None, Some(Failure::Connect)] {
        let log = texts.clone();
        let transport = Recorder::new(move |_| match failure {
            Some(failure) => Err(failure),
            None => Ok((500, Vec::new(), b"{}".to_vec())),
        });
        let client = builder("http://svc.test")
            .token(secrets[0])
            .transport(transport)
            .fake_clock()
            .log_fn(move |attempt| lock(&log).push(format!("{attempt:?}")))
            .build()
            .expect("a client");
        let list = crate::ListFeedbacks::new().search(secrets[2]);
        let errors = [
            client
                .admin()
                .delete_event_subject(secrets[1])
                .expect_err("an error"),
            client.admin().list_feedbacks(&list).expect_err("an error"),
        ];
        lock(&texts).extend(
            errors
                .iter()
                .flat_map(|e| [e.to_string(), format!("{e:?}")]),
        );
    }
    let texts = lock(&texts);
    assert!(texts.len() > 8);
    for text in texts.iter() {
        assert!(!secrets.iter().any(|s| text.contains(s)), "{text}");
    }
}

#[cfg(feature = "async")]
mod asynchronous {
    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(future)
    }

    /// Why a client without a server fails.
    pub(super) fn failed(builder: ClientBuilder) -> Error {
        let client = builder.build_async().expect("a client");
        block_on(client.health()).expect_err("an error")
    }

    #[test]
    fn async_calls_share_the_rules() {
        let server = Server::scripted(vec![answer(503, &[], "{}"), answer(200, &[], HEALTH)]);
        let client = builder(&server.url)
            .fake_clock()
            .build_async()
            .expect("a client");
        block_on(client.health()).expect("health");
        assert_eq!(server.count(), 2);

        let server = Server::scripted(vec![Turn::Hang(Vec::new())]);
        let client = builder(&server.url)
            .timeout(Duration::from_millis(200))
            .build_async()
            .expect("a client");
        assert!(
            block_on(client.health())
                .expect_err("an error")
                .is_timeout()
        );
        assert_eq!(server.count(), 1);

        let cut = "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"id\":";
        let server = Server::scripted(vec![Turn::Write(cut.into())]);
        let client = builder(&server.url).build_async().expect("a client");
        let error = block_on(client.health()).expect_err("an error");
        assert!(matches!(error, Error::Connection(_)), "{error:?}");
        assert_eq!(server.count(), 1);

        let client = builder(NOBODY)
            .fake_clock()
            .build_async()
            .expect("a client");
        block_on(client.health()).expect_err("an error");
        assert_eq!(client.0.core.clock.monotonic(), Duration::from_millis(2100));
    }

    /// A client that waits 30 s in a call, and a notification when the wait begins.
    fn waiting() -> (Server, crate::AsyncSvcClient, Arc<tokio::sync::Notify>) {
        let server = Server::scripted(vec![answer(503, &[("Retry-After", "30")], "{}")]);
        let attempted = Arc::new(tokio::sync::Notify::new());
        let tell = attempted.clone();
        let client = builder(&server.url)
            .log_fn(move |_| tell.notify_one())
            .build_async()
            .expect("a client");
        (server, client, attempted)
    }

    #[test]
    fn dropping_a_call_ends_its_wait() {
        let (_server, client, attempted) = waiting();
        block_on(async {
            let other = client.clone();
            let call = tokio::task::spawn(async move { other.health().await });
            attempted.notified().await;
            let start = Instant::now();
            call.abort();
            assert!(call.await.expect_err("no result").is_cancelled());
            ended_in_time("dropping", start.elapsed());
        });
    }

    #[test]
    fn closing_ends_an_async_wait() {
        let (_server, client, attempted) = waiting();
        block_on(async {
            let other = client.clone();
            let call = tokio::task::spawn(async move { other.health().await });
            attempted.notified().await;
            let start = Instant::now();
            client.close(Duration::ZERO).await;
            call.await.expect("a result").expect_err("an error");
            ended_in_time("closing", start.elapsed());
        });
    }

    #[test]
    fn async_events_and_updates() {
        let server = Server::new(|seen| match seen.line.contains("check-update") {
            true => answer(200, &[], r#"{"should_update":true}"#),
            false => answer(202, &[], r#"{"accepted":1}"#),
        });
        let client = SvcClient::builder(format!("{}/api/v1", server.url))
            .project_key("acme")
            .app_version("1")
            .analytics(crate::Analytics::new().persistence(crate::Persistence::None))
            .build_async()
            .expect("a client");
        block_on(async {
            client.public().track("a", ());
            assert_eq!(client.public().flush().await.sent, 1);
            let options = crate::CheckOptions::new();
            let first = client.updates().check(&options).await.expect("an update");
            let second = client.updates().check(&options).await.expect("an update");
            assert_eq!((first.remembered, second.remembered), (false, true));
            client.close(Duration::from_secs(1)).await;
        });
    }
}
