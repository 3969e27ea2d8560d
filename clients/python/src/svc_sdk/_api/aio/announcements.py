"""Announcements."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._calls import Call
from ..._unset import UNSET, Unset
from ._namespace import AsyncNamespace

if TYPE_CHECKING:
    from ...types import (
        Announcement,
        AnnouncementPage,
        AnnouncementStatistics,
        AnnouncementTranslationInput,
        Done,
    )


class AsyncAnnouncementMethods(AsyncNamespace):
    """Announcements."""

    def list_announcements(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        search: str | None = None,
        platform: str | None = None,
        is_pinned: bool | None = None,
        is_hidden: bool | None = None,
    ) -> Coroutine[Any, Any, AnnouncementPage]:
        """List announcements with their translations.

        `GET /admin/projects/{k}/announcements`
        """
        return self._send(
            Call["AnnouncementPage"](
                "GET",
                "/admin/projects/{k}/announcements",
                query={
                    "limit": limit,
                    "offset": offset,
                    "search": search,
                    "platform": platform,
                    "is_pinned": is_pinned,
                    "is_hidden": is_hidden,
                },
                admin=True,
            )
        )

    def iter_announcements(
        self,
        *,
        search: str | None = None,
        platform: str | None = None,
        is_pinned: bool | None = None,
        is_hidden: bool | None = None,
    ) -> AsyncIterator[Announcement]:
        """Walk all pages of `list_announcements`."""
        return self._each(
            Call["Announcement"](
                "GET",
                "/admin/projects/{k}/announcements",
                query={
                    "search": search,
                    "platform": platform,
                    "is_pinned": is_pinned,
                    "is_hidden": is_hidden,
                },
                admin=True,
            )
        )

    def create_announcement(
        self,
        *,
        title: str,
        content: str,
        is_pinned: bool | Unset = UNSET,
        is_hidden: bool | Unset = UNSET,
        platforms: Sequence[str] | Unset | None = UNSET,
        author: str | Unset | None = UNSET,
        min_comparable_version: str | Unset | None = UNSET,
        max_comparable_version: str | Unset | None = UNSET,
        translations: Sequence[AnnouncementTranslationInput] | Unset | None = UNSET,
        published_at: int | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, Announcement]:
        """Create an announcement.

        `POST /admin/projects/{k}/announcements`
        """
        return self._send(
            Call["Announcement"](
                "POST",
                "/admin/projects/{k}/announcements",
                body={
                    "title": title,
                    "content": content,
                    "is_pinned": is_pinned,
                    "is_hidden": is_hidden,
                    "platforms": platforms,
                    "author": author,
                    "min_comparable_version": min_comparable_version,
                    "max_comparable_version": max_comparable_version,
                    "translations": translations,
                    "published_at": published_at,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_announcement(self, id: str) -> Coroutine[Any, Any, Announcement]:
        """Read an announcement with its translations.

        `GET /admin/projects/{k}/announcements/{id}`
        """
        return self._send(
            Call["Announcement"](
                "GET", "/admin/projects/{k}/announcements/{id}", arguments={"id": id}, admin=True
            )
        )

    def update_announcement(
        self,
        id: str,
        *,
        title: str | Unset = UNSET,
        content: str | Unset = UNSET,
        is_pinned: bool | Unset = UNSET,
        is_hidden: bool | Unset = UNSET,
        platforms: Sequence[str] | Unset | None = UNSET,
        author: str | Unset | None = UNSET,
        min_comparable_version: str | Unset | None = UNSET,
        max_comparable_version: str | Unset | None = UNSET,
        translations: Sequence[AnnouncementTranslationInput] | Unset | None = UNSET,
        published_at: int | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, Announcement]:
        """Change an announcement.

        `PATCH /admin/projects/{k}/announcements/{id}`
        """
        return self._send(
            Call["Announcement"](
                "PATCH",
                "/admin/projects/{k}/announcements/{id}",
                arguments={"id": id},
                body={
                    "title": title,
                    "content": content,
                    "is_pinned": is_pinned,
                    "is_hidden": is_hidden,
                    "platforms": platforms,
                    "author": author,
                    "min_comparable_version": min_comparable_version,
                    "max_comparable_version": max_comparable_version,
                    "translations": translations,
                    "published_at": published_at,
                },
                extra=extra,
                admin=True,
            )
        )

    def delete_announcement(self, id: str) -> Coroutine[Any, Any, Done]:
        """Delete an announcement.

        `DELETE /admin/projects/{k}/announcements/{id}`
        """
        return self._send(
            Call["Done"]("DELETE", "/admin/projects/{k}/announcements/{id}", arguments={"id": id}, admin=True)
        )

    def get_announcement_statistics(self) -> Coroutine[Any, Any, AnnouncementStatistics]:
        """Count the announcements of all projects.

        `GET /admin/announcements/statistics`
        """
        return self._send(
            Call["AnnouncementStatistics"]("GET", "/admin/announcements/statistics", admin=True)
        )
