"""A request until it is done: attempts, redirects, retries, the answer or its error."""

from __future__ import annotations

import json
import logging
import re
import time
from typing import Any

import httpx

from ._calls import Prepared
from ._clock import Clock
from ._flow import Answer, Attempt, Failure, Flow, Pause
from ._json import is_list, is_object
from .errors import SvcApiError, SvcConnectionError

logger = logging.getLogger("svc_sdk")

MAX_ANSWER = 32 << 20
MAX_ERROR_TEXT = 64 << 10
MAX_REDIRECTS = 3
FIRST_DELAY_MS = 300
LAST_DELAY_MS = 5000
JITTER = 0.25
MAX_RETRY_AFTER = 30

# Before any of these the connection was never usable, so nothing was done.
_NEVER_USABLE = {"dns", "connect", "connect_timeout", "tls_handshake", "stale_connection"}


def exchange(request: Prepared, clock: Clock, *, ends: float | None = None) -> Flow[Any]:
    """Send a request and return its decoded answer.

    `ends` is the moment of `time.monotonic` at which no attempt goes on,
    besides the time limit of the client. Raises `SvcApiError` and `SvcConnectionError`.
    """
    done = 0
    while True:
        began = time.monotonic()
        answer: Answer | None = None
        failure: Failure | None = None
        try:
            answer = yield from _follow(request, clock, ends)
        except Failure as error:
            failure = error
        _log(request, answer.status if answer else failure.kind if failure else "", done + 1, began)
        wait = retry_after(answer.headers.get("retry-after"), clock.wall_ms() / 1000) if answer else None
        delay = retry_delay(
            request.method,
            done,
            request.settings.retries,
            status=answer.status if answer else None,
            error=failure.kind if failure else None,
            retry_after=wait,
            chance=clock.random(),
        )
        if delay is None:
            if answer is not None:
                value = decode(answer, request.method, request.path, wait)
                if request.note is not None and (tag := answer.headers.get("etag")):
                    request.note.value = tag
                return value
            raise _connection_error(failure)
        yield Pause(delay / 1000)
        done += 1


def _follow(request: Prepared, clock: Clock, ends: float | None) -> Flow[Answer]:
    """One attempt, with its redirects."""
    now = time.monotonic()
    allowance = request.settings.timeout
    if ends is not None:
        allowance = max(0.001, ends - now if allowance is None else min(allowance, ends - now))
    expires = None if allowance is None else now + allowance
    url = request.url
    for hop in range(MAX_REDIRECTS + 1):
        answer: Answer = yield Attempt(
            method=request.method,
            url=url,
            headers=request.headers(clock),
            content=request.content,
            connect_timeout=request.settings.connect_timeout,
            expires=expires,
            allowance=allowance,
            limit=MAX_ANSWER,
        )
        target = None
        if request.method in ("GET", "HEAD") and hop < MAX_REDIRECTS:
            target = redirect_target(url, answer)
        if target is None:
            return answer
        url = target
    raise AssertionError("the last hop returns its answer")


def redirect_target(url: str, answer: Answer) -> str | None:
    """Return where an answer leads when we may follow: the same host, never from https to http."""
    location = answer.headers.get("location")
    if answer.status not in (301, 302, 303, 307, 308) or not location:
        return None
    try:
        source = httpx.URL(url)
        target = source.join(location)
    except httpx.InvalidURL:
        return None
    if target.host != source.host or (source.scheme, target.scheme) not in (
        ("http", "http"),
        ("http", "https"),
        ("https", "https"),
    ):
        return None
    return str(target)


def retry_delay(
    method: str,
    done: int,
    retries: int,
    *,
    status: int | None = None,
    error: str | None = None,
    retry_after: int | None = None,
    chance: float = 0.0,
) -> float | None:
    """Return the milliseconds before the next attempt, `None` when there is none.

    `done` are the retries already made; `chance` is at least 0, less than 1.
    """
    if method not in ("GET", "HEAD") or done >= retries:
        return None
    if error not in _NEVER_USABLE and status not in (502, 503, 504):
        return None
    delay: float = min(FIRST_DELAY_MS * 2 ** min(done, 16), LAST_DELAY_MS)
    delay *= 1 + JITTER * chance
    if retry_after is None:
        return delay
    return None if retry_after > MAX_RETRY_AFTER else max(delay, retry_after * 1000)


def retry_after(header: str | None, now: float) -> int | None:
    """Return the seconds of a Retry-After header, `None` when it has none."""
    text = (header or "").strip()
    if re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    if not text or not text[0].isalpha():
        return None
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0, int(moment - now + 0.999))


def decode(answer: Answer, method: str, path: str, wait: int | None = None) -> Any:
    """Return the value of a 2xx answer, `None` when it is empty; raise `SvcApiError` otherwise."""
    success = 200 <= answer.status < 300
    if success and not answer.content:
        return None
    text = answer.content.decode("utf-8", "replace")
    try:
        body = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        body, success = text[:MAX_ERROR_TEXT], False
    if success:
        return body
    if not answer.content:
        body = None
    raise SvcApiError(
        answer.status,
        error_message(answer.status, body),
        body=body,
        retry_after=wait,
        method=method,
        path=path,
    )


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def error_message(status: int, body: Any) -> str:
    """Return what an error says, for people."""
    if is_object(body):
        message = body.get("message")
        if is_list(message):
            message = "; ".join(text for text in message if isinstance(text, str))
        for text in (message, body.get("error")):
            if isinstance(text, str) and text:
                return text
    return f"HTTP {status}"


def _connection_error(failure: Failure | None) -> SvcConnectionError:
    assert failure is not None
    error = SvcConnectionError(
        failure.message,
        cause=failure.__cause__,
        timeout=failure.kind in ("read_timeout", "connect_timeout"),
    )
    error.__cause__ = failure.__cause__
    return error


def _log(request: Prepared, outcome: object, attempt: int, began: float) -> None:
    logger.debug(
        "%s %s: %s, attempt %d, %d ms",
        request.method,
        request.path,
        outcome,
        attempt,
        round((time.monotonic() - began) * 1000),
    )
