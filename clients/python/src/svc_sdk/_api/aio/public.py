"""Methods without a credential that do more than a request."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from ..._calls import APP_VERSION, CHANNEL, LOCALE, Call, not_null, some_version, unless
from ..._feedback import FeedbackReply, replies
from ..._unset import UNSET, Unset
from .requests import AsyncPublicRequests

if TYPE_CHECKING:
    from ...types import EventsErased, SubjectExport, UpdateCheck


class AsyncPublicMethods(AsyncPublicRequests):
    """What applications call; no credential is ever sent."""

    def check_update(
        self,
        *,
        current_version: str | Unset | None = UNSET,
        current_comparable_version: str | Unset | None = UNSET,
        include_preview: bool | Unset = UNSET,
        channel: str | Unset | None = UNSET,
        rollout_key: str | Unset | None = UNSET,
        accept_downgrade: bool | Unset = UNSET,
        include_notes: bool | Unset = UNSET,
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
                    "channel": not_null(unless(channel, CHANNEL)),
                    "rollout_key": not_null(self._core.rollout_key(rollout_key)),
                    "accept_downgrade": accept_downgrade,
                    "include_notes": include_notes,
                    "locale": not_null(unless(locale, LOCALE)),
                },
                extra=extra,
                check=some_version,
            )
        )

    def feedback_replies(self) -> Coroutine[Any, Any, list[FeedbackReply]]:
        """Get the replies to the feedback that the application has sent, the oldest feedback first.

        `create_feedback` keeps the ids and reply tokens of the newest 20 records in the local state, or
        only in memory with the persistence `session`. It keeps nothing with `none`, or while collection
        is off, after an opt-out or without a required consent. During that time this method asks for
        nothing and returns nothing. `opt_out` and `revoke_consent` delete what was kept. A record that
        the server no longer has is forgotten.

        `GET /public/{k}/feedbacks/{id}/reply`
        """
        return self._run(replies(self._core))

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
