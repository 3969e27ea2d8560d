"""The helpers: updates and downloads, error reports, calls beside a user interface."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import VECTORS, environment
from fakes import AsyncFakeClockClient, FakeClockClient
from server import Connection, Server, answering

from svc_sdk import AsyncSvcClient, SvcApiError, SvcClient, SvcConnectionError, SvcError
from svc_sdk._download import download
from svc_sdk._reports import Report

BASE = "https://svc.example.com/api/v1"
CONTENT = bytes(range(256)) * 4096
SHA256 = hashlib.sha256(CONTENT).hexdigest()
OWN = "/f/acme/0123456789ab/app.bin"


def update_answer(**more: Any) -> dict[str, Any]:
    target = {
        "version": "2",
        "content": "notes",
        "download_links": [{"url": "https://dl.example.com/app.jar"}],
    }
    milestone = {"current": False, "latest": False, "target_is_milestone": False}
    return {
        "should_update": True,
        "required": False,
        "reason_codes": ["newer_version_available"],
        "target_version": target,
        "latest_version": target,
        "milestone": milestone,
        **more,
    }


class Updates:
    """Answers update checks and counts them."""

    def __init__(self, **more: Any) -> None:
        self.answer = update_answer(**more)
        self.bodies: list[Any] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(json.loads(request.content))
        return httpx.Response(200, json=self.answer)


def checking(service: Callable[[httpx.Request], httpx.Response], **options: Any) -> FakeClockClient:
    options = {"app_version": "1.0", "platform": "linux", **options}
    return FakeClockClient(BASE, "acme", transport=httpx.MockTransport(service), **options)


def test_an_answer_is_remembered_for_an_interval(state_dir: Path) -> None:
    service = Updates()
    with checking(service) as client:
        first = client.updates.check()
        assert (first.decision, first.remembered, first.reason_codes) == (
            "optional",
            False,
            ["newer_version_available"],
        )
        assert first.link == {"url": "https://dl.example.com/app.jar"}
        assert client.updates.check().remembered
        assert not client.updates.check(include_preview=True).remembered
        assert not client.updates.check(locale="de").remembered
        client.updates.check()
        count = len(service.bodies)
    with checking(service) as again:
        again.fake.advance(6 * 3600 - 1)
        assert again.updates.check().remembered
        again.fake.advance(1)
        assert not again.updates.check().remembered
        assert not again.updates.check(force=True).remembered
    assert len(service.bodies) == count + 2
    assert sorted(p.name for p in state_dir.iterdir()) == ["454ea31f-acme.json", "454ea31f-acme.updates.json"]
    state = json.loads((state_dir / "454ea31f-acme.json").read_text())
    assert list(state) == ["svc.analytics.454ea31f-acme.rollout_key"]
    assert service.bodies[0] == {"current_version": "1.0", "rollout_key": next(iter(state.values()))}


def test_the_rollout_key_stays_in_memory_without_consent(state_dir: Path) -> None:
    service = Updates()
    with checking(service, analytics={"require_consent": True}) as client:
        for _ in range(2):
            client.public.check_update()
        assert not state_dir.exists() or list(state_dir.iterdir()) == []
        client.public.grant_consent()
        client.public.check_update()
        state = json.loads((state_dir / "454ea31f-acme.json").read_text())
    keys = {body["rollout_key"] for body in service.bodies}
    assert keys == {state["svc.analytics.454ea31f-acme.rollout_key"]}


def test_without_a_version_there_is_no_check() -> None:
    service = Updates()
    with checking(service, app_version=None) as client, pytest.raises(SvcError):
        client.updates.check()
    assert service.bodies == []


class Unpublished(Updates):
    """Knows no version, so that it needs a comparable one."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = super().__call__(request)
        if "current_comparable_version" in self.bodies[-1]:
            return answer
        message = "no comparable version is known; send current_comparable_version"
        return httpx.Response(400, json={"statusCode": 400, "message": message, "error": "Bad Request"})

    async def answer_async(self, request: httpx.Request) -> httpx.Response:
        return self(request)


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_version_that_was_never_published_is_compared_as_what_it_stands_for(kind: str) -> None:
    service = Unpublished()

    async def run_async() -> None:
        transport = httpx.MockTransport(service.answer_async)
        async with AsyncFakeClockClient(
            BASE, "acme", app_version="v1.4", rollout_key="7", transport=transport
        ) as client:
            assert (await client.updates.check()).decision == "optional"
            assert (await client.updates.check()).remembered

    if kind == "sync":
        with checking(service, app_version="v1.4", rollout_key="7") as client:
            assert client.updates.check().decision == "optional"
            assert client.updates.check().remembered
    else:
        asyncio.run(run_async())
    assert service.bodies == [
        {"current_version": "v1.4", "rollout_key": "7"},
        {"current_version": "v1.4", "current_comparable_version": "1.4", "rollout_key": "7"},
    ]


def test_a_version_that_stands_for_none_is_an_error_that_says_what_to_do() -> None:
    service = Unpublished()
    with checking(service, app_version="nightly") as client:
        with pytest.raises(SvcApiError, match="send current_comparable_version"):
            client.updates.check()
        assert len(service.bodies) == 1
        update = client.updates.check(current_version="nightly", current_comparable_version="1.4")
        assert update.decision == "optional"


def test_an_error_is_not_remembered() -> None:
    answers = [httpx.Response(503), httpx.Response(200, json=update_answer())]
    with checking(lambda request: answers.pop(0)) as client:
        with pytest.raises(SvcApiError):
            client.updates.check()
        assert client.updates.check().decision == "optional"


def test_a_long_answer_is_remembered_without_its_texts() -> None:
    service = Updates()
    service.answer["latest_version"] = {**service.answer["latest_version"], "content": "x" * 300_000}
    with checking(service) as client:
        assert client.updates.check().answer["latest_version"]["content"]
        remembered = client.updates.check()
        assert remembered.remembered
        assert remembered.answer["latest_version"]["content"] is None


def test_concurrent_checks_share_a_request() -> None:
    arrived, release = threading.Event(), threading.Event()
    service = Updates()

    def slow(request: httpx.Request) -> httpx.Response:
        arrived.set()
        release.wait(20)
        return service(request)

    with checking(slow) as client:
        threads = [threading.Thread(target=client.updates.check) for _ in range(4)]
        threads[0].start()
        arrived.wait(20)
        for thread in threads[1:]:
            thread.start()
        release.set()
        for thread in threads:
            thread.join()
    assert len(service.bodies) == 1


async def test_concurrent_checks_of_tasks_share_a_request() -> None:
    service = Updates()

    async def slow(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0)
        return service(request)

    transport = httpx.MockTransport(slow)
    async with AsyncSvcClient(BASE, "acme", transport=transport, app_version="1") as client:
        found = await asyncio.gather(*(client.updates.check() for _ in range(4)))
    assert len(service.bodies) == 1
    assert {update.decision for update in found} == {"optional"}


# Downloads.

Request = tuple[str, dict[str, str], bytes]


def serving(*breaks: int, content: bytes = CONTENT, sha256: str = SHA256, etag: bool = True) -> Any:
    """Serve a file; each number is how many bytes of an answer come before it breaks off."""
    left = list(breaks)

    def script(connection: Connection) -> None:
        while (request := connection.request()) is not None:
            first, headers, _ = request
            tag = [f'ETag: "{sha256}"'] if etag else []
            start = int(headers.get("range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
            if first.startswith("HEAD"):
                connection.answer(200, b"", *tag, length=len(content))
                continue
            part = content[start:]
            if start:
                tag.append(f"Content-Range: bytes {start}-{len(content) - 1}/{len(content)}")
            cut = left.pop(0) if left else len(part)
            connection.answer(206 if start else 200, part[:cut], *tag, length=len(part))
            if cut < len(part):
                return

    return script


def fetch(kind: str, server: Server, path: str, to: Path, on_progress: Any = None) -> Any:
    """Download a link of the server with either client."""
    url = server.url.removesuffix("/api/v1") + path
    if kind == "sync":
        with FakeClockClient(server.url, "acme") as client:
            return client._core.run(download(url, str(to), client._core.settings, client.fake, on_progress))

    async def run() -> Any:
        async with AsyncFakeClockClient(server.url, "acme") as other:
            return await other._core.run(
                download(url, str(to), other._core.settings, other.fake, on_progress)
            )

    return asyncio.run(run())


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("path", [OWN, "/releases/app.bin"])
def test_a_download_that_breaks_off_is_resumed(kind: str, tmp_path: Path, path: str) -> None:
    seen: list[tuple[int, int | None]] = []
    with Server(serving(1000, 500_000, 0)) as server:
        done = fetch(kind, server, path, tmp_path / "app", on_progress=lambda *s: seen.append(s))
        headers = [headers for first, headers, _ in server.requests if first.startswith("GET")]
    assert (done.size, done.sha256, done.verified) == (len(CONTENT), SHA256, path == OWN)
    assert (tmp_path / "app").read_bytes() == CONTENT
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["app"]
    assert [h.get("range") for h in headers] == [None, "bytes=1000-", "bytes=501000-", "bytes=501000-"]
    assert {h.get("if-range") for h in headers[1:]} == {f'"{SHA256}"'}
    assert not {name for h in headers for name in h if name.startswith("x-svc") or name == "authorization"}
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_without_a_strong_etag_it_starts_again(kind: str, tmp_path: Path) -> None:
    with Server(serving(1000, etag=False)) as server:
        fetch(kind, server, "/releases/app.bin", tmp_path / "app")
        assert not [h for _, h, _ in server.requests if "range" in h]
    assert (tmp_path / "app").read_bytes() == CONTENT


def test_what_a_killed_process_left_is_resumed(kind: str, tmp_path: Path) -> None:
    (tmp_path / f"app.{SHA256[:16]}.part").write_bytes(CONTENT[:700])
    with Server(serving()) as server:
        assert fetch(kind, server, OWN, tmp_path / "app").verified
        assert server.requests[-1][1]["range"] == "bytes=700-"
    assert (tmp_path / "app").read_bytes() == CONTENT


def test_what_stands_in_place_of_the_partial_file_is_not_followed(kind: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    (tmp_path / f"app.{SHA256[:16]}.part").symlink_to(victim)
    with Server(serving()) as server:
        assert fetch(kind, server, OWN, tmp_path / "app").verified
    assert victim.read_text() == "untouched"
    assert not (tmp_path / "app").is_symlink()
    assert (tmp_path / "app").read_bytes() == CONTENT


def test_two_downloads_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    with Server(serving(1000, 2000)) as server, ThreadPoolExecutor(2) as pool:
        both = [pool.submit(fetch, "sync", server, OWN, tmp_path / "app") for _ in range(2)]
        assert all(done.result().verified for done in both)
    assert (tmp_path / "app").read_bytes() == CONTENT
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["app"]


def test_a_part_that_was_not_asked_for_is_no_file(kind: str, tmp_path: Path) -> None:
    part = answering((206, b"half", "Content-Range: bytes 0-3/8"))
    with Server(part) as server, pytest.raises(SvcConnectionError, match="another place"):
        fetch(kind, server, "/releases/app.bin", tmp_path / "app")
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == []


def test_a_folder_that_cannot_be_written_is_a_connection_error(kind: str, tmp_path: Path) -> None:
    with Server(serving()) as server, pytest.raises(SvcConnectionError, match="cannot be written"):
        fetch(kind, server, OWN, tmp_path / "missing" / "app")


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (serving(sha256="0" * 64), "SHA-256"),
        (serving(etag=False), "size and SHA-256"),
        (serving(*[0] * 20), "broke off"),
        (answering((404, b"")), "404"),
        (answering((302, b"", "Location: ftp://example.com/x")), "not http"),
        (answering((302, b"", "Location: /again")), "redirects"),
    ],
)
def test_a_bad_download_leaves_the_target_as_it_was(
    kind: str, tmp_path: Path, script: Any, problem: str
) -> None:
    (tmp_path / "app").write_text("old")
    with Server(script) as server, pytest.raises(SvcConnectionError, match=problem):
        fetch(kind, server, OWN, tmp_path / "app")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir() if p.is_file()] == [("app", "old")]


def test_an_error_of_the_progress_hook_leaves_nothing(kind: str, tmp_path: Path) -> None:
    def stop(received: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with Server(serving()) as server, pytest.raises(KeyboardInterrupt):
        fetch(kind, server, OWN, tmp_path / "app", on_progress=stop)
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == []


def test_links_that_are_refused() -> None:
    with checking(Updates()) as client:
        update = client.updates.check()
        for url in ("ftp://dl.example.com/x", "file:///etc/passwd", "http://dl.example.com/x"):
            with pytest.raises(SvcError):
                update.download("/nowhere/x", link={"url": url})
        with pytest.raises(SvcError, match="no link"):
            checking(Updates(target_version=None)).updates.check(force=True).download("/nowhere/x")


# Error reports.


class LogServer:
    """Takes reports."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.reports: list[Report] = []
        self.projects: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        status = self.statuses.pop(0) if self.statuses else 201
        self.projects.append(request.url.path.split("/")[-2])
        if status == 201:
            self.reports.append(json.loads(request.content))
        return httpx.Response(status, json={})


def reporting(service: LogServer) -> FakeClockClient:
    return FakeClockClient(BASE, "acme", transport=httpx.MockTransport(service), app_version="1.0")


@pytest.mark.parametrize("case", VECTORS["error_limits"], ids=lambda case: str(case["name"]))
def test_limits_of_reports(case: dict[str, Any]) -> None:
    service = LogServer()
    with reporting(service) as client:
        for do, value in case["steps"]:
            if do == "capture":
                client.logs.capture(ValueError(value))
            elif do == "advance":
                client.fake.advance(value)
            else:
                client.logs.flush()
                found = []
                for report in service.reports:
                    counts = {
                        n: report["custom_data"][n]
                        for n in ("repeated", "dropped")
                        if n in report["custom_data"]
                    }
                    found.append({"message": report["content"].removeprefix("ValueError: "), **counts})
                assert found == value


def boom() -> None:
    raise ValueError("boom")


def test_a_report_says_what_happened_and_where() -> None:
    service = LogServer()
    with reporting(service) as client:
        try:
            boom()
        except ValueError as error:
            client.logs.capture(error, source="s" * 200, custom_data={"order": 5})
        client.logs.flush()
    [report] = service.reports
    first, second, *_ = report["content"].split("\n")
    assert first == "ValueError: boom"
    assert second.startswith("  boom (test_helpers.py:")
    assert (report["level"], len(report["source"]), report["custom_data"]["order"]) == (3, 128, 5)
    assert report["device_info"]["app_version"] == "1.0"
    assert set(report["device_info"]) <= {"sdk", "runtime", "os", "os_version", "arch", "app_version"}


def test_hooks_and_undo() -> None:
    service = LogServer()
    before = sys.excepthook, threading.excepthook, list(logging.getLogger().handlers)
    with reporting(service) as client:
        undo = client.logs.install(redact=lambda report: {**report, "device_info": {}})
        try:
            logging.getLogger("app.db").error("lost %s", "it")
            logging.getLogger("app").info("not this")
            logging.getLogger("httpx").error("not that")
            logging.getLogger("svc_sdk").error("nor that")
            sys.excepthook(ValueError, ValueError("uncaught"), None)
        finally:
            undo()
        assert (sys.excepthook, threading.excepthook, logging.getLogger().handlers) == before
        client.logs.flush()
    found = [(r["content"], r["source"], r["device_info"]) for r in service.reports]
    assert found == [("lost it", "app.db", {}), ("ValueError: uncaught", "uncaught", {})]


@pytest.mark.parametrize("redact", [lambda report: None, lambda report: 1 / 0])
def test_a_redaction_hook_can_drop(redact: Any) -> None:
    service = LogServer()
    with reporting(service) as client:
        undo = client.logs.install(redact=redact)
        client.logs.capture(ValueError("secret"))
        undo()
        client.logs.flush()
    assert service.reports == []


def test_reports_wait_for_a_server_and_others_are_dropped() -> None:
    service = LogServer(503, 201, 400)
    with reporting(service) as client:
        client.logs.capture("one")
        client._core.closed.set()  # The thread ends; flush alone sends.
        client.logs._thread and client.logs._thread.join(0.2)
        left = client.logs.flush()
        assert left in (0, 1)
        assert client.logs.flush() == 0
        client.logs.capture("two")
        assert client.logs.flush() == 0
    assert [r["content"] for r in service.reports] == ["one"]


def test_a_report_goes_to_the_project_of_its_time() -> None:
    service = LogServer(503)
    with reporting(service) as client:
        client._core.closed.set()  # No thread sends; flush alone does.
        client.logs.capture("one")
        client.logs.flush()
        client.set_project_key("other")
        client.logs.capture("two")
        assert client.logs.flush() == 0
    assert service.projects == ["acme", "acme", "other"]


def test_capture_never_raises() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    with reporting(LogServer()) as client:
        client.logs.capture(Odd())
        client.logs.capture(ValueError("x"), custom_data=5)  # type: ignore[arg-type]


def test_custom_data_that_json_lacks_becomes_text_and_is_taken_as_it_is_then() -> None:
    service = LogServer()
    later = {"a": 1}
    with reporting(service) as client:
        client.logs.capture(
            ValueError("x"),
            custom_data={"at": Path("/x"), "nan": float("nan"), "bad": "\udcff", "later": later},
        )
        later["a"] = 2
        client.logs.flush()
    custom = service.reports[0]["custom_data"]
    assert {name: custom[name] for name in ("at", "nan", "bad", "later")} == {
        "at": "/x",
        "nan": None,
        "bad": "?",
        "later": {"a": 1},
    }


def test_what_a_redaction_hook_logs_is_no_report() -> None:
    service = LogServer()
    count = 0

    def redact(report: Report) -> Report:
        nonlocal count
        count += 1
        logging.getLogger("app").error("redacted %d", count)
        return report

    with reporting(service) as client:
        undo = client.logs.install(redact=redact)
        try:
            client.logs.capture(ValueError("x"))
        finally:
            undo()
        client.logs.flush()
    assert len(service.reports) == 1


UNCAUGHT = """
import asyncio, sys
from svc_sdk import AsyncSvcClient, SvcClient
if sys.argv[2] == "sync":
    client = SvcClient(sys.argv[1], "acme")
    client.logs.install()
    raise ValueError("the end")
async def main():
    client = AsyncSvcClient(sys.argv[1], "acme")
    client.logs.install()
    asyncio.get_running_loop().call_soon(lambda: 1 / 0)
    await asyncio.sleep(0.05)
    raise ValueError("the end")
asyncio.run(main())
"""


def test_an_uncaught_error_is_reported_before_the_end(kind: str) -> None:
    with Server(answering((201, b"{}"))) as server:
        run = [sys.executable, "-c", UNCAUGHT, server.url, kind]
        done = subprocess.run(run, env=environment(), capture_output=True, text=True, timeout=60)
        assert done.returncode == 1
        assert "ValueError: the end" in done.stderr
        first = [json.loads(body)["content"].split("\n")[0] for _, _, body in server.requests]
    assert "ValueError: the end" in first
    assert kind == "sync" or "ZeroDivisionError: division by zero" in first


# Calls beside a user interface.


def test_callbacks_run_where_they_are_drained(caplog: pytest.LogCaptureFixture) -> None:
    client = SvcClient(BASE)
    here = threading.get_ident()
    happened: list[Any] = []

    def note(value: Any) -> None:
        happened.append((value, threading.get_ident() == here))

    def fail() -> None:
        raise ValueError("boom")

    def bad(value: object) -> None:
        raise RuntimeError("in a callback")

    futures = [
        client.background.submit(
            lambda a, *, b: a + b, 1, b=2, on_success=note, on_done=lambda: note("done")
        ),
        client.background.submit(fail, on_error=lambda error: note(str(error))),
        client.background.submit(int, on_success=bad),
    ]
    assert futures[0].result(20) == 3
    for future in futures[1:]:
        future.exception(20)
    drained = 0
    while drained < 4:
        drained += client.background.drain(max_callbacks=1)
    assert sorted(happened, key=str) == [("boom", True), ("done", True), (3, True)]
    assert "a callback failed" in caplog.text
    client.background.submit(int, on_done=lambda: None).result(20)
    while client.background._callbacks.empty():
        pass
    client.close()
    assert "nobody drained" in caplog.text
    with pytest.raises(SvcError):
        client.background.submit(int)
