"""Runs the scenarios of the vectors against a client with a fake clock, storage and server."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import httpx
from fakes import AsyncFakeClockClient, FakeClockClient

BASE = "https://svc.example.com/api/v1"


class MemoryStorage:
    """A storage that survives a restart of the client."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def read(self, key: str) -> str | None:
        return self.texts.get(key)

    def write(self, key: str, value: str) -> None:
        self.texts[key] = value

    def remove(self, key: str) -> None:
        self.texts.pop(key, None)


CLIENT_OPTIONS = ("app_version", "rollout_key")


class World:
    """What the clients of a scenario share, and what came of it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = {k: v for k, v in options.items() if k not in ("dnt", *CLIENT_OPTIONS)}
        self.client = {k: v for k, v in options.items() if k in CLIENT_OPTIONS}
        self.storage = MemoryStorage()
        self.answer, self.retry_after = 202, 0
        self.reject: list[str] = []
        self.hold_next = False
        self.held: tuple[threading.Event, threading.Event] | None = None
        self.held_answer = 202
        self.delivered: list[tuple[str, dict[str, Any]]] = []
        self.requests: list[list[Any]] = []
        self.keys: list[str] = []
        self.dropped: list[str] = []
        self.flush: dict[str, int] = {}
        self.now = 0.0

    def client_options(self) -> dict[str, Any]:
        analytics = {
            **self.options,
            "storage": self.storage,
            "on_drop": lambda name, _: self.dropped.append(name),
        }
        return {"analytics": analytics, "send_client_time": False, "platform": None, **self.client}

    def take(self, request: httpx.Request, content: bytes, held_status: int | None) -> httpx.Response:
        body = json.loads(content)
        if request.url.path.endswith("/check-update"):
            self.keys.append(body["rollout_key"])
            return httpx.Response(200, json={})
        names = [event["name"] for event in body["events"]]
        project = request.url.path.split("/")[-2]
        status, headers = self.answer, {}
        if held_status is not None:
            status = held_status
        elif set(names) & set(self.reject):
            status = 400
        elif self.retry_after:
            headers["Retry-After"] = str(self.retry_after)
        self.requests.append([project, names, status])
        if status == 0:
            raise httpx.ConnectError("nobody is there")
        if 200 <= status < 300:
            self.delivered.append((project, body))
        return httpx.Response(status, headers=headers, json={"accepted": len(names), "skipped": 0})

    def found(self, client: Any) -> dict[str, Any]:
        queue = client._core.queue()
        namespace = client._core.namespace()
        prefix = f"svc.analytics.{namespace}."
        by: dict[str, list[str]] = {}
        sent: list[str] = []
        unique: dict[str, str] = {}
        for project, body in self.delivered:
            for event in body["events"]:
                sent.append(event["name"])
                by.setdefault(project, []).append(event["name"])
                unique.setdefault(event["event_id"], event["name"])
        bodies = [body for _, body in self.delivered]
        last = bodies[-1]["distinct_id"] if bodies else ""
        texts = self.storage.texts
        key = self.keys[-1] if self.keys else ""
        return {
            "active": queue.active(),
            "opted_out": client.public.has_opted_out(),
            "pending": queue.pending(),
            "stored": sorted(key[len(prefix) :] for key in texts if key.startswith(prefix)),
            "sent": sent,
            "dropped": self.dropped,
            "identities": len({body["distinct_id"] for body in bodies}),
            "sessions": len({body["session_id"] for body in bodies}),
            "batches": len(bodies),
            "flush": self.flush,
            "requests": self.requests,
            "sent_by": by,
            "unique_sent": list(unique.values()),
            "storage_keys": sorted(texts),
            "stored_queue": sorted(e["name"] for e in json.loads(texts.get(prefix + "queue", "[]"))),
            "distinct_id": last,
            "distinct_id_is_uuid": len(last) == 36 and last[14] == "4" and last.count("-") == 4,
            "properties": [event.get("properties") for body in bodies for event in body["events"]],
            "rollout_keys": len(set(self.keys)),
            "rollout_key": key,
            "rollout_key_is_number": key.isdecimal() and 0 <= int(key) <= 9999,
        }

    def expect(self, client: Any, wanted: dict[str, Any]) -> None:
        found = self.found(client)
        got = {key: found[key] for key in wanted}
        assert got == wanted

    def plain(self, client: Any, step: list[Any]) -> bool:
        """Do a step that needs no waiting; false when it does."""
        do, public = step[0], client.public
        if do == "track":
            public.track(*step[1:])
        elif do in ("opt_out", "opt_in", "grant_consent", "revoke_consent", "reset_identity"):
            getattr(public, do)()
        elif do == "advance":
            self.now += step[1]
        elif do == "answer":
            self.answer, self.retry_after = step[1], step[2] if len(step) > 2 else 0
        elif do == "reject":
            self.reject = step[1]
        elif do == "bind":
            client.set_project_key(step[1])
        elif do == "store":
            self.storage.write(f"svc.analytics.{client._core.namespace()}.{step[1]}", step[2])
        elif do == "expect":
            self.expect(client, step[1])
        else:
            return False
        return True


def run(scenario: dict[str, Any]) -> None:
    """Run a scenario with the blocking client."""
    world = World(scenario.get("options", {}))
    flushing: list[threading.Thread] = []

    def handler(request: httpx.Request) -> httpx.Response:
        status = None
        if world.hold_next:
            world.hold_next = False
            arrived, release = world.held = (threading.Event(), threading.Event())
            arrived.set()
            assert release.wait(20)
            status = world.held_answer
        return world.take(request, request.content, status)

    def make() -> FakeClockClient:
        transport = httpx.MockTransport(handler)
        return FakeClockClient(BASE, "alpha", transport=transport, **world.client_options())

    def flush() -> None:
        world.flush = client.public.flush()._asdict()

    clients = {"one": make()}
    name, client = "one", clients["one"]
    for step in scenario["steps"]:
        for each in clients.values():
            each.fake.ticks = world.now
        if step[0] == "restart":
            client = clients[name] = make()
        elif step[0] == "client":
            name = step[1]
            client = clients.setdefault(name, clients.get(name) or make())
        elif step[0] == "flush":
            flush()
        elif step[0] == "check":
            client.public.check_update(current_version="1")
        elif step[0] == "send":
            world.hold_next = True
            flushing.append(threading.Thread(target=flush))
            flushing[-1].start()
            while world.held is None:
                threading.Event().wait(0.001)
            assert world.held[0].wait(20)
        elif step[0] == "done":
            assert world.held is not None
            world.held_answer = step[1]
            world.held[1].set()
            flushing.pop().join()
            world.held = None
        else:
            assert world.plain(client, step), step
        for each in clients.values():
            each.fake.ticks = world.now
        if world.held is None:
            client._core.settle()
            client._core.queue().save()
    for each in clients.values():
        each.close(0)


async def run_async(scenario: dict[str, Any]) -> None:
    """Run a scenario with the asynchronous client."""
    world = World(scenario.get("options", {}))
    arrived, release = asyncio.Event(), asyncio.Event()
    flushing: list[asyncio.Task[None]] = []

    async def handler(request: httpx.Request) -> httpx.Response:
        status = None
        if world.hold_next:
            world.hold_next = False
            arrived.set()
            await release.wait()
            status = world.held_answer
        return world.take(request, request.content, status)

    def make() -> AsyncFakeClockClient:
        transport = httpx.MockTransport(handler)
        return AsyncFakeClockClient(BASE, "alpha", transport=transport, **world.client_options())

    async def flush() -> None:
        world.flush = (await client.public.flush())._asdict()

    clients = {"one": make()}
    name, client = "one", clients["one"]
    for step in scenario["steps"]:
        for each in clients.values():
            each.fake.ticks = world.now
        if step[0] == "restart":
            client = clients[name] = make()
        elif step[0] == "client":
            name = step[1]
            client = clients.setdefault(name, clients.get(name) or make())
        elif step[0] == "flush":
            await flush()
        elif step[0] == "check":
            await client.public.check_update(current_version="1")
        elif step[0] == "send":
            world.hold_next = True
            arrived.clear()
            release.clear()
            flushing.append(asyncio.ensure_future(flush()))
            await arrived.wait()
        elif step[0] == "done":
            world.held_answer = step[1]
            release.set()
            await flushing.pop()
        else:
            assert world.plain(client, step), step
        for each in clients.values():
            each.fake.ticks = world.now
        if not flushing:
            await client._core.settle()
            client._core.queue().save()
    for each in clients.values():
        await each.aclose(0)
