"""One attempt over `httpx`, blocking and not blocking."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any

import httpx

from ._flow import Answer, Attempt, Failure

if TYPE_CHECKING:
    from collections.abc import Coroutine

_NO_AUTH = httpx.Auth()


def client_options() -> dict[str, Any]:
    """What both clients of httpx have in common: no cookies, no redirects of their own."""
    return {
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        "follow_redirects": False,
        "timeout": None,
    }


class _Progress:
    """What an attempt went through, as the transport traces it.

    A transport that does not trace leaves everything as it is at the start.
    """

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.connecting = False
        self.sending = False
        self.reused = False
        self.headers = False
        self.timeouts = _timeouts(attempt)

    def note(self, event: str) -> None:
        if event == "connection.connect_tcp.started" or event == "connection.connect_unix_socket.started":
            self.connecting = True
        elif event.endswith(".send_request_headers.started"):
            self.sending = True
            self.reused = not self.connecting
        # The remaining time decreases with each phase.
        self.timeouts.update(_timeouts(self.attempt))

    async def note_async(self, event: str, _info: object) -> None:
        self.note(event)

    def note_sync(self, event: str, _info: object) -> None:
        self.note(event)


def _timeouts(attempt: Attempt) -> dict[str, float | None]:
    if attempt.read_limit is not None or attempt.expires is None:
        left = attempt.read_limit
    else:
        left = max(0.001, attempt.expires - time.monotonic())
    limits = [t for t in (left, attempt.connect_timeout) if t is not None]
    return {"connect": min(limits, default=None), "read": left, "write": left, "pool": left}


def _request(attempt: Attempt, progress: _Progress, trace: Callable[..., object]) -> httpx.Request:
    try:
        return httpx.Request(
            attempt.method,
            attempt.url,
            headers=[(name.encode(), value.encode()) for name, value in attempt.headers],
            content=attempt.content,
            extensions={"timeout": progress.timeouts, "trace": trace},
        )
    except httpx.InvalidURL as error:
        raise Failure("aborted", "the address of the request is not valid") from error


class SyncWire:
    """Sends attempts and waits for their answers."""

    def __init__(self, transport: httpx.BaseTransport | None) -> None:
        self._transport = transport
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def attempt(self, attempt: Attempt) -> Answer:
        progress = _Progress(attempt)
        request = _request(attempt, progress, progress.note_sync)
        watchdog: threading.Timer | None = None
        try:
            response = self._opened().send(request, stream=True, auth=_NO_AUTH)
            try:
                progress.headers = True
                reader = _Reader(attempt, response)
                for piece in response.iter_bytes():
                    reader.take(piece)
                    if watchdog is None and reader.incomplete():
                        watchdog = _watch(attempt, response)
                return reader.answer()
            finally:
                if watchdog is not None:
                    watchdog.cancel()
                response.close()
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise classify(error, progress) from error

    def _opened(self) -> httpx.Client:
        # Made at the first request, because loading certificates takes time.
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(transport=self._transport, **client_options())
            return self._client

    def close(self) -> None:
        """Close connections; a transport that the application gave stays open."""
        with self._lock:
            if self._client is not None and self._transport is None:
                self._client.close()

    def forget(self) -> None:
        """Leave all connections to the process that this one was forked from."""
        self._lock = threading.Lock()
        self._client = None


class AsyncWire:
    """Sends attempts without blocking the loop."""

    def __init__(self, transport: httpx.AsyncBaseTransport | None) -> None:
        self.transport = transport
        self._client: httpx.AsyncClient | None = None

    async def attempt(self, attempt: Attempt) -> Answer:
        import asyncio

        progress = _Progress(attempt)
        request = _request(attempt, progress, progress.note_async)
        send: Coroutine[Any, Any, Answer] = self._send(attempt, request, progress)
        try:
            if attempt.expires is None or attempt.read_limit is not None:
                return await send
            return await asyncio.wait_for(send, max(0.001, attempt.expires - time.monotonic()))
        except asyncio.TimeoutError as error:
            raise timed_out(attempt, progress) from error
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise classify(error, progress) from error

    async def _send(self, attempt: Attempt, request: httpx.Request, progress: _Progress) -> Answer:
        if self._client is None:
            self._client = httpx.AsyncClient(transport=self.transport, **client_options())
        response = await self._client.send(request, stream=True, auth=_NO_AUTH)
        try:
            progress.headers = True
            reader = _Reader(attempt, response)
            async for piece in response.aiter_bytes():
                reader.take(piece)
            return reader.answer()
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close connections; a transport that the application gave stays open."""
        if self._client is not None and self.transport is None:
            await self._client.aclose()

    def forget(self) -> None:
        """Leave all connections to the process that this one was forked from."""
        self._client = None


class _Reader:
    """Collects a body within its limits."""

    def __init__(self, attempt: Attempt, response: httpx.Response) -> None:
        self._attempt = attempt
        self._pieces: list[bytes] = []
        self._size = 0
        headers = {name.lower(): value for name, value in response.headers.items()}
        self._answer = Answer(response.status_code, headers, b"")
        self._announced = int(headers.get("content-length") or 0) if "content-encoding" not in headers else 0

    def take(self, piece: bytes) -> None:
        attempt = self._attempt
        if attempt.read_limit is None and attempt.expires is not None and time.monotonic() > attempt.expires:
            raise Failure("read_timeout", f"no whole answer within {attempt.allowance:g} s")
        self._size += len(piece)
        if attempt.save is not None:
            attempt.save(self._answer, piece)
            return
        if self._size > attempt.limit:
            raise Failure("reset_after_headers", f"the answer is longer than {attempt.limit >> 20} MiB")
        self._pieces.append(piece)

    def incomplete(self) -> bool:
        return self._announced == 0 or self._size < self._announced

    def answer(self) -> Answer:
        self._answer.content = b"".join(self._pieces)
        return self._answer


def _watch(attempt: Attempt, response: httpx.Response) -> threading.Timer | None:
    """End a body that keeps coming slowly: its next read would have a whole limit of its own."""
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if attempt.expires is None or attempt.read_limit is not None or connection is None:
        return None

    def end() -> None:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # It has ended by itself.

    watchdog = threading.Timer(max(0.0, attempt.expires - time.monotonic()), end)
    watchdog.daemon = True
    watchdog.start()
    return watchdog


def timed_out(attempt: Attempt, progress: _Progress) -> Failure:
    """Return the failure of an attempt whose time is over."""
    if progress.connecting and not progress.sending:
        return Failure("connect_timeout", "no connection within the time limit")
    limit = attempt.read_limit if attempt.read_limit is not None else attempt.allowance
    within = f" within {limit:g} s" if limit is not None else ""
    return Failure("read_timeout", f"no whole answer{within}")


def classify(error: Exception, progress: _Progress) -> Failure:
    """Say in the words of the retry rule why an attempt failed."""
    attempt = progress.attempt
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return Failure("connect_timeout", "no connection within the time limit")
    if isinstance(error, httpx.TimeoutException):
        return timed_out(attempt, progress)
    if isinstance(error, httpx.ConnectError):
        return Failure(_connect_kind(error), f"cannot connect: {error}")
    if progress.headers:
        expired = attempt.expires is not None and time.monotonic() >= attempt.expires
        if expired and attempt.read_limit is None:
            return timed_out(attempt, progress)
        return Failure("reset_after_headers", "the answer broke off")
    unanswered = isinstance(error, httpx.NetworkError) or (
        isinstance(error, httpx.RemoteProtocolError) and str(error).startswith("Server disconnected")
    )
    if unanswered and progress.reused:
        return Failure("stale_connection", "the connection was closed before an answer")
    if unanswered:
        return Failure("reset_after_headers", "the server closed the connection without an answer")
    return Failure("aborted", f"no answer: {type(error).__name__}")


def _connect_kind(error: BaseException) -> str:
    cause: BaseException | None = error
    for _ in range(8):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "tls_certificate"
        if isinstance(cause, ssl.SSLError):
            return "tls_handshake"
        if isinstance(cause, socket.gaierror):
            return "dns"
        if cause is None:
            break
        cause = cause.__cause__ or cause.__context__
    return "connect"
