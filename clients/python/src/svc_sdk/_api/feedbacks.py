"""Feedback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from .._calls import Call
from .._unset import UNSET, Unset
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import Done, Feedback, FeedbackPage, FeedbackStatistics


class FeedbackMethods(Namespace):
    """Feedback."""

    def list_feedbacks(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        search: str | None = None,
        platform: str | None = None,
        rating: int | None = None,
        status: str | None = None,
        include_hidden: bool | None = None,
    ) -> FeedbackPage:
        """List feedback, newest first.

        `GET /admin/projects/{k}/feedbacks`
        """
        return self._send(
            Call["FeedbackPage"](
                "GET",
                "/admin/projects/{k}/feedbacks",
                query={
                    "limit": limit,
                    "offset": offset,
                    "search": search,
                    "platform": platform,
                    "rating": rating,
                    "status": status,
                    "include_hidden": include_hidden,
                },
                admin=True,
            )
        )

    def iter_feedbacks(
        self,
        *,
        search: str | None = None,
        platform: str | None = None,
        rating: int | None = None,
        status: str | None = None,
        include_hidden: bool | None = None,
    ) -> Iterator[Feedback]:
        """Walk all pages of `list_feedbacks`."""
        return self._each(
            Call["Feedback"](
                "GET",
                "/admin/projects/{k}/feedbacks",
                query={
                    "search": search,
                    "platform": platform,
                    "rating": rating,
                    "status": status,
                    "include_hidden": include_hidden,
                },
                admin=True,
            )
        )

    def create_feedback(
        self,
        content: str,
        *,
        user_id: str | Unset | None = UNSET,
        rating: int | Unset | None = UNSET,
        contact: str | Unset | None = UNSET,
        is_hidden: bool | Unset = UNSET,
        status: Literal["open", "in_progress", "resolved", "closed"] | Unset = UNSET,
        result: str | Unset | None = UNSET,
        platform: str | Unset | None = UNSET,
        platform_version: str | Unset | None = UNSET,
        custom_data: Mapping[str, Any] | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Feedback:
        """Add feedback that came another way.

        `POST /admin/projects/{k}/feedbacks`
        """
        return self._send(
            Call["Feedback"](
                "POST",
                "/admin/projects/{k}/feedbacks",
                body={
                    "content": content,
                    "user_id": user_id,
                    "rating": rating,
                    "contact": contact,
                    "is_hidden": is_hidden,
                    "status": status,
                    "result": result,
                    "platform": platform,
                    "platform_version": platform_version,
                    "custom_data": custom_data,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_feedback(self, id: str) -> Feedback:
        """Read one feedback.

        `GET /admin/projects/{k}/feedbacks/{id}`
        """
        return self._send(
            Call["Feedback"]("GET", "/admin/projects/{k}/feedbacks/{id}", arguments={"id": id}, admin=True)
        )

    def update_feedback(
        self,
        id: str,
        *,
        user_id: str | Unset | None = UNSET,
        rating: int | Unset | None = UNSET,
        content: str | Unset = UNSET,
        contact: str | Unset | None = UNSET,
        is_hidden: bool | Unset = UNSET,
        status: Literal["open", "in_progress", "resolved", "closed"] | Unset = UNSET,
        result: str | Unset | None = UNSET,
        platform: str | Unset | None = UNSET,
        platform_version: str | Unset | None = UNSET,
        custom_data: Mapping[str, Any] | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Feedback:
        """Change feedback, for example its status and result.

        `PATCH /admin/projects/{k}/feedbacks/{id}`
        """
        return self._send(
            Call["Feedback"](
                "PATCH",
                "/admin/projects/{k}/feedbacks/{id}",
                arguments={"id": id},
                body={
                    "user_id": user_id,
                    "rating": rating,
                    "content": content,
                    "contact": contact,
                    "is_hidden": is_hidden,
                    "status": status,
                    "result": result,
                    "platform": platform,
                    "platform_version": platform_version,
                    "custom_data": custom_data,
                },
                extra=extra,
                admin=True,
            )
        )

    def delete_feedback(self, id: str) -> Done:
        """Delete feedback.

        `DELETE /admin/projects/{k}/feedbacks/{id}`
        """
        return self._send(
            Call["Done"]("DELETE", "/admin/projects/{k}/feedbacks/{id}", arguments={"id": id}, admin=True)
        )

    def forward_feedback(self, id: str) -> Feedback:
        """Make stored feedback an issue at the code host, which takes up to 20 seconds.

        What is forwarded already is answered as it is: there is never a second issue.

        `POST /admin/projects/{k}/feedbacks/{id}/forward`
        """
        return self._send(
            Call["Feedback"](
                "POST", "/admin/projects/{k}/feedbacks/{id}/forward", arguments={"id": id}, admin=True
            )
        )

    def get_feedback_statistics(self) -> FeedbackStatistics:
        """Count the feedback of all projects.

        `GET /admin/feedbacks/statistics`
        """
        return self._send(Call["FeedbackStatistics"]("GET", "/admin/feedbacks/statistics", admin=True))
