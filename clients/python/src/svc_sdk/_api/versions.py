"""Versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._calls import Call
from .._unset import UNSET, Unset
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import (
        Done,
        DownloadLinkInput,
        UpdateCheckSimulation,
        Version,
        VersionPage,
        VersionStatistics,
        VersionTranslationInput,
    )


class VersionMethods(Namespace):
    """Versions."""

    def list_versions(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        search: str | None = None,
        platform: str | None = None,
        is_preview: bool | None = None,
        is_deprecated: bool | None = None,
        is_milestone: bool | None = None,
        forced: bool | None = None,
    ) -> VersionPage:
        """List versions with their translations, greatest first.

        `GET /admin/projects/{k}/versions`
        """
        return self._send(
            Call["VersionPage"](
                "GET",
                "/admin/projects/{k}/versions",
                query={
                    "limit": limit,
                    "offset": offset,
                    "search": search,
                    "platform": platform,
                    "is_preview": is_preview,
                    "is_deprecated": is_deprecated,
                    "is_milestone": is_milestone,
                    "forced": forced,
                },
                admin=True,
            )
        )

    def iter_versions(
        self,
        *,
        search: str | None = None,
        platform: str | None = None,
        is_preview: bool | None = None,
        is_deprecated: bool | None = None,
        is_milestone: bool | None = None,
        forced: bool | None = None,
    ) -> Iterator[Version]:
        """Walk all pages of `list_versions`."""
        return self._each(
            Call["Version"](
                "GET",
                "/admin/projects/{k}/versions",
                query={
                    "search": search,
                    "platform": platform,
                    "is_preview": is_preview,
                    "is_deprecated": is_deprecated,
                    "is_milestone": is_milestone,
                    "forced": forced,
                },
                admin=True,
            )
        )

    def create_version(
        self,
        version: str,
        *,
        comparable_version: str | None,
        title: str | Unset | None = UNSET,
        content: str | Unset | None = UNSET,
        translations: Sequence[VersionTranslationInput] | Unset | None = UNSET,
        download_url: str | Unset | None = UNSET,
        download_links: Sequence[DownloadLinkInput] | Unset | None = UNSET,
        is_latest: bool | Unset = UNSET,
        is_preview: bool | Unset = UNSET,
        is_milestone: bool | Unset = UNSET,
        is_deprecated: bool | Unset = UNSET,
        platform: str | Unset | None = UNSET,
        platforms: Sequence[str] | Unset | None = UNSET,
        custom_data: Mapping[str, Any] | Unset | None = UNSET,
        published_at: int | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Version:
        """Create a version.

        `POST /admin/projects/{k}/versions`
        """
        return self._send(
            Call["Version"](
                "POST",
                "/admin/projects/{k}/versions",
                body={
                    "version": version,
                    "comparable_version": comparable_version,
                    "title": title,
                    "content": content,
                    "translations": translations,
                    "download_url": download_url,
                    "download_links": download_links,
                    "is_latest": is_latest,
                    "is_preview": is_preview,
                    "is_milestone": is_milestone,
                    "is_deprecated": is_deprecated,
                    "platform": platform,
                    "platforms": platforms,
                    "custom_data": custom_data,
                    "published_at": published_at,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_version(self, id: str) -> Version:
        """Read a version with its translations.

        `GET /admin/projects/{k}/versions/{id}`
        """
        return self._send(
            Call["Version"]("GET", "/admin/projects/{k}/versions/{id}", arguments={"id": id}, admin=True)
        )

    def update_version(
        self,
        id: str,
        *,
        version: str | Unset = UNSET,
        comparable_version: str | Unset | None = UNSET,
        title: str | Unset | None = UNSET,
        content: str | Unset | None = UNSET,
        translations: Sequence[VersionTranslationInput] | Unset | None = UNSET,
        download_url: str | Unset | None = UNSET,
        download_links: Sequence[DownloadLinkInput] | Unset | None = UNSET,
        is_latest: bool | Unset = UNSET,
        is_preview: bool | Unset = UNSET,
        is_milestone: bool | Unset = UNSET,
        is_deprecated: bool | Unset = UNSET,
        platform: str | Unset | None = UNSET,
        platforms: Sequence[str] | Unset | None = UNSET,
        custom_data: Mapping[str, Any] | Unset | None = UNSET,
        published_at: int | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Version:
        """Change a version.

        `PATCH /admin/projects/{k}/versions/{id}`
        """
        return self._send(
            Call["Version"](
                "PATCH",
                "/admin/projects/{k}/versions/{id}",
                arguments={"id": id},
                body={
                    "version": version,
                    "comparable_version": comparable_version,
                    "title": title,
                    "content": content,
                    "translations": translations,
                    "download_url": download_url,
                    "download_links": download_links,
                    "is_latest": is_latest,
                    "is_preview": is_preview,
                    "is_milestone": is_milestone,
                    "is_deprecated": is_deprecated,
                    "platform": platform,
                    "platforms": platforms,
                    "custom_data": custom_data,
                    "published_at": published_at,
                },
                extra=extra,
                admin=True,
            )
        )

    def delete_version(self, id: str) -> Done:
        """Delete a version.

        `DELETE /admin/projects/{k}/versions/{id}`
        """
        return self._send(
            Call["Done"]("DELETE", "/admin/projects/{k}/versions/{id}", arguments={"id": id}, admin=True)
        )

    def upsert_version(
        self,
        version: str,
        *,
        comparable_version: str | Unset | None = UNSET,
        title: str | Unset | None = UNSET,
        content: str | Unset | None = UNSET,
        translations: Sequence[VersionTranslationInput] | Unset | None = UNSET,
        download_url: str | Unset | None = UNSET,
        download_links: Sequence[DownloadLinkInput] | Unset | None = UNSET,
        is_latest: bool | Unset = UNSET,
        is_preview: bool | Unset = UNSET,
        is_milestone: bool | Unset = UNSET,
        is_deprecated: bool | Unset = UNSET,
        platform: str | Unset | None = UNSET,
        platforms: Sequence[str] | Unset | None = UNSET,
        custom_data: Mapping[str, Any] | Unset | None = UNSET,
        published_at: int | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Version:
        """Publish a version, or update it if it exists.

        `PUT /admin/projects/{k}/versions/by-version/{v}`
        """
        return self._send(
            Call["Version"](
                "PUT",
                "/admin/projects/{k}/versions/by-version/{v}",
                arguments={"v": version},
                body={
                    "comparable_version": comparable_version,
                    "title": title,
                    "content": content,
                    "translations": translations,
                    "download_url": download_url,
                    "download_links": download_links,
                    "is_latest": is_latest,
                    "is_preview": is_preview,
                    "is_milestone": is_milestone,
                    "is_deprecated": is_deprecated,
                    "platform": platform,
                    "platforms": platforms,
                    "custom_data": custom_data,
                    "published_at": published_at,
                },
                extra=extra,
                admin=True,
            )
        )

    def simulate_update_check(
        self,
        *,
        current_version: str | Unset | None = UNSET,
        current_comparable_version: str | Unset | None = UNSET,
        include_preview: bool | Unset = UNSET,
        locale: str | Unset | None = UNSET,
        platform: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> UpdateCheckSimulation:
        """See what the update check answers a client, and why. It is counted in no statistics.

        `POST /admin/projects/{k}/versions/update-check-simulation`
        """
        return self._send(
            Call["UpdateCheckSimulation"](
                "POST",
                "/admin/projects/{k}/versions/update-check-simulation",
                body={
                    "current_version": current_version,
                    "current_comparable_version": current_comparable_version,
                    "include_preview": include_preview,
                    "locale": locale,
                    "platform": platform,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_version_statistics(self) -> VersionStatistics:
        """Count the versions of all projects.

        `GET /admin/versions/statistics`
        """
        return self._send(Call["VersionStatistics"]("GET", "/admin/versions/statistics", admin=True))
