//! Replies to feedback, and what is kept to ask for them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::events::InMemory;
use super::server::{Recorder, header};
use crate::models::{FeedbackFields, FeedbackReply};
use crate::sync::lock;
use crate::transport::Request;
use crate::{Analytics, Persistence, SvcClient};

/// Stores feedback, and has a reply to each with an even number but the fifth.
fn replying() -> Recorder {
    let stored = AtomicUsize::new(0);
    Recorder::new(move |request| Ok(answer(&stored, request)))
}

fn answer(stored: &AtomicUsize, request: &Request) -> (u16, Vec<(String, String)>, Vec<u8>) {
    if request.method == "POST" {
        let n = stored.fetch_add(1, Ordering::Relaxed);
        let body = json!({"id": format!("f{n}"), "status": "open", "reply_token": format!("t{n}")});
        return (201, Vec::new(), body.to_string().into_bytes());
    }
    let id = feedback_id(request);
    let number: usize = id[1..].parse().expect("a number");
    let (status, body) =
        if header(request, "x-reply-token") != Some(format!("t{number}")) || number == 4 {
            (
                404,
                json!({"statusCode": 404, "message": "feedback not found"}),
            )
        } else if number % 2 == 0 {
            (
                200,
                json!({"id": id, "status": "resolved", "reply": "thanks", "replied_at": 7}),
            )
        } else {
            (
                200,
                json!({"id": id, "status": "open", "reply": null, "replied_at": null}),
            )
        };
    (status, Vec::new(), body.to_string().into_bytes())
}

fn feedback_id(request: &Request) -> &str {
    request.url.split('/').rev().nth(1).expect("an id")
}

fn client(transport: Recorder, storage: &InMemory, persistence: Persistence) -> SvcClient {
    client_with(
        transport,
        storage,
        Analytics::new().persistence(persistence),
    )
}

fn client_with(transport: Recorder, storage: &InMemory, analytics: Analytics) -> SvcClient {
    let analytics = analytics.storage(storage.clone()).namespace("n");
    SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("acme")
        .retries(0)
        .transport(transport)
        .analytics(analytics)
        .build()
        .expect("a client")
}

fn send(client: &SvcClient, times: usize) {
    for _ in 0..times {
        let fields = FeedbackFields::new().content("x");
        client.public().create_feedback(&fields).expect("feedback");
    }
}

fn ids(replies: Vec<FeedbackReply>) -> Vec<String> {
    for reply in &replies {
        assert_eq!(
            (reply.reply.as_deref(), reply.replied_at),
            (Some("thanks"), Some(7))
        );
    }
    replies.into_iter().map(|r| r.id).collect()
}

fn answered(client: &SvcClient) -> Vec<String> {
    ids(client.public().feedback_replies().expect("replies"))
}

#[test]
fn replies_to_the_newest_twenty() {
    let (storage, transport) = (InMemory::default(), replying());
    let first = client(transport.clone(), &storage, Persistence::Persistent);
    send(&first, 7);
    assert_eq!(answered(&first), ["f0", "f2", "f6"]);
    let later = client(transport, &storage, Persistence::Persistent);
    send(&later, 18);
    let expected: Vec<_> = (6..=24).step_by(2).map(|n| format!("f{n}")).collect();
    assert_eq!(answered(&later), expected);
    let key = "svc.analytics.n.feedback";
    let text = lock(&storage.0).get(key).cloned().expect("stored feedback");
    let oldest = r#"[{"id":"f5","token":"t5","project_key":"acme"},"#;
    assert!(text.starts_with(oldest), "{text}");

    later.public().opt_out();
    send(&later, 1);
    assert!(answered(&later).is_empty());
    send(&first, 1);
    assert!(answered(&first).is_empty());
    assert!(!lock(&storage.0).contains_key(key));
    later.public().opt_in();
    assert!(answered(&later).is_empty());
}

#[test]
fn persistence_says_where_feedback_is_kept() {
    for (persistence, expected) in [
        (Persistence::Session, vec!["f0", "f2"]),
        (Persistence::None, vec![]),
    ] {
        let storage = InMemory::default();
        let client = client(replying(), &storage, persistence);
        send(&client, 3);
        assert_eq!(answered(&client), expected);
        assert!(lock(&storage.0).is_empty());
        client.public().opt_out();
        client.public().opt_in();
        assert!(answered(&client).is_empty());
    }
}

#[test]
fn nothing_is_kept_without_consent() {
    let key = "svc.analytics.n.feedback";
    for persistence in [Persistence::Persistent, Persistence::Session] {
        let (storage, transport) = (InMemory::default(), replying());
        let open = || {
            let analytics = Analytics::new().persistence(persistence);
            client_with(transport.clone(), &storage, analytics.require_consent(true))
        };
        let client = open();
        send(&client, 1);
        assert!(lock(&storage.0).is_empty());
        client.public().grant_consent();
        assert!(answered(&client).is_empty());
        send(&client, 2);
        assert_eq!(answered(&client), ["f2"]);

        let waiting = open();
        assert!(answered(&waiting).is_empty());
        waiting.public().revoke_consent();
        assert!(!lock(&storage.0).contains_key(key));

        send(&client, 2);
        client.public().revoke_consent();
        send(&client, 2);
        assert!(answered(&client).is_empty());
        assert!(lock(&storage.0).is_empty());
        client.public().grant_consent();
        assert!(answered(&client).is_empty());
        send(&client, 2);
        assert_eq!(answered(&client), ["f8"]);
    }
}

#[test]
fn nothing_is_kept_when_collection_is_off() {
    let storage = InMemory::default();
    let client = client_with(replying(), &storage, Analytics::new().enabled(false));
    send(&client, 1);
    assert!(answered(&client).is_empty());
    assert!(lock(&storage.0).is_empty());
}

#[test]
fn deleted_feedback_is_forgotten() {
    for persistence in [Persistence::Persistent, Persistence::Session] {
        let storage = InMemory::default();
        let is_proxy = Arc::new(AtomicBool::new(false));
        let (stored, proxy) = (AtomicUsize::new(0), is_proxy.clone());
        let transport = Recorder::new(move |request| {
            if request.method == "GET" && proxy.load(Ordering::Relaxed) {
                return Ok((404, Vec::new(), b"<h1>Not Found</h1>".to_vec()));
            }
            Ok(answer(&stored, request))
        });
        let client = client(transport.clone(), &storage, persistence);
        send(&client, 6);
        is_proxy.store(true, Ordering::Relaxed);
        assert!(answered(&client).is_empty());
        is_proxy.store(false, Ordering::Relaxed);
        assert_eq!(answered(&client), ["f0", "f2"]);
        transport.taken();
        assert_eq!(answered(&client), ["f0", "f2"]);
        let requests = transport.taken();
        let asked: Vec<_> = requests.iter().map(feedback_id).collect();
        assert_eq!(asked, ["f0", "f1", "f2", "f3", "f5"]);
        let stored = lock(&storage.0).get("svc.analytics.n.feedback").cloned();
        assert!(!stored.unwrap_or_default().contains("f4"));
    }
}

#[test]
fn projects_of_a_namespace_keep_their_own_feedback() {
    let client = client(replying(), &InMemory::default(), Persistence::Persistent);
    send(&client, 1);
    client.set_project_key("other");
    assert!(answered(&client).is_empty());
    send(&client, 2);
    assert_eq!(answered(&client), ["f2"]);
    client.set_project_key("ACME");
    assert_eq!(answered(&client), ["f0"]);
}

/// A storage that cannot be written.
struct Full;

impl crate::Storage for Full {
    fn read(&self, _key: &str) -> std::io::Result<Option<String>> {
        Ok(None)
    }

    fn write(&self, _key: &str, _value: &str) -> std::io::Result<()> {
        Err(std::io::Error::other("full"))
    }

    fn remove(&self, _key: &str) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn feedback_that_cannot_be_stored_is_in_memory() {
    let client = SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("acme")
        .transport(replying())
        .analytics(Analytics::new().storage(Full))
        .build()
        .expect("a client");
    send(&client, 1);
    assert_eq!(answered(&client), ["f0"]);
}

#[test]
fn other_errors_are_errors() {
    let status = Arc::new(Mutex::new(201));
    let now = status.clone();
    let body = br#"{"id":"f","reply_token":"t"}"#;
    let transport = Recorder::new(move |_| Ok((*lock(&now), Vec::new(), body.to_vec())));
    let client = client(transport, &InMemory::default(), Persistence::Persistent);
    send(&client, 1);
    *lock(&status) = 400;
    let error = client.public().feedback_replies().expect_err("an error");
    assert!(matches!(error, crate::Error::Api(e) if e.status == 400));
}

#[cfg(feature = "async")]
#[test]
fn replies_without_blocking() {
    let transport = replying();
    let analytics = Analytics::new().persistence(Persistence::Session);
    let client = SvcClient::builder("https://svc.example.com/api/v1")
        .project_key("acme")
        .async_transport(transport.clone())
        .transport(transport)
        .analytics(analytics.storage(InMemory::default()))
        .build_async()
        .expect("a client");
    let asking = async {
        let fields = FeedbackFields::new().content("x");
        for _ in 0..3 {
            client.public().create_feedback(&fields).await?;
        }
        client.public().feedback_replies().await
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let replies = runtime.expect("a runtime").block_on(asking);
    assert_eq!(ids(replies.expect("replies")), ["f0", "f2"]);
}
