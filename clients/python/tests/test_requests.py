"""Headers, retries, time limits, answers and errors, with both clients against sockets."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
import socket
import ssl
import threading
import time
from typing import Any

import httpx
import pytest
from fakes import AsyncFakeClockClient, FakeClockClient
from server import Connection, Server, answering

import svc_sdk
from svc_sdk import AsyncSvcClient, SvcApiError, SvcClient, SvcConnectionError, SvcError

OK = (200, b"{}")
SECRET = "svc_very-secret"


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def health(
    kind: str, url: str, *, fake: bool = True, calls: int = 1, **options: Any
) -> tuple[Any, list[float]]:
    """Ask for the health and return the answer and the waits between attempts."""
    return call(kind, url, lambda client: client.health(), fake=fake, calls=calls, **options)


def call(
    kind: str, url: str, do: Any, *, fake: bool = True, calls: int = 1, **options: Any
) -> tuple[Any, list[float]]:
    waits: list[float] = []
    if kind == "sync":
        with (FakeClockClient if fake else SvcClient)(url, **options) as client:
            try:
                for _ in range(calls):
                    answer = do(client)
                return answer, waits
            finally:
                waits.extend(client.fake.waits if isinstance(client, FakeClockClient) else [])

    async def run() -> Any:
        async with (AsyncFakeClockClient if fake else AsyncSvcClient)(url, **options) as client:
            try:
                for _ in range(calls):
                    answer = await do(client)
                return answer
            finally:
                waits.extend(client.fake.waits if isinstance(client, AsyncFakeClockClient) else [])

    return asyncio.run(run()), waits


# Headers.


def headers_of(kind: str, **options: Any) -> dict[str, str]:
    with Server(answering(OK)) as server:
        health(kind, server.url, **options)
        return server.requests[0][1]


def test_headers_by_default(kind: str) -> None:
    headers = headers_of(kind)
    assert headers["accept"] == "application/json"
    assert headers["user-agent"] == f"svc-sdk-python/{svc_sdk.SDK_VERSION}"
    assert headers["x-svc-platform"] in ["windows", "linux", "macos", "ios", "android", "web", "others"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d", headers["x-svc-client-time"])
    assert not {"authorization", "content-type", "cookie", "x-svc-do-not-track"} & set(headers)


def test_headers_without_a_platform(kind: str) -> None:
    headers = headers_of(kind, platform=None, send_client_time=False)
    assert not {name for name in headers if name.startswith("x-svc")}


def test_a_version_is_sent_without_a_platform(kind: str) -> None:
    headers = headers_of(kind, platform=None, platform_version=" Fedora\t41 ")
    assert "x-svc-platform" not in headers
    assert headers["x-svc-platform-version"] == "Fedora 41"


def test_setters_clean(kind: str) -> None:
    def do(client: Any) -> Any:
        client.set_platform("Haiku\u2122 R1")
        client.set_platform_version("\u00a0")
        return client.health()

    with Server(answering(OK)) as server:
        call(kind, server.url, do)
        headers = server.requests[0][1]
    assert headers["x-svc-platform"] == "Haiku R1"
    assert "x-svc-platform-version" not in headers


def test_extra_headers_cannot_replace_ours(kind: str) -> None:
    extra = {
        "X-Mine": "1",
        "authorization": "Basic x",
        "X-SVC-Platform": "beos",
        "User-Agent": "y",
        "Cookie": "z",
    }
    headers = headers_of(kind, headers=extra, platform="linux", app_identifier="Acme/2")
    assert headers["x-mine"] == "1"
    assert headers["x-svc-platform"] == "linux"
    assert headers["user-agent"].endswith(" Acme/2")
    assert not {"authorization", "cookie"} & set(headers)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"user_agent": "a\r\nb"}, "user_agent"),
        ({"user_agent": 7}, "user_agent"),
        ({"app_identifier": "a\nb"}, "app_identifier"),
        ({"app_identifier": 7}, "app_identifier"),
        ({"headers": {"X": "a\nb"}}, "headers: X"),
        ({"headers": {"X": 1}}, "headers: X"),
        ({"headers": {"X Y": "a"}}, "headers"),
        ({"headers": {7: "a"}}, "headers"),
        ({"headers": ["X"]}, "headers"),
        ({"base_url": "svc.example.com/api/v1"}, "base_url"),
        ({"base_url": "https://"}, "base_url"),
        ({"base_url": None}, "base_url"),
        ({"project_key": 7}, "project_key"),
        ({"token": 7}, "token"),
        ({"platform": 7}, "platform"),
        ({"platform_version": 7}, "platform_version"),
        ({"send_client_time": "no"}, "send_client_time"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "15"}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": float("inf")}, "timeout"),
        ({"timeout": (1, 2, 3)}, "timeout"),
        ({"timeout": (1, "2")}, "timeout"),
        ({"retries": -1}, "retries"),
        ({"retries": "3"}, "retries"),
        ({"retries": 1.5}, "retries"),
        ({"locale": 7}, "locale"),
        ({"app_version": 1.4}, "app_version"),
        ({"transport": "https"}, "transport"),
        ({"analytics": True}, "analytics"),
        ({"analytics": {"flush": 1}}, "flush"),
        ({"analytics": {5: 1}}, "5"),
        ({"analytics": {"enabled": "no"}}, "enabled"),
        ({"analytics": {"require_consent": None}}, "require_consent"),
        ({"analytics": {"persistence": "for ever"}}, "persistence"),
        ({"analytics": {"persistence": ["none"]}}, "persistence"),
        ({"analytics": {"flush_interval": 0}}, "flush_interval"),
        ({"analytics": {"flush_interval": "5"}}, "flush_interval"),
        ({"analytics": {"session_timeout": None}}, "session_timeout"),
        ({"analytics": {"batch_size": 0}}, "batch_size"),
        ({"analytics": {"batch_size": "20"}}, "batch_size"),
        ({"analytics": {"max_queue_size": 1.5}}, "max_queue_size"),
        ({"analytics": {"namespace": 7}}, "namespace"),
        ({"analytics": {"storage": {}}}, "storage"),
        ({"analytics": {"on_drop": "print"}}, "on_drop"),
    ],
    ids=str,
)
@pytest.mark.parametrize("make", [SvcClient, AsyncSvcClient])
def test_an_error_names_the_bad_option(make: Any, options: dict[str, Any], named: str) -> None:
    with pytest.raises(SvcError, match=rf"\b{named}\b"):
        make(**{"base_url": "https://svc.example.com/api/v1", **options})


@pytest.mark.parametrize(
    ("setter", "named"),
    [
        ("set_token", "token"),
        ("set_project_key", "project_key"),
        ("set_platform", "platform"),
        ("set_platform_version", "platform_version"),
        ("set_locale", "locale"),
    ],
)
@pytest.mark.parametrize("make", [SvcClient, AsyncSvcClient])
def test_an_error_names_the_bad_setting(make: Any, setter: str, named: str) -> None:
    client = make("https://svc.example.com/api/v1", "acme", "t")
    with pytest.raises(SvcError, match=named):
        getattr(client, setter)(7)
    assert client.project_key == "acme"


def test_a_base_address_without_the_api_path_warns() -> None:
    with pytest.warns(UserWarning, match="/api/v") as caught:
        SvcClient("https://svc.example.com")
    assert caught[0].filename == __file__


def test_client_time_is_read_for_each_attempt(kind: str) -> None:
    with Server(answering((503, b""), OK)) as server:
        _, waits = health(kind, server.url)
        times = [headers["x-svc-client-time"] for _, headers, _ in server.requests]
    assert waits == [0.3]
    assert len(set(times)) == 2


def test_a_request_keeps_its_settings(kind: str) -> None:
    clients: list[Any] = []

    def script(connection: Connection) -> None:
        for status in (503, 200):
            connection.request()
            clients[0].set_token("other")
            connection.answer(status, b"{}")

    def do(client: Any) -> Any:
        clients.append(client)
        return client.admin.get_me()

    with Server(script) as server:
        call(kind, server.url, do, token="first")
        sent = [headers["authorization"] for _, headers, _ in server.requests]
    assert sent == ["Bearer first", "Bearer first"]


# Retries.


def test_four_attempts_and_then_the_error(kind: str) -> None:
    with Server(answering((503, b"{}", "Retry-After: 1"))) as server:
        with pytest.raises(SvcApiError) as raised:
            health(kind, server.url)
        assert len(server.requests) == 4
    assert (raised.value.status, raised.value.retry_after) == (503, 1)


@pytest.mark.parametrize(("seconds", "attempts"), [(2, 2), (31, 1)])
def test_retry_after_is_honoured(kind: str, seconds: int, attempts: int) -> None:
    with Server(answering((502, b"", f"Retry-After: {seconds}"), OK)) as server:
        try:
            _, waits = health(kind, server.url)
            assert waits == [seconds]
        except SvcApiError:
            assert attempts == 1
        assert len(server.requests) == attempts


def test_a_write_is_sent_once(kind: str) -> None:
    with Server(answering((503, b""))) as server:
        with pytest.raises(SvcApiError):
            call(kind, server.url, lambda c: c.public.create_feedback("x"), project_key="acme")
        assert len(server.requests) == 1


def test_a_read_that_takes_too_long_is_sent_once(kind: str) -> None:
    arrived = threading.Event()

    def script(connection: Connection) -> None:
        if connection.request():
            arrived.set()
            connection.request()

    with Server(script) as server:
        with pytest.raises(SvcConnectionError) as raised:
            health(kind, server.url, timeout=0.5)
        # The limit may end before the server has read the request.
        assert arrived.wait(30)
        assert len(server.requests) == 1
    assert raised.value.timeout


def test_the_time_limit_covers_the_body(kind: str) -> None:
    answered = threading.Event()
    ended = threading.Event()

    def script(connection: Connection) -> None:
        """Send a body without an end, so that nothing but the limit ends the call."""
        if not connection.request():
            return
        try:
            connection.answer(200, b"{", length=1 << 20)
            answered.set()
            while not ended.wait(0.02):
                connection.sock.sendall(b" ")
        except OSError:
            pass

    with Server(script) as server:
        began = time.monotonic()
        with pytest.raises(SvcConnectionError) as raised:
            health(kind, server.url, timeout=1)
        took = time.monotonic() - began
        ended.set()
        assert answered.wait(30)
    assert raised.value.timeout
    assert took > 0.9


def test_a_refused_connection_is_tried_again(kind: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    waits: list[float] = []
    make: Any = FakeClockClient if kind == "sync" else AsyncFakeClockClient
    client = make(f"http://127.0.0.1:{port}/api/v1")
    waits = client.fake.waits

    def ask() -> None:
        answer = client.health()
        if inspect.isawaitable(answer):

            async def wait() -> None:
                await answer

            asyncio.run(wait())

    with pytest.raises(SvcConnectionError) as raised:
        ask()
    assert waits == [0.3, 0.6, 1.2]
    assert not raised.value.timeout
    assert isinstance(raised.value.cause, httpx.ConnectError)
    client.close() if kind == "sync" else asyncio.run(client.aclose())


def test_a_broken_handshake_is_tried_again(kind: str) -> None:
    def script(connection: Connection) -> None:
        connection.sock.recv(1)

    with Server(script) as server:
        with pytest.raises(SvcConnectionError):
            health(kind, server.url.replace("http:", "https:"))
        assert server.connections == 4


def test_a_rejected_certificate_is_not(kind: str, tmp_path: Any) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path))

    def script(connection: Connection) -> None:
        with context.wrap_socket(connection.sock, server_side=True) as sock:
            sock.recv(1)

    with Server(script) as server:
        with pytest.raises(SvcConnectionError):
            health(kind, server.url.replace("http:", "https:"))
        assert server.connections == 1


def certificate(folder: Any) -> str:
    """Make a certificate that nobody trusts."""
    import shutil
    import subprocess

    tool = shutil.which("openssl")
    if tool is None:
        pytest.skip("openssl is not here; install it to make a certificate")
    path = str(folder / "cert.pem")
    command = [tool, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=nobody", "-days", "2"]
    subprocess.run([*command, "-keyout", path + ".key", "-out", path], check=True, capture_output=True)
    with open(path, "a") as file, open(path + ".key") as key:
        file.write(key.read())
    return path


def test_a_kept_connection_that_was_closed_is_opened_again(kind: str) -> None:
    def first(connection: Connection) -> None:
        connection.request()
        connection.answer(200, b"{}")
        connection.request()

    with Server(first, answering(OK)) as server:
        health(kind, server.url, calls=2)
        assert server.connections == 2
        assert len(server.requests) == 3


def test_a_new_connection_without_an_answer_is_not_tried_again(kind: str) -> None:
    with Server(lambda connection: connection.request() and None) as server:
        with pytest.raises(SvcConnectionError):
            health(kind, server.url)
        assert server.connections == 1


def test_closing_ends_a_wait() -> None:
    with Server(answering((503, b"", "Retry-After: 20"))) as server:
        client = SvcClient(server.url)
        ended: list[float] = []

        def ask() -> None:
            with pytest.raises(SvcError, match="closed"):
                client.health()
            ended.append(time.monotonic())

        thread = threading.Thread(target=ask)
        thread.start()
        while not server.requests:
            time.sleep(0.005)
        time.sleep(0.1)
        closed = time.monotonic()
        client.close()
        thread.join(10)
        assert ended
        assert ended[0] - closed < 2


async def test_cancelling_ends_a_wait() -> None:
    with Server(answering((503, b"", "Retry-After: 20"))) as server:
        async with AsyncSvcClient(server.url) as client:
            task = asyncio.create_task(client.health())
            while not server.requests:
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.1)
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - began < 2


# Redirects.


def redirected(kind: str, location: str, *then: tuple[int, bytes]) -> tuple[Any, int]:
    with Server(answering((302, b"", f"Location: {location}"), *(then or [OK]))) as server:
        answer, _ = health(kind, server.url)
        return answer, len(server.requests)


def test_a_redirect_to_the_same_host_is_followed(kind: str) -> None:
    assert redirected(kind, "/elsewhere") == ({}, 2)


@pytest.mark.parametrize("location", ["http://localhost:1/x", "ftp://127.0.0.1/x", "http://[bad"])
def test_another_redirect_is_an_error(kind: str, location: str) -> None:
    with pytest.raises(SvcApiError) as raised:
        redirected(kind, location)
    assert raised.value.status == 302


def test_a_fourth_redirect_is_an_error(kind: str) -> None:
    with Server(answering((307, b"", "Location: /again"))) as server:
        with pytest.raises(SvcApiError) as raised:
            health(kind, server.url)
        assert len(server.requests) == 4
    assert raised.value.status == 307


def test_a_write_is_not_redirected(kind: str) -> None:
    with Server(answering((307, b"", "Location: /again"))) as server:
        with pytest.raises(SvcApiError):
            call(kind, server.url, lambda c: c.public.create_feedback("x"), project_key="acme")
        assert len(server.requests) == 1


# Answers and errors.


def raised_by(kind: str, status: int, body: bytes, **options: Any) -> SvcError:
    with Server(answering((status, body))) as server, pytest.raises(SvcError) as raised:
        call(
            kind,
            server.url,
            lambda c: c.admin.list_feedbacks(search="the-secret-search"),
            project_key="acme",
            token=SECRET,
            retries=0,
            **options,
        )
    return raised.value


def test_a_list_of_messages(kind: str) -> None:
    error = raised_by(
        kind, 400, b'{"statusCode":400,"message":["a is wrong","b is wrong"],"error":"Bad Request"}'
    )
    assert isinstance(error, SvcApiError)
    assert str(error) == "[400] a is wrong; b is wrong"
    assert (error.method, error.path) == ("GET", "/admin/projects/{k}/feedbacks")
    assert error.body["error"] == "Bad Request"


def test_a_page_instead_of_json(kind: str) -> None:
    error = raised_by(kind, 502, b"<h1>" + b"x" * 100_000)
    assert isinstance(error, SvcApiError)
    assert str(error) == "[502] HTTP 502"
    assert len(error.body) == 64 << 10


@pytest.mark.parametrize("body", [b"<h1>hello</h1>", b"NaN", b"[" * 100_000, b'{"a":}'])
def test_success_that_is_not_json_is_an_error(kind: str, body: bytes) -> None:
    error = raised_by(kind, 200, body)
    assert isinstance(error, SvcApiError)
    assert error.status == 200


def test_an_empty_answer_is_none(kind: str) -> None:
    with Server(answering((200, b""))) as server:
        assert health(kind, server.url)[0] is None


def test_unknown_fields_and_values_are_kept(kind: str) -> None:
    with Server(answering((200, '{"platform":"beos","new":"é"}'.encode()))) as server:
        assert health(kind, server.url)[0] == {"platform": "beos", "new": "é"}


def test_a_body_that_is_cut_short(kind: str) -> None:
    def script(connection: Connection) -> None:
        connection.request()
        connection.answer(200, b'{"status":', length=100)

    with Server(script) as server:
        with pytest.raises(SvcConnectionError) as raised:
            health(kind, server.url)
        assert len(server.requests) == 1
    assert not raised.value.timeout


def test_an_answer_that_is_too_long(kind: str) -> None:
    def script(connection: Connection) -> None:
        connection.request()
        connection.answer(200, b"", length=1 << 30)
        while True:
            connection.sock.sendall(b" " * (1 << 20))

    with Server(script) as server, pytest.raises(SvcConnectionError, match="32 MiB"):
        health(kind, server.url)


def test_no_text_has_a_secret(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="svc_sdk")
    texts = []
    for status, body in [(401, b'{"message":"no"}'), (500, b"<html>"), (200, b"x")]:
        error = raised_by(kind, status, body)
        texts += [str(error), repr(error)]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    for token in (SECRET, SECRET + "\n"):
        with pytest.raises(SvcError) as raised:
            call(
                kind,
                f"http://me:{SECRET}@127.0.0.1:{port}/api/v1",
                lambda c: c.admin.list_feedbacks(search="the-secret-search"),
                project_key="acme",
                token=token,
            )
        texts += [str(raised.value), repr(raised.value)]
    texts += [record.getMessage() for record in caplog.records]
    assert len(caplog.records) >= 3
    assert "/admin/projects/{k}/feedbacks" in caplog.text
    for text in texts:
        assert "secret" not in text


def test_no_representation_has_a_secret(kind: str) -> None:
    seen: list[object] = []

    class Spy(httpx.BaseTransport, httpx.AsyncBaseTransport):
        """Looks at every local variable of its callers, as reporters of errors do."""

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            frame = inspect.currentframe()
            while frame is not None:
                if "svc_sdk" in frame.f_code.co_filename:
                    seen.extend(frame.f_locals.values())
                frame = frame.f_back
            return httpx.Response(200, json={"data": [], "total": 0})

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return self.handle_request(request)

    url = "https://svc.example.com/api/v1"
    options = {"project_key": "acme", "token": SECRET, "transport": Spy(), "headers": {"X-Key": SECRET}}
    call(kind, url, lambda client: client.admin.list_feedbacks(), **options)
    client = (SvcClient if kind == "sync" else AsyncSvcClient)(url, **options)
    seen += [client, client._core.settings, vars(client)]
    assert len(seen) > 3
    for value in seen:
        assert SECRET not in repr(value)


def test_cookies_are_neither_kept_nor_sent(kind: str) -> None:
    with Server(answering((200, b"{}", "Set-Cookie: a=b; Path=/"))) as server:
        health(kind, server.url, calls=2)
        assert "cookie" not in server.requests[1][1]


def test_login_keeps_the_token(kind: str) -> None:
    with Server(answering((201, b'{"access_token":"abc"}'), OK)) as server:
        if kind == "sync":
            with SvcClient(server.url, token="old") as client:
                client.login("admin", "password")
                client.admin.get_me()
        else:

            async def run() -> None:
                async with AsyncSvcClient(server.url, token="old") as other:
                    await other.login("admin", "password")
                    await other.admin.get_me()

            asyncio.run(run())
        assert "authorization" not in server.requests[0][1]
        assert server.requests[1][1]["authorization"] == "Bearer abc"


def test_a_token_function_is_asked_each_time(kind: str) -> None:
    tokens = iter(["one", "two"])
    with Server(answering(OK)) as server:
        call(kind, server.url, lambda c: c.admin.get_me(), calls=2, token=lambda: next(tokens))
        assert [h["authorization"] for _, h, _ in server.requests] == ["Bearer one", "Bearer two"]


def test_after_close_requests_are_refused(kind: str) -> None:
    client: Any = SvcClient("http://127.0.0.1:9/api/v1", "acme")
    if kind == "async":
        client = AsyncSvcClient("http://127.0.0.1:9/api/v1", "acme")
        asyncio.run(client.aclose())
        asyncio.run(client.aclose())
    else:
        client.close()
        client.close()
    with pytest.raises(SvcError, match="closed"):
        client.health()
    client.public.track("nothing")
    assert client._core.queue().pending() == []


def test_a_transport_of_the_application_stays_open() -> None:
    class Transport(httpx.MockTransport):
        closed = False

        def close(self) -> None:
            self.closed = True

    transport = Transport(lambda request: httpx.Response(200, json={}))
    with SvcClient("https://svc.example.com/api/v1", transport=transport) as client:
        client.health()
    assert not transport.closed


def test_setters_from_many_threads() -> None:
    with Server(answering(OK)) as server, SvcClient(server.url, "acme", "t0", locale="l0") as client:
        stop = threading.Event()

        def change() -> None:
            n = 0
            while not stop.is_set():
                n += 1
                client._core.change(token=f"t{n}", locale=f"l{n}")
                client.set_platform(f"p{n}")

        threads = [threading.Thread(target=change) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            client.public.get_project()
            client.admin.get_project()
        stop.set()
        for thread in threads:
            thread.join()
