"""The administrator and API keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._calls import Call
from .._unset import UNSET, Unset
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import (
        ApiKey,
        ApiKeyCreated,
        ApiKeyList,
        ApiKeyRotated,
        ApiKeyUpdated,
        AuthUser,
        Done,
        ScopeList,
    )


class AccountMethods(Namespace):
    """The administrator and API keys."""

    def get_me(self) -> AuthUser:
        """Say who is signed in.

        `GET /auth/me`
        """
        return self._send(Call["AuthUser"]("GET", "/auth/me", admin=True))

    def get_admin_profile(self) -> AuthUser:
        """Read the administrator's account.

        `GET /auth/admin-profile`
        """
        return self._send(Call["AuthUser"]("GET", "/auth/admin-profile", admin=True))

    def update_admin_profile(
        self,
        *,
        current_password: str,
        username: str | Unset = UNSET,
        new_password: str | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> AuthUser:
        """Change user name, password, or both.

        `PATCH /auth/admin-profile`
        """
        return self._send(
            Call["AuthUser"](
                "PATCH",
                "/auth/admin-profile",
                body={
                    "current_password": current_password,
                    "username": username,
                    "new_password": new_password,
                },
                extra=extra,
                admin=True,
            )
        )

    def change_password(
        self, *, current_password: str, new_password: str, extra: Mapping[str, Any] | None = None
    ) -> Done:
        """Change the password.

        `PATCH /auth/password`
        """
        return self._send(
            Call["Done"](
                "PATCH",
                "/auth/password",
                body={"current_password": current_password, "new_password": new_password},
                extra=extra,
                admin=True,
            )
        )

    def change_account(
        self, *, current_password: str, username: str, extra: Mapping[str, Any] | None = None
    ) -> Done:
        """Change the user name.

        `PATCH /auth/account`
        """
        return self._send(
            Call["Done"](
                "PATCH",
                "/auth/account",
                body={"current_password": current_password, "username": username},
                extra=extra,
                admin=True,
            )
        )

    def list_api_scopes(self) -> ScopeList:
        """List the scopes that a key can have.

        `GET /auth/api-scopes`
        """
        return self._send(Call["ScopeList"]("GET", "/auth/api-scopes", admin=True))

    def list_api_keys(self) -> ApiKeyList:
        """List all keys, newest first.

        `GET /auth/api-keys`
        """
        return self._send(Call["ApiKeyList"]("GET", "/auth/api-keys", admin=True))

    def create_api_key(
        self,
        *,
        name: str,
        scopes: Sequence[
            Literal[
                "projects:read",
                "projects:write",
                "versions:read",
                "versions:write",
                "announcements:read",
                "announcements:write",
                "events:read",
                "events:write",
                "feedbacks:read",
                "feedbacks:write",
                "logs:read",
                "logs:write",
                "files:read",
                "files:write",
                "stats:read",
                "tokens:read",
                "tokens:write",
            ]
        ]
        | Unset = UNSET,
        expires_in_days: int | Unset = UNSET,
        never_expires: bool | Unset = UNSET,
        all_projects: bool | Unset = UNSET,
        project_ids: Sequence[str] | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> ApiKeyCreated:
        """Create a key.

        `POST /auth/api-keys`
        """
        return self._send(
            Call["ApiKeyCreated"](
                "POST",
                "/auth/api-keys",
                body={
                    "name": name,
                    "scopes": scopes,
                    "expires_in_days": expires_in_days,
                    "never_expires": never_expires,
                    "all_projects": all_projects,
                    "project_ids": project_ids,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_api_key(self, id: str) -> ApiKey:
        """Read a key, without its text.

        `GET /auth/api-keys/{id}`
        """
        return self._send(Call["ApiKey"]("GET", "/auth/api-keys/{id}", arguments={"id": id}, admin=True))

    def update_api_key(
        self,
        id: str,
        *,
        name: str | Unset = UNSET,
        scopes: Sequence[
            Literal[
                "projects:read",
                "projects:write",
                "versions:read",
                "versions:write",
                "announcements:read",
                "announcements:write",
                "events:read",
                "events:write",
                "feedbacks:read",
                "feedbacks:write",
                "logs:read",
                "logs:write",
                "files:read",
                "files:write",
                "stats:read",
                "tokens:read",
                "tokens:write",
            ]
        ]
        | Unset = UNSET,
        expires_in_days: int | Unset = UNSET,
        never_expires: bool | Unset = UNSET,
        all_projects: bool | Unset = UNSET,
        project_ids: Sequence[str] | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> ApiKeyUpdated:
        """Change name, scopes, projects or expiry of a key.

        `PATCH /auth/api-keys/{id}`
        """
        return self._send(
            Call["ApiKeyUpdated"](
                "PATCH",
                "/auth/api-keys/{id}",
                arguments={"id": id},
                body={
                    "name": name,
                    "scopes": scopes,
                    "expires_in_days": expires_in_days,
                    "never_expires": never_expires,
                    "all_projects": all_projects,
                    "project_ids": project_ids,
                },
                extra=extra,
                admin=True,
            )
        )

    def revoke_api_key(self, id: str) -> Done:
        """Revoke a key.

        `DELETE /auth/api-keys/{id}`
        """
        return self._send(Call["Done"]("DELETE", "/auth/api-keys/{id}", arguments={"id": id}, admin=True))

    def rotate_api_key(
        self, id: str, *, grace_period_minutes: int | Unset = UNSET, extra: Mapping[str, Any] | None = None
    ) -> ApiKeyRotated:
        """Give a key a new text.

        `POST /auth/api-keys/{id}/rotate`
        """
        return self._send(
            Call["ApiKeyRotated"](
                "POST",
                "/auth/api-keys/{id}/rotate",
                arguments={"id": id},
                body={"grace_period_minutes": grace_period_minutes},
                extra=extra,
                admin=True,
            )
        )
