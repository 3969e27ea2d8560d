"""Rules that wait, written once.

A flow is a generator that yields what has to be waited for (`Attempt`,
`Pause`, `Run`) and receives the result. The rules are in flows; the two
clients differ only in how they do a step.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass
class Attempt:
    """Send a request once and read its whole answer: gives an `Answer` or raises `Failure`."""

    method: str
    url: str
    headers: list[tuple[str, str]] = field(repr=False)
    content: bytes | None = field(repr=False)
    connect_timeout: float | None
    expires: float | None
    """Moment of `time.monotonic` at which the attempt ends."""
    allowance: float | None
    """Seconds that it had, for the text of an error."""
    limit: int
    """Bytes that the body may have."""
    read_limit: float | None = None
    """Seconds that each wait for bytes may take; the attempt has no other end then."""
    save: Callable[[Answer, bytes], None] | None = None
    """Takes the body piece by piece instead of `Answer.content`."""


@dataclass
class Answer:
    """Status, headers with lower-case names, and body of an answer."""

    status: int
    headers: dict[str, str]
    content: bytes


@dataclass
class Pause:
    """Wait so many seconds, or raise `SvcError` when the client is closed before."""

    seconds: float


@dataclass
class Run:
    """Call a function that reads or writes files."""

    function: Callable[[], Any]


Step = Attempt | Pause | Run
Flow = Generator[Step, Any, T]


class Failure(Exception):
    """Why an attempt had no complete answer.

    `kind` is one of the words of the retry rule: dns, connect,
    connect_timeout, tls_handshake, stale_connection, read_timeout,
    tls_certificate, reset_after_headers, aborted.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


def drive(flow: Flow[T], do: Callable[[Step], Any]) -> T:
    """Run a flow to its end."""
    try:
        step = next(flow)
        while True:
            try:
                result = do(step)
            except BaseException as error:
                step = flow.throw(error)
            else:
                step = flow.send(result)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def drive_async(flow: Flow[T], do: Callable[[Step], Awaitable[Any]]) -> T:
    """Run a flow to its end on the running loop."""
    try:
        step = next(flow)
        while True:
            try:
                result = await do(step)
            except BaseException as error:
                step = flow.throw(error)
            else:
                step = flow.send(result)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
