//! The real server: from a login to the deletion of what was tracked.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::events::InMemory;
use super::helpers::Folder;
use crate::models::*;
use crate::{Analytics, CheckOptions, Decision, Persistence, ReadOptions, SvcClient, Upload};

const PASSWORD: &str = "correct horse battery";

/// A server on a folder of its own.
pub(super) struct Live {
    process: Child,
    pub url: String,
    _folder: Folder,
}

impl Live {
    /// Starts the server, or reports the missing part.
    pub(super) fn start() -> Option<Live> {
        let Ok(binary) = std::env::var("SVC_BINARY") else {
            println!(
                "skipped: tests against the server: SVC_BINARY is not set; build it with go build and set it"
            );
            return None;
        };
        let folder = Folder::new();
        let mut process = Command::new(binary)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--public-rate-limit",
                "0",
                "--data",
            ])
            .arg(folder.0.join("data"))
            .env("ADMIN_PASSWORD", PASSWORD)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let log = BufReader::new(process.stderr.take().expect("a log"));
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                let entry: Value = serde_json::from_str(&line).unwrap_or_default();
                if entry["msg"] == "listening" {
                    let _ = tell.send(entry["url"].as_str().unwrap_or("").to_owned());
                }
            }
        });
        let url = told.recv().expect("the server listens");
        let url = url.trim_end_matches('/').to_owned();
        Some(Live {
            process,
            url: format!("{url}/api/v1"),
            _folder: folder,
        })
    }

    fn client(&self) -> SvcClient {
        SvcClient::builder(self.url.as_str())
            .project_key("acme")
            .app_version("1.0.0")
            .platform("linux")
            .analytics(
                Analytics::new()
                    .persistence(Persistence::Session)
                    .storage(InMemory::default()),
            )
            .build()
            .expect("a client")
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn the_real_server() -> crate::Result<()> {
    let Some(live) = Live::start() else {
        return Ok(());
    };
    let client = live.client();
    let (public, admin) = (client.public(), client.admin());
    assert_eq!(client.health()?.status, "ok");
    client.login("admin", PASSWORD)?;
    admin.create_project(&ProjectFields::new().name("Acme"))?;
    admin.create_version(
        &VersionFields::new()
            .version("1.0.0")
            .comparable_version("1.0.0"),
    )?;

    let content = vec![7_u8; 100_000];
    let file = admin.upload_file(
        std::io::Cursor::new(content.clone()),
        &Upload::new("acme-linux.bin"),
    )?;
    let site = live.url.trim_end_matches("/api/v1");
    let url = format!("{site}{}", file.path);
    let link = DownloadLinkInput::new().url(url.as_str());
    let fields = VersionFields::new()
        .comparable_version("2.0.0")
        .title("Two")
        .download_links(vec![link]);
    let version = admin.upsert_version("2.0.0", &fields)?;
    admin.update_version(
        &version.id,
        &VersionFields::new().title(crate::Patch::Clear),
    )?;
    assert_eq!(
        public.get_version("2.0.0", &ReadOptions::new())?.title,
        None
    );
    assert_eq!(
        public.get_latest_preview_version(&ReadOptions::new())?,
        None
    );

    let update = client.updates().check(&CheckOptions::new())?;
    assert_eq!(update.decision, Decision::Optional);
    let folder = Folder::new();
    let to = folder.0.join("acme.bin");
    let done = update.download(&to, |_| std::ops::ControlFlow::Continue(()))?;
    assert!(done.verified);
    assert_eq!(std::fs::read(&to).expect("the file"), content);

    admin.create_announcement(&AnnouncementFields::new().title("Hello").content("World"))?;
    assert_eq!(
        public
            .get_latest_announcement(&crate::LatestAnnouncement::new())?
            .title,
        "Hello"
    );
    let feedback = public.create_feedback(&FeedbackFields::new().content("Nice").rating(5))?;
    assert_eq!(feedback.platform, Some(Platform::Linux));
    assert!(public.feedback_replies()?.is_empty());
    let fields = AdminFeedbackFields::new().reply("thanks".to_owned());
    admin.update_feedback(&feedback.id, &fields)?;
    let replies = public.feedback_replies()?;
    assert_eq!(replies[0].reply.as_deref(), Some("thanks"));
    assert!(replies[0].replied_at > Some(0));
    public.upload_log(&LogFields::new().level(LogLevel::WARNING).content("careful"))?;
    client.logs().capture(&std::io::Error::other("it broke"));
    assert!(client.logs().flush(std::time::Duration::from_secs(20)));
    assert_eq!(admin.iter_logs(&crate::ListLogs::new()).count(), 2);

    let fields = ProjectChanges::new().log_retention_days(30);
    admin.update_project(&fields.feedback_retention_days(crate::Patch::Clear))?;
    let project = admin.get_project()?;
    assert_eq!(project.log_retention_days, Some(30));
    assert_eq!(project.feedback_retention_days, None);
    let session = admin.create_upload(&UploadCreate::new().filename("half.bin").size(10))?;
    let uploads = admin.list_uploads()?.data;
    assert_eq!(uploads.len(), 1);
    assert_eq!(uploads[0].upload_id, session.upload_id);
    assert_eq!(uploads[0].credential, "administrator");
    admin.abort_upload(&session.upload_id)?;
    assert!(admin.list_uploads()?.data.is_empty());
    let warnings = LogPrune::new().level(LogLevel::WARNING);
    let pruned = admin.prune_logs(&warnings.clone().dry_run(true))?;
    assert_eq!((pruned.matched, pruned.deleted), (1, 0));
    let pruned = admin.prune_logs(&warnings)?;
    assert_eq!((pruned.matched, pruned.deleted), (1, 1));

    public.track("opened", json!({"n": 1}));
    public.track("closed", ());
    assert_eq!(public.flush().sent, 2);
    let export = public.export_my_data(None)?;
    assert_eq!(
        export
            .data
            .iter()
            .map(|e| e.event_name.as_str())
            .collect::<Vec<_>>(),
        ["opened", "closed"]
    );
    assert_eq!(public.delete_my_data(None)?.deleted, 2);
    let missing = admin.get_version("nope");
    assert_eq!(missing.expect_err("an error").status(), Some(404));
    Ok(())
}

#[cfg(feature = "async")]
#[test]
fn the_real_server_without_blocking() {
    let Some(live) = Live::start() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let result: crate::Result<()> = runtime.block_on(async {
        let client = SvcClient::builder(live.url.as_str())
            .project_key("acme")
            .without_analytics()
            .build_async()?;
        client.login("admin", PASSWORD).await?;
        client
            .admin()
            .create_project(&ProjectFields::new().name("Acme"))
            .await?;
        let version = VersionFields::new()
            .version("1.0")
            .comparable_version("1.0");
        client.admin().create_version(&version).await?;
        let mut versions = client
            .public()
            .iter_versions(&crate::ListPublicVersions::new());
        assert_eq!(
            versions
                .next()
                .await
                .transpose()?
                .map(|v| v.version)
                .as_deref(),
            Some("1.0")
        );
        assert!(versions.next().await.is_none());
        client.close(std::time::Duration::from_secs(1)).await;
        Ok(())
    });
    result.expect("the async client works");
}

/// The example as a user runs it; cargo builds it beside the tests.
#[test]
fn the_example_runs() -> crate::Result<()> {
    let Some(live) = Live::start() else {
        return Ok(());
    };
    let example = std::env::current_exe().ok().and_then(|exe| {
        let example = exe.parent()?.parent()?.join("examples").join("notes");
        example.exists().then_some(example)
    });
    let Some(example) = example else {
        println!("skipped: the example: it is not built; run cargo test without --lib");
        return Ok(());
    };
    let client = live.client();
    let (admin, folder) = (client.admin(), Folder::new());
    client.login("admin", PASSWORD)?;
    admin.create_project(&ProjectFields::new().name("Acme"))?;
    let installed = VersionFields::new().comparable_version("1.0.0");
    admin.upsert_version("1.0.0", &installed)?;
    let upload = Upload::new("notes-linux.bin");
    let file = admin.upload_file(std::io::Cursor::new(b"new notes".to_vec()), &upload)?;
    let url = format!("{}{}", live.url.trim_end_matches("/api/v1"), file.path);
    let link = DownloadLinkInput::new()
        .url(url)
        .platform("linux macos windows");
    let version = VersionFields::new()
        .comparable_version("2")
        .download_links(vec![link]);
    admin.upsert_version("2", &version)?;

    let run = |arguments: &[&str]| {
        let output = Command::new(&example)
            .args(arguments)
            .env("NOTES_SERVER", &live.url)
            .env("NOTES_PROJECT", "acme")
            .env("NOTES_FILE", folder.0.join("notes.txt"))
            .env("NOTES_SHARE_USAGE", "1")
            .env("XDG_STATE_HOME", &folder.0)
            .output()
            .expect("the example runs");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    assert_eq!(run(&["list"]).0, Some(1), "there are no notes yet");
    assert_eq!(run(&["add", "buy milk"]), (Some(0), String::new()));
    assert_eq!(run(&["list"]), (Some(0), "buy milk\n".to_owned()));
    assert_eq!(
        run(&["feedback", "nice"]),
        (Some(0), "thank you\n".to_owned())
    );
    let new = folder.0.join("new");
    let (code, said) = run(&["update", &new.to_string_lossy()]);
    assert_eq!(code, Some(0));
    assert!(
        said.starts_with("version 2 is here (optional)") && said.contains(", checked"),
        "{said}"
    );
    assert_eq!(std::fs::read(new).expect("the file"), b"new notes");
    assert_eq!(
        admin.list_logs(&crate::ListLogs::new())?.total,
        1,
        "the failure was reported"
    );
    assert_eq!(admin.get_event_overview(&crate::TimeRange::new())?.total, 2);
    Ok(())
}
