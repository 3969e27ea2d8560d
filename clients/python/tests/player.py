"""Plays steps that a harness gives one by one; SVC_PLAYER_CONTROL is its address.

It posts the result of a step and gets the next one, until the answer is 204.
With SVC_PLAYER_ASYNC=1 the asynchronous client plays them.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import urllib.request
from collections.abc import Mapping
from typing import Any

import httpx
from fakes import AsyncFakeClockClient, FakeClockClient

import svc_sdk
from svc_sdk import AsyncSvcClient, SvcApiError, SvcAuthError, SvcClient, SvcConnectionError, SvcError

Step = dict[str, Any]
# Made once: each one reads the certificates of the system.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
ASYNC = os.environ.get("SVC_PLAYER_ASYNC") == "1"
RENAMED = {
    ("admin", "update_project", "project_key"): "new_project_key",
    ("public", "get_notes", "from"): "from_",
}


def described(error: SvcError) -> dict[str, Any]:
    if isinstance(error, SvcApiError):
        return {
            "kind": "api",
            "status": error.status,
            "message": error.message,
            "method": error.method,
            "path": error.path,
        }
    if isinstance(error, SvcConnectionError):
        return {"kind": "connection", "message": error.message}
    return {"kind": "auth" if isinstance(error, SvcAuthError) else "base", "message": str(error)}


def known(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply without fields that a newer server added."""
    return {name: reply[name] for name in ("id", "status", "reply", "replied_at")}


def percentiles(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)

    def at(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1e6, 1)

    return {"p50_us": at(0.5), "p99_us": at(0.99), "max_us": at(1)}


class Player:
    """Steps that do not wait are the same for both clients."""

    client: Any
    base_url: str
    tracked = 0

    def make(self, step: Step) -> None:
        options = dict(step.get("options") or {})
        state_dir = options.pop("state_dir", None)
        if state_dir:
            os.environ["XDG_STATE_HOME"] = state_dir
        # The name of the library is ours.
        self.base_url = step["base_url"]
        real = bool(step.get("real_clock"))
        if ASYNC:
            kind: Any = AsyncSvcClient if real else AsyncFakeClockClient
        else:
            kind = SvcClient if real else FakeClockClient
        self.client = kind(step["base_url"], **options)

    def plain(self, step: Step) -> dict[str, Any] | None:
        """Do a step that needs no waiting, else return None."""
        do, public = step["do"], self.client.public
        if do == "set":
            value = step.get("value")
            if step["name"] == "token" and value is None:
                self.client.clear_token()
            else:
                getattr(self.client, f"set_{step['name']}")(value)
        elif do == "track":
            public.track(step["name"], step.get("properties"))
        elif do in ("opt_out", "opt_in", "grant_consent", "revoke_consent", "reset_identity"):
            getattr(public, do)()
        elif do == "has_opted_out":
            return {"value": public.has_opted_out()}
        elif do == "clock":
            self.client.fake.advance(step.get("wall_seconds", 0), step.get("monotonic_seconds", 0))
        elif do == "save":
            self.client._core.queue().save()
        elif do == "exit":
            if step.get("hard"):
                os._exit(9)
            sys.exit(0)
        else:
            return None
        return {}

    def method(self, step: Step) -> Any:
        """Return the call that a step names, ready to be made."""
        name, method = step["namespace"], step["method"]
        arguments = dict(step.get("args") or {})
        for (namespace, of, wire), ours in RENAMED.items():
            if (namespace, of) == (name, method) and wire in arguments:
                arguments[ours] = arguments.pop(wire)
        target = self.client if name == "client" else getattr(self.client, name)
        return lambda: getattr(target, method)(**arguments)

    def capture(self, args: Step) -> None:
        logs = self.client.logs
        logs._reports.redact = lambda report: {**report, "device_info": {}}
        frame = args.get("frame") or ""
        level = args.get("level", 3)
        logs.add(args["type"], args["message"], frame, frame, level, None, None)


class SyncPlayer(Player):
    def do(self, step: Step) -> dict[str, Any]:
        try:
            return self._do(step)
        except SvcError as error:
            return {"error": described(error)}
        except TypeError as error:
            return {"error": {"kind": "base", "message": str(error)}}

    def _do(self, step: Step) -> dict[str, Any]:
        do = step["do"]
        if do == "open":
            self.make(step)
            return {}
        plain = self.plain(step)
        if plain is not None:
            self.client._core.settle()
            return plain
        result: dict[str, Any] = {}
        if do == "call":
            self.method(step)()
            result = {"ok": True}
        elif do == "flush":
            result = self.client.public.flush()._asdict()
        elif do == "feedback_replies":
            result = {"replies": list(map(known, self.client.public.feedback_replies()))}
        elif do == "check_updates":
            found = self.client.updates.check(**step.get("args", {}))
            result = {"decision": found.decision, "remembered": found.remembered}
        elif do == "capture":
            self.capture(step.get("args", {}))
            self.client.logs.flush()
        elif do == "close":
            self.client.close(60.0)
            return {}
        elif do == "spin":
            self.spin(step)
        elif do == "bench":
            return self.bench(step)
        else:
            raise SvcError(f"unknown step {do}")
        self.client._core.settle()
        return result

    def spin(self, step: Step) -> None:
        file = os.open(step["file"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        until = time.monotonic() + step["seconds"]
        i = 0
        while time.monotonic() < until:
            self.client.public.track("tick", {"i": i})
            os.write(file, f"{i} {time.time_ns() // 1_000_000}\n".encode())
            i += 1
            time.sleep(0.001)
        time.sleep(3600)

    def bench(self, step: Step) -> dict[str, Any]:
        took: list[float] = []
        if step["name"] == "track":
            begin = time.perf_counter()
            for i in range(step["count"]):
                while time.perf_counter() < begin + i / 2000:
                    time.sleep(0.0001)
                before = time.perf_counter()
                self.client.public.track("bench", {"i": i, "view": "main"})
                took.append(time.perf_counter() - before)
            return percentiles(took)
        key = self.client.project_key
        with httpx.Client() as bare:
            for _ in range(step["count"]):
                before = time.perf_counter()
                if step["name"] == "call":
                    self.client.public.get_latest_version()
                else:
                    bare.get(f"{self.base_url}/public/{key}/versions/latest").json()
                took.append(time.perf_counter() - before)
        return percentiles(took)


class AsyncPlayer(Player):
    async def do(self, step: Step) -> dict[str, Any]:
        try:
            return await self._do(step)
        except SvcError as error:
            return {"error": described(error)}
        except TypeError as error:
            return {"error": {"kind": "base", "message": str(error)}}

    async def _do(self, step: Step) -> dict[str, Any]:
        do = step["do"]
        if do == "open":
            self.make(step)
            return {}
        plain = self.plain(step)
        if plain is not None:
            await self.client._core.settle()
            return plain
        result: dict[str, Any] = {}
        if do == "call":
            await self.method(step)()
            result = {"ok": True}
        elif do == "flush":
            result = (await self.client.public.flush())._asdict()
        elif do == "feedback_replies":
            result = {"replies": list(map(known, await self.client.public.feedback_replies()))}
        elif do == "check_updates":
            found = await self.client.updates.check(**step.get("args", {}))
            result = {"decision": found.decision, "remembered": found.remembered}
        elif do == "capture":
            self.capture(step.get("args", {}))
            await self.client.logs.flush()
        elif do == "close":
            await self.client.aclose(60.0)
            return {}
        elif do == "spin":
            await self.spin(step)
        else:
            raise SvcError(f"unknown step {do}")
        await self.client._core.settle()
        return result

    async def spin(self, step: Step) -> None:
        file = os.open(step["file"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        until = time.monotonic() + step["seconds"]
        i = 0
        while time.monotonic() < until:
            self.client.public.track("tick", {"i": i})
            os.write(file, f"{i} {time.time_ns() // 1_000_000}\n".encode())
            i += 1
            await asyncio.sleep(0.001)
        await asyncio.sleep(3600)


def report(result: dict[str, Any]) -> Step | None:
    """Post a result and return the next step."""
    request = urllib.request.Request(
        os.environ["SVC_PLAYER_CONTROL"],
        data=json.dumps(result).encode(),
        headers={"Content-Type": "application/json"},
        method="POST",
    )
    with OPENER.open(request) as answer:
        return None if answer.status == 204 else json.loads(answer.read())


async def play_async() -> None:
    player = AsyncPlayer()
    loop = asyncio.get_running_loop()
    step = await loop.run_in_executor(None, report, {"ready": True})
    while step is not None:
        step = await loop.run_in_executor(None, report, await player.do(step))


def play() -> None:
    player = SyncPlayer()
    step = report({"ready": True})
    while step is not None:
        step = report(player.do(step))


if __name__ == "__main__":
    assert svc_sdk.SDK_VERSION
    if ASYNC:
        asyncio.run(play_async())
    else:
        play()
