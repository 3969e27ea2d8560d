"""The errors of this library. All derive from `SvcError`.

No text of an error contains a credential, an identifier of a user, a query
string or a request body.
"""

from __future__ import annotations

from typing import Any

__all__ = ["SvcApiError", "SvcAuthError", "SvcConnectionError", "SvcError"]


class SvcError(Exception):
    """A local check failed before anything was sent, and the base of the other errors."""


class SvcAuthError(SvcError):
    """A method of `admin` was called without a credential. Nothing was sent."""


class SvcApiError(SvcError):
    """The server gave an answer that is not usable: its status is not 2xx, or it is not JSON."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        body: Any = None,
        retry_after: int | None = None,
        method: str,
        path: str,
    ) -> None:
        super().__init__(f"[{status}] {message}")
        self.status = status
        """Status of the answer."""
        self.message = message
        """What the server says, for people."""
        self.body = body
        """Decoded JSON, else text of at most 64 KiB."""
        self.retry_after = retry_after
        """Seconds to wait before another attempt, when the server names them."""
        self.method = method
        """Verb of the request."""
        self.path = path
        """Path of the request as a template, such as `/public/{k}/events/me`."""


class SvcConnectionError(SvcError):
    """There was no complete answer: look-up, connect, TLS, time limit or a broken body."""

    def __init__(self, message: str, *, cause: BaseException | None = None, timeout: bool = False) -> None:
        super().__init__(message)
        self.message = message
        """What happened."""
        self.cause = cause
        """The error of the transport, when there was one."""
        self.timeout = timeout
        """Whether the time limit ended the request."""
