"""Both clients against the built server, and the example program in a window."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, environment
from live import PASSWORD, running

from svc_sdk import AsyncSvcClient, SvcApiError, SvcClient, SvcConnectionError


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("server") / "data") as found:
        yield found


@pytest.fixture(scope="module")
def admin(url: str) -> Iterator[SvcClient]:
    with SvcClient(url, "acme") as client:
        client.login("admin", PASSWORD)
        client.admin.create_project(name="Acme")
        yield client


def test_everything_that_an_application_does(url: str, admin: SvcClient, tmp_path: Path) -> None:
    assert admin.health()["status"] == "ok"
    content = os.urandom(3 << 20)
    (tmp_path / "app.bin").write_bytes(content)
    file = admin.admin.upload_file(tmp_path / "app.bin", "app-linux.bin")
    assert file["sha256"] == hashlib.sha256(content).hexdigest()
    admin.admin.create_version("1.4.0", comparable_version="1.4.0")
    version = admin.admin.create_version(
        "v1.5.0",
        comparable_version="1.5.0",
        title="Faster",
        download_links=[{"url": url.removesuffix("/api/v1") + file["path"], "name": "any system"}],
    )
    admin.admin.update_version(version["id"], title=None)
    assert admin.public.get_version("1.5.0")["title"] is None
    admin.admin.create_announcement(title="Hello", content="We are here.")
    with SvcClient(url, "acme", app_version="1.4.0", platform="linux") as app:
        assert app.public.get_latest_announcement()["title"] == "Hello"
        update = app.updates.check()
        assert (update.decision, update.remembered) == ("optional", False)
        assert app.updates.check().remembered
        seen: list[int] = []
        download = update.download(str(tmp_path / "new.bin"), on_progress=lambda n, _: seen.append(n))
        assert download.verified
        assert (tmp_path / "new.bin").read_bytes() == content
        assert seen[-1] == len(content)
        assert sorted(p.name for p in tmp_path.iterdir() if "new" in p.name) == ["new.bin"]
        feedback = app.public.create_feedback("great", rating=5)
        assert app.public.feedback_replies() == []
        admin.admin.update_feedback(feedback["id"], status="resolved", reply="thanks")
        replies = app.public.feedback_replies()
        assert [(reply["status"], reply["reply"]) for reply in replies] == [("resolved", "thanks")]
        assert replies[0]["replied_at"] > 0
        app.public.upload_log(3, "it broke", custom_data={"a": 1})
        for i in range(45):
            app.public.track("opened", {"i": i})
        app.public.flush()
        assert app.public.export_my_data()["total"] == 45
        assert app.public.delete_my_data()["deleted"] == 45
        app.logs.capture(ValueError("from a test"))
        assert app.logs.flush() == 0
    assert admin.admin.get_feedback(feedback["id"])["platform"] == "linux"
    logs = [log["content"] for log in admin.admin.iter_logs()]
    assert "ValueError: from a test" in logs
    with pytest.raises(SvcApiError) as raised:
        admin.admin.get_version("nothing")
    assert raised.value.status == 404


def test_what_administrators_limit_and_remove(admin: SvcClient) -> None:
    admin.admin.update_project(log_retention_days=30, feedback_retention_days=None)
    project = admin.admin.get_project()
    assert (project["log_retention_days"], project["feedback_retention_days"]) == (30, None)

    session = admin.admin.create_upload(filename="half.bin", size=10)
    [upload] = admin.admin.list_uploads()["data"]
    assert (upload["upload_id"], upload["size"]) == (session["upload_id"], 10)
    assert (upload["received_bytes"], upload["credential"]) == (0, "administrator")
    admin.admin.abort_upload(session["upload_id"])
    assert admin.admin.list_uploads() == {"data": []}

    admin.admin.create_log(0, "noise")
    assert admin.admin.prune_logs(level=0, dry_run=True) == {"matched": 1, "deleted": 0}
    assert admin.admin.prune_logs(level=0) == {"matched": 1, "deleted": 1}
    with pytest.raises(SvcApiError) as raised:
        admin.admin.prune_logs()
    assert raised.value.status == 400


async def test_the_same_without_blocking(url: str, admin: SvcClient, tmp_path: Path) -> None:
    async with AsyncSvcClient(url, "acme-two", app_version="1.0") as client:
        await client.login("admin", PASSWORD)
        await client.admin.create_project(name="Acme Two")
        await client.admin.create_version("1.0", comparable_version="1.0")
        await client.admin.create_version("v1.1", comparable_version="1.1", is_milestone=True)
        update = await client.updates.check()
        assert update.decision == "milestone"
        (tmp_path / "x").write_bytes(b"x" * 100_000)
        file = await client.admin.upload_file(tmp_path / "x", "x.bin")
        link: Any = {"url": url.removesuffix("/api/v1") + file["path"]}
        download = await update.download(str(tmp_path / "y"), link=link)
        assert download.verified
        await asyncio.gather(*(client.public.create_feedback(f"feedback {i}") for i in range(10)))
        assert len([f async for f in client.admin.iter_feedbacks()]) == 10
        for i in range(45):
            client.public.track("opened", {"i": i})
        await client.public.flush()
        assert (await client.public.export_my_data())["total"] == 45
        client.logs.capture(ValueError("from a loop"))
        assert await client.logs.flush() == 0
        assert [log["content"] for log in (await client.admin.list_logs())["data"]] == [
            "ValueError: from a loop"
        ]


def test_a_download_that_does_not_match_leaves_nothing(url: str, admin: SvcClient, tmp_path: Path) -> None:
    admin.admin.upsert_version("9", comparable_version="9")
    with SvcClient(url, "acme", app_version="9") as app:
        update = app.updates.check()
        link: Any = {"url": url.removesuffix("/api/v1") + "/f/acme/000000000000/none.bin"}
        (tmp_path / "kept").write_text("old")
        with pytest.raises(SvcConnectionError, match="404"):
            update.download(str(tmp_path / "kept"), link=link)
        assert [(p.name, p.read_text()) for p in tmp_path.glob("kept*")] == [("kept", "old")]


DRIVE = """
import sys, tkinter as tk
sys.path.insert(0, sys.argv[3])
import notes
from svc_sdk import SvcClient
client = SvcClient(sys.argv[1], sys.argv[2], app_version=notes.VERSION, analytics={"require_consent": True})
root = tk.Tk()
window = notes.Notes(root, client)

def wait(done):
    for _ in range(600):
        root.update()
        if done():
            return
        root.after(25, lambda: None)
        root.tk.call("after", 25)
    raise SystemExit(f"not in time: {window.status.get()!r}, {window.news.get()!r}")

wait(lambda: "update to" in window.status.get() and window.news.get())
window.consent.set(True)
window.change_consent()
window.text.insert("1.0", "I like it")
window.feedback.invoke()
wait(lambda: window.status.get() == "Thank you!")
print(window.news.get())
identifier = client.public.distinct_id
window.quit()
print(identifier)
"""


def test_the_example(url: str, admin: SvcClient, tmp_path: Path) -> None:
    pytest.importorskip("tkinter", reason="this Python has no tkinter; Debian: python3-tk")
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not here; Debian: apt-get install xvfb")
    with SvcClient(url, "notes", admin._core.settings.token) as client:
        client.admin.create_project(name="Notes")
        client.admin.create_version("1.4.0", comparable_version="1.4.0")
        client.admin.create_version("v2", comparable_version="2")
        client.admin.create_announcement(title="There is news", content="x")
        reading, writing = os.pipe()
        display = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp"],
            pass_fds=[writing],
            stderr=subprocess.DEVNULL,
        )
        os.close(writing)
        try:
            with os.fdopen(reading) as pipe:
                number = pipe.readline().strip()
            command = [sys.executable, "-c", DRIVE, url, "notes", str(ROOT / "clients/python/examples")]
            done = subprocess.run(
                command, env=environment(DISPLAY=f":{number}"), capture_output=True, text=True, timeout=60
            )
        finally:
            display.terminate()
            display.wait()
        assert done.returncode == 0, done.stderr
        news, identifier = done.stdout.split("\n")[:2]
        assert news == "There is news"
        assert [f["content"] for f in client.admin.iter_feedbacks()] == ["I like it"]
        names = [event["event_name"] for event in client.public.export_my_data(identifier)["data"]]
        assert names == ["consent_given", "feedback_sent"]
