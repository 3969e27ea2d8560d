//! Replies to feedback, and what is kept to ask for them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::events::InMemory;
use super::server::{Recorder, header};
use crate::models::{FeedbackFields, FeedbackReply};
use crate::sync::lock;
use crate::{Analytics, Persistence, SvcClient};

/// Stores feedback, and has a reply to each with an even number but the fifth.
fn replying() -> Recorder {
    let stored = AtomicUsize::new(0);
    Recorder::new(move |request| {
        if request.method == "POST" {
            let n = stored.fetch_add(1, Ordering::Relaxed);
            let body =
                json!({"id": format!("f{n}"), "status": "open", "reply_token": format!("t{n}")});
            return Ok((201, Vec::new(), body.to_string().into_bytes()));
        }
        let id = request.url.split('/').rev().nth(1).expect("an id");
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
        Ok((status, Vec::new(), body.to_string().into_bytes()))
    })
}

fn client(transport: Recorder, storage: &InMemory, persistence: Persistence) -> SvcClient {
    let analytics = Analytics::new()
        .storage(storage.clone())
        .persistence(persistence)
        .namespace("n");
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
    assert!(text.starts_with(r#"[{"id":"f5","token":"t5"},"#), "{text}");

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
    let status = std::sync::Arc::new(Mutex::new(201));
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
