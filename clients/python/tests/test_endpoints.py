"""Every row of the endpoint table calls the right verb and path, with the right credential."""

from __future__ import annotations

import ast
import asyncio
import inspect
import typing
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from conftest import ROOT, VECTORS

import svc_sdk.types
from svc_sdk import AsyncSvcClient, ETag, SvcApiError, SvcAuthError, SvcClient, SvcError, Unset

BASE = "https://svc.example.com/api/v1"
ROWS = [tuple(row) for row in VECTORS["endpoints"]]
OPENAPI = yaml.safe_load((ROOT / "openapi.yaml").read_text())
VALUES: dict[str, Any] = {"data": b"bytes", "index": 3, "level": 1, "events": [], "steps": [], "query": {}}


class Recorder:
    """A transport that keeps requests and answers with something that every method takes."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(200, json={"access_token": "t", "total": 0, "data": []})

    async def answer(self, request: httpx.Request) -> httpx.Response:
        return self(request)


def arguments(method: Any) -> dict[str, Any]:
    """Return a value for each argument that has no default, and for current_version."""
    found = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            found[name] = VALUES.get(name, f"the {name}")
    if method.__name__ == "check_update":
        found["current_version"] = "1"
    if method.__name__ in ("export_my_data", "delete_my_data"):
        found["distinct_id"] = "me"
    return found


def expected_path(template: str, args: dict[str, Any]) -> str:
    path = template.replace("{k}", "acme").replace("{v}", "the%20version")
    for name, value in args.items():
        path = path.replace("{" + name + "}", str(value).replace(" ", "%20"))
    return "/api/v1" + path


class Client:
    """Calls a row of the table with either client."""

    def __init__(self, kind: str, **options: Any) -> None:
        self.recorder = Recorder()
        self.client: Any
        if kind == "sync":
            self.client = SvcClient(BASE, transport=httpx.MockTransport(self.recorder), **options)
        else:
            self.client = AsyncSvcClient(BASE, transport=httpx.MockTransport(self.recorder.answer), **options)

    def method(self, namespace: str, name: str) -> Any:
        target = self.client if namespace == "client" else getattr(self.client, namespace)
        return getattr(target, name)

    def call(self, namespace: str, name: str) -> dict[str, Any]:
        method = self.method(namespace, name)
        args = arguments(method)
        answer = method(**args)
        if inspect.iscoroutine(answer):

            async def wait() -> None:
                await answer

            asyncio.run(wait())
        return args


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(("namespace", "name", "verb", "path"), ROWS)
def test_request(kind: str, namespace: str, name: str, verb: str, path: str) -> None:
    client = Client(kind, project_key="acme", token="t")
    args = client.call(namespace, name)
    [request] = client.recorder.requests
    assert request.method == verb
    assert request.url.raw_path.decode().partition("?")[0] == expected_path(path, args)
    credential = "Bearer t" if namespace == "admin" else None
    assert request.headers.get("authorization") == credential


@pytest.mark.parametrize(("namespace", "name", "verb", "path"), [r for r in ROWS if r[0] == "admin"])
def test_without_a_credential(kind: str, namespace: str, name: str, verb: str, path: str) -> None:
    client = Client(kind, project_key="acme")
    method = client.method(namespace, name)
    with pytest.raises(SvcAuthError):
        method(**arguments(method))
    assert client.recorder.requests == []


@pytest.mark.parametrize(("namespace", "name", "verb", "path"), [r for r in ROWS if "{k}" in r[3]])
def test_without_a_project(kind: str, namespace: str, name: str, verb: str, path: str) -> None:
    client = Client(kind, token="t")
    method = client.method(namespace, name)
    with pytest.raises(SvcError) as raised:
        method(**arguments(method))
    assert type(raised.value) is SvcError
    assert client.recorder.requests == []


def test_both_clients_have_the_same_methods() -> None:
    sync, other = Client("sync").client, Client("async").client
    for namespace in ("public", "admin"):
        for name in dir(getattr(sync, namespace)):
            if name.startswith("_"):
                continue
            ours = inspect.getattr_static(getattr(sync, namespace), name)
            theirs = inspect.getattr_static(getattr(other, namespace), name)
            if callable(ours):
                assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)


# Types against openapi.yaml.


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        found: Any = OPENAPI
        for part in schema["$ref"][2:].split("/"):
            found = found[part]
        schema = found
    return schema


def fields(schema: dict[str, Any]) -> tuple[set[str], set[str]]:
    """Return the fields of a schema, and those that are required."""
    schema = resolve(schema)
    names, required = set(schema.get("properties", {})), set(schema.get("required", []))
    for part in schema.get("allOf", []):
        more, needed = fields(part)
        names |= more
        required |= needed
    return names, required


TYPES = [
    name for name in svc_sdk.types.__all__ if name in OPENAPI["components"]["schemas"] and name != "Metric"
]


def test_types_cover_the_schemas() -> None:
    assert set(svc_sdk.types.__all__) - set(TYPES) == {"Estimated", "Localized", "Metric"}


@pytest.mark.parametrize("name", TYPES)
def test_type(name: str) -> None:
    schema = OPENAPI["components"]["schemas"][name]
    ours = getattr(svc_sdk.types, name)
    names, required = fields(schema)
    assert ours.__required_keys__ | ours.__optional_keys__ == names
    assert set(ours.__required_keys__) == required


def nullable(schema: dict[str, Any]) -> bool:
    return bool(schema.get("nullable") or resolve(schema).get("nullable"))


@pytest.mark.parametrize("name", TYPES)
def test_type_allows_null_where_the_schema_does(name: str) -> None:
    hints = typing.get_type_hints(getattr(svc_sdk.types, name), vars(svc_sdk.types))
    for field, schema in resolve(OPENAPI["components"]["schemas"][name])["properties"].items():
        has_none = hints[field] is typing.Any or type(None) in typing.get_args(hints[field])
        assert has_none is nullable(schema), field


ARGUMENTS = {
    # The client is bound to a project, names it otherwise, or fills it in.
    "update_project": {"new_project_key": "project_key"},
    "update_project_locale": {"new_locale": "locale"},
    "get_notes": {"from_": "from"},  # from is a keyword
}
NOT_ARGUMENTS = {
    "check_update": {"platform", "platform_version"},
}


@pytest.mark.parametrize(("namespace", "name", "verb", "path"), [r for r in ROWS if r[0] != "client"])
def test_arguments(namespace: str, name: str, verb: str, path: str) -> None:
    operation = OPENAPI["paths"][path][verb.lower()]
    wanted = set()
    for parameter in [*OPENAPI["paths"][path].get("parameters", []), *operation.get("parameters", [])]:
        parameter = resolve(parameter)
        if parameter["in"] != "header" and parameter["name"] != "k":
            wanted.add("version" if parameter["name"] == "v" else parameter["name"])
    body = resolve(operation["requestBody"]) if "requestBody" in operation else {"content": {}}
    for media, content in body["content"].items():
        wanted |= fields(content["schema"])[0] if media == "application/json" else {"data"}
    if name == "run_event_query":
        wanted = {"query"}
    method = Client("sync", project_key="acme", token="t").method(namespace, name)
    renamed = ARGUMENTS.get(name, {})
    found = {renamed.get(argument, argument) for argument in inspect.signature(method).parameters}
    assert found - {"extra"} == wanted - NOT_ARGUMENTS.get(name, set())
    if "application/json" in body["content"]:
        assert "extra" in found


def test_no_method_is_missing_from_the_table() -> None:
    calls = 0
    for path in Path(inspect.getfile(SvcClient)).parent.glob("_api/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            calls += isinstance(node, ast.Attribute) and node.attr == "_send"
    assert calls == len([row for row in ROWS if row[0] != "client"])


# The state of a record.


def test_if_match() -> None:
    answers = [
        httpx.Response(200, json={}, headers={"ETag": '"1"'}),
        httpx.Response(200, json={}),
        httpx.Response(412, json={"message": "changed"}, headers={"ETag": '"2"'}),
        httpx.Response(200, json={}),
    ]
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return answers[len(requests) - 1]

    transport = httpx.MockTransport(answer)
    client = SvcClient(BASE, "acme", token="t", transport=transport, headers={"if-match": "of all"})
    tag = ETag()
    client.admin.noting(tag).get_version("v1")
    assert tag.value == '"1"'
    client.admin.noting(tag).if_match(tag).delete_version("v1")
    assert tag.value == '"1"'
    with pytest.raises(SvcApiError) as raised:
        client.admin.noting(tag).if_match(tag).update_version("v1", title="x")
    assert raised.value.status == 412
    assert tag.value == '"1"'
    client.admin.update_version("v1", title="x")
    assert [request.headers.get("if-match") for request in requests] == [None, '"1"', '"1"', None]


def test_if_match_of_the_asynchronous_client() -> None:
    client = Client("async", project_key="acme", token="t")

    async def change() -> None:
        await client.client.admin.if_match("*").delete_version("v1")

    asyncio.run(change())
    assert client.recorder.requests[0].headers["if-match"] == "*"


# Absent, null, value.


def test_absent_null_and_value() -> None:
    client = Client("sync", project_key="acme", token="t")
    client.client.admin.update_version("v1", title=None, is_preview=False, content="é", extra={"new": [1]})
    assert client.recorder.requests[0].content == (
        '{"title":null,"content":"é","is_preview":false,"new":[1]}'.encode()
    )
    assert client.recorder.requests[0].headers["content-type"] == "application/json"
    client.client.admin.update_version("v1")
    assert client.recorder.requests[1].content == b"{}"


def test_a_read_has_no_body() -> None:
    client = Client("sync", project_key="acme", token="t")
    client.client.admin.get_version("v1")
    assert client.recorder.requests[0].content == b""
    assert "content-type" not in client.recorder.requests[0].headers


def test_query() -> None:
    client = Client("sync", project_key="acme", token="t", locale="de", app_version="1.0")
    client.client.public.list_announcements(limit=5, search="a b&c", version=None)
    client.client.public.list_versions(is_preview=True, forced=False, locale=None)
    queries = [request.url.query.decode() for request in client.recorder.requests]
    assert queries == ["limit=5&search=a%20b%26c&locale=de", "is_preview=true&forced=false"]


def test_iteration_walks_all_pages(kind: str) -> None:
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        offset = int(request.url.params["offset"])
        seen.append((request.url.params["limit"], offset))
        return httpx.Response(200, json={"total": 250, "data": list(range(offset, min(offset + 100, 250)))})

    async def answer_async(request: httpx.Request) -> httpx.Response:
        return answer(request)

    if kind == "sync":
        client = SvcClient(BASE, "acme", "t", transport=httpx.MockTransport(answer))
        entries = list(client.admin.iter_feedbacks())
    else:

        async def walk() -> list[Any]:
            async with AsyncSvcClient(
                BASE, "acme", "t", transport=httpx.MockTransport(answer_async)
            ) as other:
                return [entry async for entry in other.admin.iter_feedbacks()]

        entries = asyncio.run(walk())
    assert entries == list(range(250))
    assert seen == [("100", 0), ("100", 100), ("100", 200)]


def test_unset_is_falsy_and_says_its_name() -> None:
    assert not svc_sdk.UNSET
    assert repr(svc_sdk.UNSET) == "UNSET"
    assert isinstance(svc_sdk.UNSET, Unset)


def test_the_client_fills_the_project_of_a_new_project() -> None:
    client = Client("sync", project_key="acme", token="t")
    client.client.admin.create_project(name="Acme")
    assert client.recorder.requests[0].content == b'{"name":"Acme","project_key":"acme"}'


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.public.check_update(),
        lambda c: c.public.check_update(current_version=None),
        lambda c: c.public.create_feedback("x", forward_to_codehost=True, contact=" "),
        lambda c: c.public.get_version(".."),
        lambda c: c.admin.delete_version(""),
        lambda c: c.admin.create_version("1", comparable_version="1", custom_data={"x": object()}),
    ],
)
def test_local_checks_send_nothing(call: Any) -> None:
    client = Client("sync", project_key="acme", token="t")
    with pytest.raises(SvcError) as raised:
        call(client.client)
    assert type(raised.value) is SvcError
    assert client.recorder.requests == []
