"""Options of a client: what they may be, and the settings that a request sees."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from . import _kinds
from ._device import detect_platform, detect_platform_version, header_value
from ._unset import UNSET, Unset
from ._version import SDK_VERSION
from .errors import SvcAuthError, SvcError

Token = str | Callable[[], str | None] | None
Timeout = float | tuple[float | None, float | None] | None

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True)
class Settings:
    """Everything that a request needs to know; never changed, only replaced."""

    base_url: str
    project_key: str | None
    token: Token = field(repr=False)
    declared_platform: str | Unset | None
    declared_version: str | Unset | None
    locale: str | None
    app_version: str | None
    channel: str | None
    rollout_key: str | None
    send_client_time: bool
    connect_timeout: float | None
    timeout: float | None
    retries: int
    user_agent: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)

    @property
    def platform(self) -> str | None:
        """The platform as it is sent, `None` when it is off."""
        if isinstance(self.declared_platform, Unset):
            return detect_platform()
        return header_value(self.declared_platform)

    @property
    def platform_version(self) -> str | None:
        """The version of the system as it is sent, `None` when it is off or not known."""
        if isinstance(self.declared_version, Unset):
            return None if self.declared_platform is None else header_value(detect_platform_version())
        return header_value(self.declared_version)

    def credential(self) -> str:
        """Return the credential, or raise `SvcAuthError` when there is none."""
        token = self.token() if callable(self.token) else self.token
        if not token:
            raise SvcAuthError("this method needs a credential: pass token, or call login or set_token")
        if not token.isascii() or not token.isprintable() or " " in token:
            raise SvcError("the credential has a character that a header cannot carry")
        return token

    def with_(self, **changes: object) -> Settings:
        """Return a copy with other values."""
        return replace(self, **changes)  # type: ignore[arg-type]


def make_settings(
    base_url: str,
    *,
    project_key: str | None,
    token: Token,
    platform: str | Unset | None,
    platform_version: str | Unset | None,
    send_client_time: bool,
    timeout: Timeout,
    retries: int,
    user_agent: str | None,
    app_identifier: str | None,
    headers: Mapping[str, str] | None,
    locale: str | None,
    app_version: str | None,
    channel: str | None,
    rollout_key: str | None,
) -> Settings:
    """Check the options of a client and put them together. Raises `SvcError`."""
    connect, total = _limits(timeout)
    agent = _kinds.optional_text("user_agent", user_agent)
    if agent is None:
        agent = f"svc-sdk-python/{SDK_VERSION}"
    if application := _kinds.optional_text("app_identifier", app_identifier):
        agent = f"{agent} {application}"
    return Settings(
        base_url=check_base_url(base_url),
        project_key=bound_key(project_key),
        token=check_token(token),
        declared_platform=declared("platform", platform),
        declared_version=declared("platform_version", platform_version),
        locale=_kinds.optional_text("locale", locale),
        app_version=_kinds.optional_text("app_version", app_version),
        channel=_kinds.optional_text("channel", channel),
        rollout_key=_kinds.optional_text("rollout_key", rollout_key),
        send_client_time=_kinds.flag("send_client_time", send_client_time),
        connect_timeout=connect,
        timeout=total,
        retries=_kinds.count("retries", retries, 0),
        user_agent=_header_text("user_agent or app_identifier", agent),
        headers=tuple(
            _check_header(name, value)
            for name, value in _kinds.mapping("headers", {} if headers is None else headers).items()
        ),
    )


def check_token(token: object) -> Token:
    """Return a credential, or what gives it; it is asked for when a request needs it."""
    if callable(token):
        return cast("Callable[[], str | None]", token)
    return _kinds.optional_text("token", token)


def declared(name: str, value: object) -> str | Unset | None:
    """Return what an application declares about its system."""
    return value if isinstance(value, Unset) else _kinds.optional_text(name, value)


def _limits(timeout: object) -> tuple[float | None, float | None]:
    """Return the limits of connecting and of a whole attempt."""
    if not isinstance(timeout, tuple):
        limit = None if timeout is None else _kinds.seconds("timeout", timeout)
        return limit, limit
    pair = cast("tuple[object, ...]", timeout)
    if len(pair) != 2:
        raise SvcError("timeout must be seconds, (connect, whole) or None")
    connect, total = (None if part is None else _kinds.seconds("timeout", part) for part in pair)
    return connect, total


def normalize_base_url(base_url: str) -> str | None:
    """Remove surrounding spaces and trailing slashes; `None` when it is not http or https."""
    text = base_url.strip().rstrip("/")
    if not text.lower().startswith(("http://", "https://")):
        return None
    return text


def check_base_url(base_url: str) -> str:
    """Return the base address as it is used, or raise `SvcError`."""
    import httpx

    text = normalize_base_url(_kinds.text("base_url", base_url))
    if text is None:
        raise SvcError("base_url must start with http:// or https://")
    try:
        host = httpx.URL(text).host
    except httpx.InvalidURL:
        host = ""
    if not host:
        raise SvcError("base_url is not a valid address")
    if "/api/v" not in text.partition("://")[2]:
        warnings.warn("base_url has no /api/v in its path; it usually ends in /api/v1", stacklevel=4)
    return text


def bound_key(project_key: str | None) -> str | None:
    """Return a project key as it is used, `None` when it is blank."""
    return (_kinds.optional_text("project_key", project_key) or "").strip() or None


def _check_header(name: object, value: object) -> tuple[str, str]:
    if not isinstance(name, str) or not _HEADER_NAME.match(name):
        raise SvcError("headers has a name that is not a header name")
    what = f"headers: {name}"
    return name, _header_text(what, _kinds.text(what, value))


def _header_text(what: str, value: str) -> str:
    if _CONTROL.search(value):
        raise SvcError(f"{what} must not have line breaks or control characters")
    return value.strip()


__all__ = [
    "UNSET",
    "Settings",
    "Timeout",
    "Token",
    "bound_key",
    "check_base_url",
    "check_token",
    "declared",
    "make_settings",
    "normalize_base_url",
]
