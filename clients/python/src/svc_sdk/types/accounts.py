"""Credentials and small answers."""

from __future__ import annotations

from typing import TypedDict


class Done(TypedDict):
    """Answer of an operation that has nothing else to say."""

    success: bool


class Health(TypedDict):
    """Answer of `health`."""

    status: str
    timestamp: int


class Login(TypedDict):
    """Answer of `login`: the credential, its lifetime in seconds and its owner."""

    access_token: str
    expires_in: int
    user: AuthUser


class AuthUser(TypedDict):
    """The administrator."""

    id: str
    username: str
    role: str
    must_change_password: bool


class ScopeList(TypedDict):
    """The scopes that an API key can have, and those of a key that asks for none."""

    data: list[str]
    default: list[str]


class ApiKey(TypedDict):
    """An API key, without its text."""

    id: str
    name: str
    scopes: list[str]
    all_projects: bool
    project_ids: list[str]
    is_active: bool
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None
    previous_key_expires_at: int | None


class ApiKeyList(TypedDict):
    """All API keys, newest first, revoked ones included."""

    data: list[ApiKey]


class ApiKeyCreated(TypedDict):
    """A new API key. This is the only answer that shows its text."""

    id: str
    name: str
    token: str
    scopes: list[str]
    all_projects: bool
    project_ids: list[str]
    expires_at: int | None
    created_at: int


class ApiKeyUpdated(TypedDict):
    """An API key after a change."""

    id: str
    name: str
    scopes: list[str]
    all_projects: bool
    project_ids: list[str]
    expires_at: int | None
    created_at: int


class ApiKeyRotated(TypedDict):
    """The new text of an API key, shown once, and until when the former one works."""

    id: str
    token: str
    grace_period_minutes: int
    previous_key_expires_at: int | None
