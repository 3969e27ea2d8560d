"""Replies to feedback, and what is kept to ask for them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from scenarios import BASE, MemoryStorage

from svc_sdk import AsyncSvcClient, SvcApiError, SvcClient, SvcError

KEY = "svc.analytics.n.feedback"


class Server:
    """Stores feedback, and has a reply to each with an even number but the fifth."""

    def __init__(self) -> None:
        self.stored = 0
        self.failure: int | None = None
        self.page: str | None = None
        """What a proxy says instead of the server."""
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.failure is not None:
            return httpx.Response(self.failure, json={"message": "no"})
        if request.method == "POST":
            n, self.stored = self.stored, self.stored + 1
            return httpx.Response(201, json={"id": f"f{n}", "status": "open", "reply_token": f"t{n}"})
        name = request.url.path.split("/")[-2]
        n = int(name[1:])
        self.asked.append(name)
        if self.page is not None:
            return httpx.Response(404, text=self.page)
        if request.headers.get("X-Reply-Token") != f"t{n}" or n == 4:
            return httpx.Response(404, json={"statusCode": 404, "message": "feedback not found"})
        if n % 2:
            return httpx.Response(200, json={"id": name, "status": "open", "reply": None, "replied_at": None})
        return httpx.Response(
            200, json={"id": name, "status": "resolved", "reply": "thanks", "replied_at": 7}
        )


def options(server: Server, **analytics: Any) -> dict[str, Any]:
    return {
        "project_key": "acme",
        "retries": 0,
        "transport": httpx.MockTransport(server),
        "analytics": {"namespace": "n", **analytics},
    }


def send(client: SvcClient, times: int) -> None:
    for _ in range(times):
        client.public.create_feedback("x")


def answered(client: SvcClient) -> list[str]:
    replies = client.public.feedback_replies()
    assert all(reply["reply"] == "thanks" and reply["replied_at"] == 7 for reply in replies)
    return [reply["id"] for reply in replies]


def test_replies_to_the_newest_twenty() -> None:
    server, storage = Server(), MemoryStorage()
    with (
        SvcClient(BASE, **options(server, storage=storage)) as first,
        SvcClient(BASE, **options(server, storage=storage)) as later,
    ):
        send(first, 7)
        assert answered(first) == ["f0", "f2", "f6"]
        send(later, 18)
        assert answered(later) == [f"f{n}" for n in range(6, 25, 2)]
        kept = json.loads(storage.texts[KEY])
        assert len(kept) == 20
        assert kept[0] == {"id": "f5", "token": "t5", "project_key": "acme"}

        later.public.opt_out()
        send(later, 1)
        send(first, 1)
        assert answered(later) == answered(first) == []
        assert KEY not in storage.texts
        later.public.opt_in()
        assert answered(later) == []


@pytest.mark.parametrize(("persistence", "expected"), [("session", ["f0", "f2"]), ("none", [])])
def test_persistence_says_where_feedback_is_kept(persistence: str, expected: list[str]) -> None:
    storage = MemoryStorage()
    with SvcClient(BASE, **options(Server(), storage=storage, persistence=persistence)) as client:
        send(client, 3)
        assert answered(client) == expected
        assert storage.texts == {}
        client.public.opt_out()
        client.public.opt_in()
        assert answered(client) == []


@pytest.mark.parametrize("persistence", ["persistent", "session"])
def test_nothing_is_kept_without_consent(persistence: str) -> None:
    server, storage = Server(), MemoryStorage()
    given = options(server, storage=storage, persistence=persistence, require_consent=True)
    with SvcClient(BASE, **given) as client, SvcClient(BASE, **given) as waiting:
        send(client, 1)
        assert storage.texts == {}
        client.public.grant_consent()
        assert answered(client) == []
        send(client, 2)
        assert answered(client) == ["f2"]

        assert answered(waiting) == []
        waiting.public.revoke_consent()
        assert KEY not in storage.texts

        send(client, 2)
        client.public.revoke_consent()
        send(client, 2)
        assert answered(client) == []
        assert storage.texts == {}
        client.public.grant_consent()
        assert answered(client) == []
        send(client, 2)
        assert answered(client) == ["f8"]


def test_nothing_is_kept_when_collection_is_off() -> None:
    storage = MemoryStorage()
    with SvcClient(BASE, **options(Server(), storage=storage, enabled=False)) as client:
        send(client, 1)
        assert answered(client) == []
        assert storage.texts == {}


@pytest.mark.parametrize("persistence", ["persistent", "session"])
def test_deleted_feedback_is_forgotten(persistence: str) -> None:
    server, storage = Server(), MemoryStorage()
    with SvcClient(BASE, **options(server, storage=storage, persistence=persistence)) as client:
        send(client, 6)
        server.page = "<h1>Not Found</h1>"
        assert answered(client) == []
        server.page = None
        assert answered(client) == ["f0", "f2"]
        server.asked.clear()
        assert answered(client) == ["f0", "f2"]
        assert server.asked == ["f0", "f1", "f2", "f3", "f5"]
        if persistence == "persistent":
            assert [entry["id"] for entry in json.loads(storage.texts[KEY])] == server.asked


def test_projects_of_a_namespace_keep_their_own_feedback() -> None:
    with SvcClient(BASE, **options(Server(), storage=MemoryStorage())) as client:
        send(client, 1)
        client.set_project_key("other")
        assert answered(client) == []
        send(client, 2)
        assert answered(client) == ["f2"]
        client.set_project_key("ACME")
        assert answered(client) == ["f0"]


@pytest.mark.parametrize("text", ["", "{}", "[1, {}]", '[{"id": "", "token": "t"}]', "[" * 100_000])
def test_what_is_not_valid_is_ignored(text: str) -> None:
    storage = MemoryStorage()
    storage.texts[KEY] = text
    with SvcClient(BASE, **options(Server(), storage=storage)) as client:
        assert answered(client) == []
        send(client, 1)
        assert answered(client) == ["f0"]


def test_other_errors_are_errors() -> None:
    server = Server()
    client = SvcClient(BASE, **options(server, storage=MemoryStorage()))
    send(client, 1)
    server.failure = 400
    with pytest.raises(SvcApiError, match="no"):
        client.public.feedback_replies()
    client.close()
    with pytest.raises(SvcError, match="closed"):
        client.public.feedback_replies()


def test_replies_for_asyncio() -> None:
    async def ask() -> list[str]:
        async with AsyncSvcClient(BASE, **options(Server(), storage=MemoryStorage())) as client:
            for _ in range(3):
                await client.public.create_feedback("x")
            return [reply["id"] for reply in await client.public.feedback_replies()]

    assert asyncio.run(ask()) == ["f0", "f2"]
