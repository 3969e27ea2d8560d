"""What applications call; no credential is ever sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._calls import APP_VERSION, LOCALE, Call, not_null, some_contact, some_version, unless
from ..._unset import UNSET, Unset
from ._namespace import AsyncNamespace

if TYPE_CHECKING:
    from ...types import (
        EventInput,
        EventsAccepted,
        EventsErased,
        Feedback,
        FeedbackOptions,
        Log,
        PublicAnnouncement,
        PublicAnnouncementPage,
        PublicProject,
        PublicVersion,
        PublicVersionPage,
        SubjectExport,
        Terms,
        TermsList,
        UpdateCheck,
    )


class AsyncPublicMethods(AsyncNamespace):
    """What applications call; no credential is ever sent."""

    def get_project(self, *, locale: str | Unset | None = UNSET) -> Coroutine[Any, Any, PublicProject]:
        """Read a project.

        `GET /public/{k}`
        """
        return self._send(
            Call["PublicProject"]("GET", "/public/{k}", query={"locale": unless(locale, LOCALE)})
        )

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
        locale: str | Unset | None = UNSET,
    ) -> Coroutine[Any, Any, PublicVersionPage]:
        """List versions, greatest first.

        `GET /public/{k}/versions`
        """
        return self._send(
            Call["PublicVersionPage"](
                "GET",
                "/public/{k}/versions",
                query={
                    "limit": limit,
                    "offset": offset,
                    "search": search,
                    "platform": platform,
                    "is_preview": is_preview,
                    "is_deprecated": is_deprecated,
                    "is_milestone": is_milestone,
                    "forced": forced,
                    "locale": unless(locale, LOCALE),
                },
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
        locale: str | Unset | None = UNSET,
    ) -> AsyncIterator[PublicVersion]:
        """Walk all pages of `list_versions`."""
        return self._each(
            Call["PublicVersion"](
                "GET",
                "/public/{k}/versions",
                query={
                    "search": search,
                    "platform": platform,
                    "is_preview": is_preview,
                    "is_deprecated": is_deprecated,
                    "is_milestone": is_milestone,
                    "forced": forced,
                    "locale": unless(locale, LOCALE),
                },
            )
        )

    def get_latest_version(self, *, locale: str | Unset | None = UNSET) -> Coroutine[Any, Any, PublicVersion]:
        """Read the latest version.

        `GET /public/{k}/versions/latest`
        """
        return self._send(
            Call["PublicVersion"](
                "GET", "/public/{k}/versions/latest", query={"locale": unless(locale, LOCALE)}
            )
        )

    def get_latest_preview_version(
        self, *, locale: str | Unset | None = UNSET
    ) -> Coroutine[Any, Any, PublicVersion | None]:
        """Read the greatest preview, or null.

        `GET /public/{k}/versions/latest-preview`
        """
        return self._send(
            Call["PublicVersion | None"](
                "GET", "/public/{k}/versions/latest-preview", query={"locale": unless(locale, LOCALE)}
            )
        )

    def get_version(
        self, version: str, *, locale: str | Unset | None = UNSET
    ) -> Coroutine[Any, Any, PublicVersion]:
        """Find a version by its text.

        `GET /public/{k}/versions/by-version/{v}`
        """
        return self._send(
            Call["PublicVersion"](
                "GET",
                "/public/{k}/versions/by-version/{v}",
                arguments={"v": version},
                query={"locale": unless(locale, LOCALE)},
            )
        )

    def check_update(
        self,
        *,
        current_version: str | Unset | None = UNSET,
        current_comparable_version: str | Unset | None = UNSET,
        include_preview: bool | Unset = UNSET,
        locale: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, UpdateCheck]:
        """Ask whether there is an update, and whether it is required.

        `POST /public/{k}/versions/check-update`
        """
        return self._send(
            Call["UpdateCheck"](
                "POST",
                "/public/{k}/versions/check-update",
                body={
                    "current_version": not_null(
                        current_version
                        if current_comparable_version
                        else unless(current_version, APP_VERSION)
                    ),
                    "current_comparable_version": not_null(current_comparable_version),
                    "include_preview": include_preview,
                    "locale": not_null(unless(locale, LOCALE)),
                },
                extra=extra,
                check=some_version,
            )
        )

    def list_announcements(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        search: str | None = None,
        platform: str | None = None,
        version: str | Unset | None = UNSET,
        locale: str | Unset | None = UNSET,
    ) -> Coroutine[Any, Any, PublicAnnouncementPage]:
        """List the announcements that are meant for the caller.

        `GET /public/{k}/announcements`
        """
        return self._send(
            Call["PublicAnnouncementPage"](
                "GET",
                "/public/{k}/announcements",
                query={
                    "limit": limit,
                    "offset": offset,
                    "search": search,
                    "platform": platform,
                    "version": unless(version, APP_VERSION),
                    "locale": unless(locale, LOCALE),
                },
            )
        )

    def iter_announcements(
        self,
        *,
        search: str | None = None,
        platform: str | None = None,
        version: str | Unset | None = UNSET,
        locale: str | Unset | None = UNSET,
    ) -> AsyncIterator[PublicAnnouncement]:
        """Walk all pages of `list_announcements`."""
        return self._each(
            Call["PublicAnnouncement"](
                "GET",
                "/public/{k}/announcements",
                query={
                    "search": search,
                    "platform": platform,
                    "version": unless(version, APP_VERSION),
                    "locale": unless(locale, LOCALE),
                },
            )
        )

    def get_latest_announcement(
        self,
        *,
        platform: str | None = None,
        version: str | Unset | None = UNSET,
        locale: str | Unset | None = UNSET,
    ) -> Coroutine[Any, Any, PublicAnnouncement]:
        """Read the visible announcement published last.

        `GET /public/{k}/announcements/latest`
        """
        return self._send(
            Call["PublicAnnouncement"](
                "GET",
                "/public/{k}/announcements/latest",
                query={
                    "platform": platform,
                    "version": unless(version, APP_VERSION),
                    "locale": unless(locale, LOCALE),
                },
            )
        )

    def get_feedback_options(self) -> Coroutine[Any, Any, FeedbackOptions]:
        """Say whether feedback can be forwarded to the code host.

        `GET /public/{k}/feedbacks/options`
        """
        return self._send(Call["FeedbackOptions"]("GET", "/public/{k}/feedbacks/options"))

    def create_feedback(
        self,
        content: str,
        *,
        user_id: str | Unset | None = UNSET,
        rating: int | Unset | None = UNSET,
        contact: str | Unset | None = UNSET,
        platform: str | Unset | None = UNSET,
        platform_version: str | Unset | None = UNSET,
        custom_data: Mapping[str, Any] | Unset | None = UNSET,
        forward_to_codehost: bool | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, Feedback]:
        """Send feedback.

        `POST /public/{k}/feedbacks`
        """
        return self._send(
            Call["Feedback"](
                "POST",
                "/public/{k}/feedbacks",
                body={
                    "content": content,
                    "user_id": user_id,
                    "rating": rating,
                    "contact": contact,
                    "platform": platform,
                    "platform_version": platform_version,
                    "custom_data": custom_data,
                    "forward_to_codehost": forward_to_codehost,
                },
                extra=extra,
                check=some_contact,
            )
        )

    def upload_log(
        self,
        level: int,
        content: str,
        *,
        source: str | Unset | None = UNSET,
        device_info: Mapping[str, Any] | Unset | None = UNSET,
        custom_data: Mapping[str, Any] | Unset | None = UNSET,
        platform: str | Unset | None = UNSET,
        platform_version: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, Log]:
        """Upload a log entry.

        `POST /public/{k}/logs`
        """
        return self._send(
            Call["Log"](
                "POST",
                "/public/{k}/logs",
                body={
                    "level": level,
                    "content": content,
                    "source": source,
                    "device_info": device_info,
                    "custom_data": custom_data,
                    "platform": platform,
                    "platform_version": platform_version,
                },
                extra=extra,
            )
        )

    def ingest_events(
        self,
        *,
        distinct_id: str,
        events: Sequence[EventInput],
        session_id: str | Unset | None = UNSET,
        platform: str | Unset | None = UNSET,
        platform_version: str | Unset | None = UNSET,
        client_time: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, EventsAccepted]:
        """Send a batch of events.

        `POST /public/{k}/events`
        """
        return self._send(
            Call["EventsAccepted"](
                "POST",
                "/public/{k}/events",
                body={
                    "distinct_id": distinct_id,
                    "events": events,
                    "session_id": session_id,
                    "platform": platform,
                    "platform_version": platform_version,
                    "client_time": client_time,
                },
                extra=extra,
            )
        )

    def export_my_data(self, distinct_id: str | Unset = UNSET) -> Coroutine[Any, Any, SubjectExport]:
        """Get everything that is stored of oneself.

        `GET /public/{k}/events/me`
        """
        return self._send(
            Call["SubjectExport"](
                "GET", "/public/{k}/events/me", query={"distinct_id": self._core.own_identifier(distinct_id)}
            )
        )

    def delete_my_data(self, distinct_id: str | Unset = UNSET) -> Coroutine[Any, Any, EventsErased]:
        """Delete everything that is stored of oneself.

        `DELETE /public/{k}/events/me`
        """
        return self._send(
            Call["EventsErased"](
                "DELETE",
                "/public/{k}/events/me",
                query={"distinct_id": self._core.own_identifier(distinct_id, erase=True)},
            )
        )

    def list_terms(self, *, locale: str | Unset | None = UNSET) -> Coroutine[Any, Any, TermsList]:
        """List the terms documents.

        `GET /public/terms`
        """
        return self._send(Call["TermsList"]("GET", "/public/terms", query={"locale": unless(locale, LOCALE)}))

    def get_terms(self, slug: str, *, locale: str | Unset | None = UNSET) -> Coroutine[Any, Any, Terms]:
        """Read a terms document.

        `GET /public/terms/{slug}`
        """
        return self._send(
            Call["Terms"](
                "GET",
                "/public/terms/{slug}",
                arguments={"slug": slug},
                query={"locale": unless(locale, LOCALE)},
            )
        )
