"""The queue under load, the file that keeps it, and the ends of a process."""

from __future__ import annotations

import asyncio
import json
import os
import random
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import environment
from fakes import FakeClockClient
from server import Server, answering

from svc_sdk import AsyncSvcClient, SvcClient
from svc_sdk._state import FileStorage

BASE = "https://svc.example.com/api/v1"


class Service:
    """Takes events, at random or always."""

    def __init__(self, seed: int | None = None) -> None:
        self.random = random.Random(seed) if seed is not None else None
        self.delivered: list[str] = []
        self.lock = threading.Lock()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        with self.lock:
            draw = self.random.random() if self.random else 1
            if draw < 0.2:
                return httpx.Response(503)
            if draw < 0.3:
                raise httpx.ReadError("broken")
            if draw < 0.4 and len(body["events"]) > 1:
                return httpx.Response(400)
            self.delivered += [event["event_id"] for event in body["events"]]
        return httpx.Response(202, json={"accepted": len(body["events"])})

    async def answer(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0)
        return self(request)


def options(dropped: list[str], **more: Any) -> dict[str, Any]:
    return {
        "on_drop": lambda name, _: dropped.append(name),
        "max_queue_size": 3000,
        "flush_interval": 0.01,
        **more,
    }


def state_file(folder: Path) -> Path:
    [path] = [p for p in folder.iterdir() if p.suffix == ".json"]
    return path


def stored_names(folder: Path) -> list[str]:
    content = json.loads(state_file(folder).read_text())
    [queue] = [v for k, v in content.items() if k.endswith(".queue")] or ["[]"]
    return [entry["name"] for entry in json.loads(queue)]


def wait_until(holds: Callable[[], bool]) -> bool:
    """Wait until something holds; false when it does not in 20 seconds."""
    deadline = time.monotonic() + 20
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


@pytest.mark.parametrize("seed", [1, 2])
def test_every_event_is_delivered_once(seed: int) -> None:
    service, dropped = Service(seed), []
    client = SvcClient(BASE, "acme", transport=httpx.MockTransport(service), analytics=options(dropped))

    def work() -> None:
        for i in range(500):
            client.public.track("load", {"i": i})

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    service.random = None
    while client.public.flush().pending:
        pass
    client.close()
    assert len(service.delivered) == len(set(service.delivered))
    assert len(service.delivered) + len(dropped) == 4000, f"seed {seed}"


async def test_every_event_of_tasks_is_delivered_once() -> None:
    service, dropped = Service(3), []
    transport = httpx.MockTransport(service.answer)
    async with AsyncSvcClient(BASE, "acme", transport=transport, analytics=options(dropped)) as client:

        async def work() -> None:
            for i in range(500):
                client.public.track("load", {"i": i})
                await asyncio.sleep(0)

        await asyncio.gather(*(work() for _ in range(8)))
        service.random = None
        while (await client.public.flush()).pending:
            pass
    assert len(service.delivered) == len(set(service.delivered))
    assert len(service.delivered) + len(dropped) == 4000


def test_track_does_not_wait_for_a_send() -> None:
    release = threading.Event()
    waited: list[bool] = []

    def block(request: httpx.Request) -> httpx.Response:
        waited.append(release.wait(60))
        return httpx.Response(202, json={})

    client = SvcClient(BASE, "acme", transport=httpx.MockTransport(block))
    for i in range(1500):
        client.public.track("load", {"i": i})
        if i % 50 == 0:
            time.sleep(0.01)
    release.set()
    client.close()
    assert waited
    assert all(waited)


def test_an_opt_out_ends_a_running_send_of_the_asynchronous_client() -> None:
    async def run() -> None:
        arrived = asyncio.Event()

        async def hang(request: httpx.Request) -> httpx.Response:
            arrived.set()
            await asyncio.sleep(3600)
            raise AssertionError

        async with AsyncSvcClient(BASE, "acme", transport=httpx.MockTransport(hang)) as client:
            client.public.track("a")
            flushing = asyncio.create_task(client.public.flush())
            await arrived.wait()
            client.public.opt_out()
            assert (await asyncio.wait_for(flushing, 20)).pending == 0

    asyncio.run(run())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes: run it on Linux or macOS")
def test_modes(state_dir: Path) -> None:
    with SvcClient(BASE, "acme", transport=httpx.MockTransport(Service())) as client:
        assert not state_dir.exists()
        assert client.public.distinct_id
        client.public.reset_identity()
        assert stat.S_IMODE(state_dir.stat().st_mode) == 0o700
        assert stat.S_IMODE(state_file(state_dir).stat().st_mode) == 0o600


def test_two_clients_share_one_file(state_dir: Path) -> None:
    clients = [
        FakeClockClient(BASE, "acme", transport=httpx.MockTransport(lambda r: httpx.Response(503)))
        for _ in range(2)
    ]
    for client, name in zip(clients, ("one", "two"), strict=True):
        client.public.track(name)
        client.public.flush()
    clients[0].public.track("three")
    clients[0]._core.queue().save()
    assert sorted(stored_names(state_dir)) == ["one", "three", "two"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        b"[]",
        b"null",
        b'{"x": 1}',
        b"\xff\xfe",
        b"[" * 10_000,
        b'{"svc.analytics.x.queue": "["}',
    ],
)
def test_garbage_in_the_file_is_ignored(state_dir: Path, content: bytes) -> None:
    with SvcClient(BASE, "acme", transport=httpx.MockTransport(Service())) as client:
        path = state_dir / f"{client._core.namespace()}.json"
        state_dir.mkdir(parents=True)
        path.write_bytes(content)
        client.public.track("a")
        assert client.public.flush().sent == 1
    assert json.loads(path.read_text())[f"svc.analytics.{client._core.namespace()}.distinct_id"]


def test_bad_entries_are_left_out(state_dir: Path) -> None:
    client = SvcClient(BASE, "acme", transport=httpx.MockTransport(Service()))
    good = {"event_id": "e1", "name": "good", "occurred_at": 1, "distinct_id": "d", "session_id": "s"}
    bad = [1, None, {}, {**good, "name": "not one"}, {**good, "occurred_at": -1}, {**good, "distinct_id": ""}]
    bad += [{**good, "event_id": 5}, {**good, "properties": []}, {**good, "session_id": 1}]
    state_dir.mkdir(parents=True)
    key = f"svc.analytics.{client._core.namespace()}.queue"
    (state_dir / f"{client._core.namespace()}.json").write_text(json.dumps({key: json.dumps([*bad, good])}))
    assert client._core.queue().pending() == ["good"]
    client.close()


def test_a_project_key_in_another_case_is_the_same_project(state_dir: Path) -> None:
    entry = {"name": "ours", "occurred_at": 1, "distinct_id": "d", "event_id": "1", "project_key": "ACME"}
    other = {**entry, "name": "theirs", "event_id": "2", "project_key": "other"}
    state_dir.mkdir(parents=True)
    text = json.dumps({"svc.analytics.tool.queue": json.dumps([entry, other])})
    (state_dir / "tool.json").write_text(text)
    client = SvcClient(
        BASE, "acme", transport=httpx.MockTransport(Service()), analytics={"namespace": "tool"}
    )
    assert client._core.queue().pending() == ["ours"]
    client.close()


def test_a_folder_that_cannot_be_written(state_dir: Path) -> None:
    state_dir.parent.mkdir(parents=True)
    state_dir.write_text("a file, where the folder should be")
    with SvcClient(BASE, "acme", transport=httpx.MockTransport(Service())) as client:
        client.public.track("a")
        assert client.public.flush().sent == 1
        client.public.opt_out()
        assert client.public.has_opted_out()
    assert state_dir.read_text().startswith("a file")


def test_a_crash_before_the_rename_leaves_the_old_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = FileStorage(str(tmp_path / "state.json"))
    storage.update(lambda state: {"a": "old"})

    def crash(source: str, target: str) -> None:
        raise OSError("no")

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(OSError, match="no"):
        storage.update(lambda state: {"a": "new"})
    assert storage.load() == {"a": "old"}
    assert [p.name for p in tmp_path.iterdir()] == ["state.json"]


def test_later_changes_of_properties_have_no_effect() -> None:
    with FakeClockClient(
        BASE, "acme", transport=httpx.MockTransport(lambda r: httpx.Response(503))
    ) as client:
        properties: dict[str, Any] = {"n": float("nan"), "o": object, "deep": {"inf": [float("-inf")]}, 5: 6}
        properties["self"] = properties
        client.public.track("a", properties)
        properties["n"] = 1
        wire = json.loads(client._core.queue()._entries[0].wire)["properties"]
        assert (wire["n"], wire["deep"], wire["5"]) == (None, {"inf": [None]}, 6)
        assert wire["o"] == str(object)


@pytest.mark.parametrize(
    "properties", [[1], "text", {"x": "y" * 16384}, {"x": type("T", (), {"__str__": lambda s: 1 / 0})()}]
)
def test_unusable_properties_are_reported(properties: Any) -> None:
    dropped: list[tuple[str, str]] = []
    analytics = {"on_drop": lambda *drop: dropped.append(drop)}
    with SvcClient(BASE, "acme", transport=httpx.MockTransport(Service()), analytics=analytics) as client:
        client.public.track("a", properties)
        client.public.track("not one", None)
        assert client._core.queue().pending() == []
    assert [name for name, _ in dropped] == ["a", "not one"]


SCRIPT = """
import sys
from svc_sdk import SvcClient
client = SvcClient(sys.argv[1], "acme", retries=0)
client.public.track("at_the_end")
"""


def test_the_end_of_the_interpreter_sends(tmp_path: Path) -> None:
    with Server(answering((202, b"{}"))) as server:
        run = [sys.executable, "-W", "error", "-c", SCRIPT, server.url]
        done = subprocess.run(
            run, env=environment(XDG_STATE_HOME=str(tmp_path)), capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert [json.loads(body)["events"][0]["name"] for _, _, body in server.requests] == ["at_the_end"]


def test_the_end_of_the_interpreter_takes_two_seconds_at_most(tmp_path: Path) -> None:
    with Server(lambda connection: connection.request() and connection.request() and None) as server:
        begin = time.monotonic()
        run = [sys.executable, "-c", SCRIPT, server.url]
        environ = environment(XDG_STATE_HOME=str(tmp_path))
        assert subprocess.run(run, env=environ, capture_output=True).returncode == 0
        assert time.monotonic() - begin < 12
    assert stored_names(tmp_path / "svc-sdk") == ["at_the_end"]


FORK = """
import os, sys
from svc_sdk import SvcClient
client = SvcClient(sys.argv[1], "acme", analytics={"flush_interval": 3600})
client.public.track("parent")
client.health()
child = os.fork()
if child == 0:
    assert client._core.queue().pending() == []
    client.public.track("child")
    client.health()
    result = client.public.flush()
    os._exit(0 if result.sent == 1 else 1)
assert os.waitpid(child, 0)[1] == 0
assert client.public.flush().sent == 1
client.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork: run it on Linux or macOS")
def test_a_forked_child_starts_with_an_empty_queue(tmp_path: Path) -> None:
    with Server(answering((202, b"{}"))) as server:
        run = [sys.executable, "-c", FORK, server.url]
        done = subprocess.run(
            run, env=environment(XDG_STATE_HOME=str(tmp_path)), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        events = [json.loads(body)["events"] for _, _, body in server.requests if body]
        assert sorted(event["name"] for batch in events for event in batch) == ["child", "parent"]


KILLED = """
import os, sys, time
from svc_sdk import SvcClient
client = SvcClient("http://127.0.0.1:9/api/v1", "acme", analytics={"flush_interval": 3600})
client.public.track("first")
time.sleep(0.5)
client.public.track("second")
print("ready", flush=True)
time.sleep(3600)
"""


def test_what_was_tracked_is_on_disk_within_a_second(tmp_path: Path) -> None:
    environ = environment(XDG_STATE_HOME=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", KILLED], env=environ, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    deadline = time.monotonic() + 20
    while stored_names(tmp_path / "svc-sdk") != ["first", "second"] and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    process.stdout.close()
    assert stored_names(tmp_path / "svc-sdk") == ["first", "second"]


FLUSHED = """
import asyncio, sys, time
from svc_sdk import AsyncSvcClient, SvcClient

def run():
    client = SvcClient(sys.argv[1], "acme")
    client.public.track("sent")
    assert client.public.flush().sent == 1
    return client

async def run_async():
    client = AsyncSvcClient(sys.argv[1], "acme")
    client.public.track("sent")
    assert (await client.public.flush()).sent == 1
    return client

client = run() if sys.argv[2] == "sync" else asyncio.run(run_async())
print("ready", flush=True)
time.sleep(3600)
"""


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_killed_process_leaves_nothing_that_was_sent(tmp_path: Path, kind: str) -> None:
    with Server(answering((202, b"{}"))) as server:
        run = [sys.executable, "-c", FLUSHED, server.url, kind]
        environ = environment(XDG_STATE_HOME=str(tmp_path))
        process = subprocess.Popen(run, env=environ, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.kill()
        process.wait()
        process.stdout.close()
        assert len(server.requests) == 1
    assert stored_names(tmp_path / "svc-sdk") == []


def test_what_a_timer_sent_leaves_the_file(state_dir: Path) -> None:
    service = Service()
    analytics = {"flush_interval": 0.05}
    client = SvcClient(BASE, "acme", transport=httpx.MockTransport(service), analytics=analytics)
    client.public.track("a")
    assert wait_until(lambda: len(service.delivered) == 1)
    assert wait_until(lambda: state_dir.is_dir() and stored_names(state_dir) == [])
    client.close()


async def test_what_a_task_sent_leaves_the_file(state_dir: Path) -> None:
    service = Service()
    analytics = {"flush_interval": 0.05}
    transport = httpx.MockTransport(service.answer)
    async with AsyncSvcClient(BASE, "acme", transport=transport, analytics=analytics) as client:
        client.public.track("a")
        deadline = time.monotonic() + 20
        while not (service.delivered and stored_names(state_dir) == []) and time.monotonic() < deadline:
            await asyncio.sleep(0.005)
        assert len(service.delivered) == 1
        assert stored_names(state_dir) == []


def test_a_send_that_ends_after_another_project_was_bound_leaves_the_file(state_dir: Path) -> None:
    arrived, release = threading.Event(), threading.Event()

    def hold(request: httpx.Request) -> httpx.Response:
        arrived.set()
        assert release.wait(20)
        return httpx.Response(202, json={})

    client = SvcClient(BASE, "one", transport=httpx.MockTransport(hold), analytics={"flush_interval": 3600})
    client.public.track("a")
    sending = threading.Thread(target=client.public.flush)
    sending.start()
    assert arrived.wait(20)
    client.set_project_key("two")
    client.public.track("b")
    release.set()
    sending.join()
    stored = {path.name[9:]: path for path in state_dir.iterdir()}
    assert "queue" not in stored["one.json"].read_text()
    assert wait_until(lambda: (state_dir / stored["one.json"].name.replace("one", "two")).exists())
    client.close()


@pytest.mark.parametrize("make", [SvcClient, AsyncSvcClient])
def test_an_identifier_that_was_read_is_kept(make: Any) -> None:
    first = make(BASE, "acme").public.distinct_id
    assert make(BASE, "acme").public.distinct_id == first


def test_a_timer_sends_what_does_not_fill_a_batch() -> None:
    service = Service()
    analytics = {"flush_interval": 0.05}
    with SvcClient(BASE, "acme", transport=httpx.MockTransport(service), analytics=analytics) as client:
        for _ in range(2):
            before = len(service.delivered)
            client.public.track("a")
            deadline = time.monotonic() + 20
            while len(service.delivered) == before and time.monotonic() < deadline:
                time.sleep(0.005)
            assert len(service.delivered) == before + 1


async def test_a_task_sends_what_does_not_fill_a_batch() -> None:
    service = Service()
    analytics = {"flush_interval": 0.05}
    transport = httpx.MockTransport(service.answer)
    async with AsyncSvcClient(BASE, "acme", transport=transport, analytics=analytics) as client:
        threading.Thread(target=client.public.track, args=("from_a_thread",)).start()
        client.public.track("a")
        deadline = time.monotonic() + 20
        while len(service.delivered) < 2 and time.monotonic() < deadline:
            await asyncio.sleep(0.005)
        assert len(service.delivered) == 2
