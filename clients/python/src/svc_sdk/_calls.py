"""Calls of the API as data, and the requests that they become."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from ._clock import Clock, client_time_here
from ._etag import ETag
from ._options import Settings
from ._unset import UNSET, Unset
from .errors import SvcError

T = TypeVar("T")

# Extra headers never replace these.
_OURS = {
    "accept",
    "accept-encoding",
    "authorization",
    "content-length",
    "content-type",
    "cookie",
    "if-match",
    "user-agent",
    "x-reply-token",
    "x-svc-client-time",
    "x-svc-platform",
    "x-svc-platform-version",
}


class Default:
    """An argument that was left out and is filled from the settings of the client."""

    def __init__(self, setting: str) -> None:
        self.setting = setting


LOCALE = Default("locale")
APP_VERSION = Default("app_version")
PROJECT_KEY = Default("project_key")
CHANNEL = Default("channel")


def unless(value: Any, default: Default) -> Any:
    """Return the value, or the default when it was left out."""
    return default if isinstance(value, Unset) else value


def not_null(value: Any) -> Any:
    """Leave a null out: in an argument with a default it means that nothing is sent."""
    return UNSET if value is None else value


@dataclass
class Call(Generic[T]):
    """One call; T is what it answers.

    `arguments` fill the placeholders of `path` but `{k}`, the bound project.
    `body` is sent as JSON without what is `UNSET`; `extra` is merged into it
    last. `raw` is sent as it is. `check` sees the body that will be sent.
    `if_match` is the state that the record must have; `note` gets the one of the answer.
    `reply_token` is that of the feedback whose reply is asked for.
    """

    method: str
    path: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] | None = None
    raw: bytes | None = None
    check: Callable[[Mapping[str, Any]], None] | None = None
    admin: bool = False
    if_match: str | None = None
    note: ETag | None = None
    reply_token: str | None = field(default=None, repr=False)


@dataclass
class Prepared:
    """A request that passed all local checks, with the settings that it keeps."""

    settings: Settings
    method: str
    path: str
    url: str
    content: bytes | None
    content_type: str | None
    credential: str | None = field(repr=False)
    if_match: str | None = None
    note: ETag | None = None
    reply_token: str | None = field(default=None, repr=False)

    def headers(self, clock: Clock) -> list[tuple[str, str]]:
        """Return the headers of one attempt; the client time is read each time."""
        s = self.settings
        headers = [(name, value) for name, value in s.headers if name.lower() not in _OURS]
        headers += [("Accept", "application/json"), ("Accept-Encoding", "gzip, deflate")]
        headers.append(("User-Agent", s.user_agent))
        if self.credential is not None:
            headers.append(("Authorization", f"Bearer {self.credential}"))
        if self.if_match is not None:
            headers.append(("If-Match", self.if_match))
        if self.reply_token is not None:
            headers.append(("X-Reply-Token", self.reply_token))
        if self.content_type is not None:
            headers.append(("Content-Type", self.content_type))
        if s.platform is not None:
            headers.append(("x-svc-platform", s.platform))
        if s.platform_version is not None:
            headers.append(("x-svc-platform-version", s.platform_version))
        if s.send_client_time and (time := client_time_here(clock.wall_ms())):
            headers.append(("x-svc-client-time", time))
        return headers


def prepare(call: Call[Any], settings: Settings) -> Prepared:
    """Make the local checks and build the request. Raises `SvcError`, `SvcAuthError`."""
    arguments = dict(call.arguments)
    if "{k}" in call.path:
        if settings.project_key is None:
            raise SvcError("this method needs a project: pass project_key, or call set_project_key")
        arguments["k"] = settings.project_key
    credential = settings.credential() if call.admin else None
    path = call.path
    for name, value in arguments.items():
        path = path.replace("{" + name + "}", path_segment("version" if name == "v" else name, value))
    query = query_text(_resolve(call.query, settings))
    content, content_type = call.raw, "application/octet-stream" if call.raw is not None else None
    if call.body is not None:
        body = _resolve(call.body, settings)
        body.update(call.extra or {})
        if call.check is not None:
            call.check(body)
        content, content_type = _json(body), "application/json"
    url = settings.base_url + path + ("?" + query if query else "")
    return Prepared(
        settings,
        call.method,
        call.path,
        url,
        content,
        content_type,
        credential,
        call.if_match,
        call.note,
        call.reply_token,
    )


def path_segment(name: str, value: object) -> str:
    """Escape an argument as one segment of a path."""
    text = str(value)
    if text in ("", ".", ".."):
        raise SvcError(f"{name} must not be empty, . or ..")
    try:
        return quote(text, safe="-._~")
    except UnicodeEncodeError:
        raise SvcError(f"{name} must be text that UTF-8 can express") from None


def query_text(query: Mapping[str, Any]) -> str:
    """Return the query of a URL, without what is null or was left out."""
    pairs: list[str] = []
    for name, value in query.items():
        if value is None:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        try:
            pairs.append(f"{name}={quote(text, safe='-._~')}")
        except UnicodeEncodeError:
            raise SvcError(f"{name} must be text that UTF-8 can express") from None
    return "&".join(pairs)


def some_version(body: Mapping[str, Any]) -> None:
    """Check that an update check names a version."""
    for name in ("current_version", "current_comparable_version"):
        if str(body.get(name) or "").strip():
            return
    raise SvcError("check_update needs current_version or current_comparable_version, or an app_version")


def some_contact(body: Mapping[str, Any]) -> None:
    """Check that feedback to be forwarded has a contact."""
    if body.get("forward_to_codehost") and not str(body.get("contact") or "").strip():
        raise SvcError("contact must not be blank when forward_to_codehost is true")


def _resolve(values: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Leave out what was left out, and fill what the client fills."""
    resolved: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Default):
            value = getattr(settings, value.setting)
            if value is None:
                continue
        if not isinstance(value, Unset):
            resolved[name] = value
    return resolved


def _json(body: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except (TypeError, ValueError, RecursionError):
        raise SvcError("the arguments have a value that JSON cannot express") from None


__all__ = [
    "APP_VERSION",
    "CHANNEL",
    "LOCALE",
    "PROJECT_KEY",
    "UNSET",
    "Call",
    "Default",
    "Prepared",
    "path_segment",
    "prepare",
    "query_text",
    "unless",
]
