"""Options of a client: what they may be, and the settings that a request sees."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

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
    token: Token
    declared_platform: str | Unset | None
    declared_version: str | Unset | None
    locale: str | None
    app_version: str | None
    send_client_time: bool
    connect_timeout: float | None
    timeout: float | None
    retries: int
    user_agent: str
    headers: tuple[tuple[str, str], ...]

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
) -> Settings:
    """Check the options of a client and put them together."""
    connect, total = timeout if isinstance(timeout, tuple) else (timeout, timeout)
    for limit in (connect, total):
        if limit is not None and not limit > 0:
            raise SvcError("timeout must be more than 0 seconds, or None")
    if retries < 0:
        raise SvcError("retries must be at least 0")
    agent = user_agent if user_agent is not None else f"svc-sdk-python/{SDK_VERSION}"
    if app_identifier:
        agent = f"{agent} {app_identifier}"
    return Settings(
        base_url=check_base_url(base_url),
        project_key=bound_key(project_key),
        token=token,
        declared_platform=platform,
        declared_version=platform_version,
        locale=locale,
        app_version=app_version,
        send_client_time=send_client_time,
        connect_timeout=connect,
        timeout=total,
        retries=retries,
        user_agent=_header_text("user_agent or app_identifier", agent),
        headers=tuple(_check_header(name, value) for name, value in (headers or {}).items()),
    )


def normalize_base_url(base_url: str) -> str | None:
    """Remove surrounding spaces and trailing slashes; `None` when it is not http or https."""
    text = base_url.strip().rstrip("/")
    if not text.lower().startswith(("http://", "https://")):
        return None
    return text


def check_base_url(base_url: str) -> str:
    """Return the base address as it is used, or raise `SvcError`."""
    import httpx

    text = normalize_base_url(base_url)
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
    return (project_key or "").strip() or None


def _check_header(name: str, value: str) -> tuple[str, str]:
    if not _HEADER_NAME.match(name):
        raise SvcError("headers has a name that is not a header name")
    return name, _header_text(f"header {name}", value)


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
    "make_settings",
    "normalize_base_url",
]
