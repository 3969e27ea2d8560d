//! A note-taking command line program that uses the library for what it is
//! for: it says when there is an update, downloads it, takes feedback, counts
//! what is used when the user agrees, and reports its own failures.
//!
//! ```text
//! notes add "buy milk"     notes list
//! notes update [FILE]      notes feedback TEXT
//! ```
//!
//! `NOTES_SERVER` and `NOTES_PROJECT` say where its instance is, `NOTES_FILE`
//! where the notes are, `NOTES_SHARE_USAGE=1` that the user agrees.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use svc_sdk::models::FeedbackFields;
use svc_sdk::{Analytics, CheckOptions, Decision, InstallOptions, SvcClient};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn variable(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn main() {
    let server = variable("NOTES_SERVER", "http://127.0.0.1:8080/api/v1");
    let client = SvcClient::builder(server)
        .project_key(variable("NOTES_PROJECT", "notes"))
        .app_identifier("notes/1.0.0")
        .app_version(variable("NOTES_VERSION", "1.0.0"))
        .analytics(Analytics::new().require_consent(true))
        .build();
    let client = match client {
        Ok(client) => client,
        Err(e) => {
            eprintln!("notes: {e}");
            std::process::exit(2);
        }
    };
    if variable("NOTES_SHARE_USAGE", "0") == "1" {
        client.public().grant_consent();
    }
    let _panics = client.logs().install(InstallOptions::new());
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = run(&client, &arguments);
    if let Err(e) = &outcome {
        eprintln!("notes: {e}");
        client.logs().capture(e.as_ref());
    }
    client.close(Duration::from_secs(2));
    std::process::exit(i32::from(outcome.is_err()));
}

fn run(client: &SvcClient, arguments: &[String]) -> Outcome {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["add", text] => add(client, text),
        ["list"] => list(client),
        ["update"] => update(client, None),
        ["update", file] => update(client, Some(file.into())),
        ["feedback", text] => feedback(client, text),
        _ => Err("usage: notes add TEXT | list | update [FILE] | feedback TEXT".into()),
    }
}

fn notes_file() -> String {
    variable("NOTES_FILE", "notes.txt")
}

fn add(client: &SvcClient, text: &str) -> Outcome {
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(notes_file())?;
    writeln!(file, "{text}")?;
    client
        .public()
        .track("note_added", json!({"characters": text.chars().count()}));
    Ok(())
}

fn list(client: &SvcClient) -> Outcome {
    print!("{}", std::fs::read_to_string(notes_file())?);
    client.public().track("notes_listed", ());
    Ok(())
}

fn update(client: &SvcClient, to: Option<PathBuf>) -> Outcome {
    let update = client.updates().check(&CheckOptions::new())?;
    let Some(target) = update
        .target
        .as_ref()
        .filter(|_| update.decision != Decision::None)
    else {
        println!("this is the newest version");
        return Ok(());
    };
    println!(
        "version {} is here ({})",
        target.version,
        update.decision.as_str()
    );
    if let Some(to) = to {
        let done = update.download(&to, |progress| {
            eprint!(
                "\r{} of {} bytes",
                progress.received,
                progress.total.unwrap_or(0)
            );
            ControlFlow::Continue(())
        })?;
        eprintln!();
        let checked = if done.verified {
            "checked"
        } else {
            "not checked"
        };
        println!(
            "downloaded to {}, {} bytes, {checked}",
            done.path.display(),
            done.size
        );
    }
    Ok(())
}

fn feedback(client: &SvcClient, text: &str) -> Outcome {
    client
        .public()
        .create_feedback(&FeedbackFields::new().content(text))?;
    println!("thank you");
    Ok(())
}
