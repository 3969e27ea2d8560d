"""Statistics of requests, logs and feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .._calls import Call
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import (
        ClientVersions,
        FeedbackRatings,
        Heatmap,
        LogLevels,
        PlatformVersions,
        RequestOverview,
        RequestSeries,
        VersionAdoption,
    )


class StatisticsMethods(Namespace):
    """Statistics of requests, logs and feedback."""

    def get_request_overview(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
    ) -> RequestOverview:
        """Count requests by what, on what and from where.

        `GET /admin/projects/{k}/stats/requests/overview`
        """
        return self._send(
            Call["RequestOverview"](
                "GET",
                "/admin/projects/{k}/stats/requests/overview",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                },
                admin=True,
            )
        )

    def get_request_timeseries(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
        granularity: Literal["hour", "day"] | None = None,
        endpoint: str | None = None,
        group_by: Literal["endpoint", "platform"] | None = None,
    ) -> RequestSeries:
        """Count requests over time.

        `GET /admin/projects/{k}/stats/requests/timeseries`
        """
        return self._send(
            Call["RequestSeries"](
                "GET",
                "/admin/projects/{k}/stats/requests/timeseries",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "granularity": granularity,
                    "endpoint": endpoint,
                    "group_by": group_by,
                },
                admin=True,
            )
        )

    def get_request_heatmap(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
    ) -> Heatmap:
        """Count requests by hour of the week.

        `GET /admin/projects/{k}/stats/requests/heatmap`
        """
        return self._send(
            Call["Heatmap"](
                "GET",
                "/admin/projects/{k}/stats/requests/heatmap",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                },
                admin=True,
            )
        )

    def get_version_adoption(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
        granularity: Literal["hour", "day"] | None = None,
        limit: int | None = None,
    ) -> VersionAdoption:
        """Show how versions of the app come and go.

        `GET /admin/projects/{k}/stats/requests/version-adoption`
        """
        return self._send(
            Call["VersionAdoption"](
                "GET",
                "/admin/projects/{k}/stats/requests/version-adoption",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "granularity": granularity,
                    "limit": limit,
                },
                admin=True,
            )
        )

    def get_client_versions(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
        limit: int | None = None,
    ) -> ClientVersions:
        """Count update checks by version of the app.

        `GET /admin/projects/{k}/stats/requests/client-versions`
        """
        return self._send(
            Call["ClientVersions"](
                "GET",
                "/admin/projects/{k}/stats/requests/client-versions",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "limit": limit,
                },
                admin=True,
            )
        )

    def get_platform_versions(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
        limit: int | None = None,
    ) -> PlatformVersions:
        """Count requests by version of the system.

        `GET /admin/projects/{k}/stats/requests/platform-versions`
        """
        return self._send(
            Call["PlatformVersions"](
                "GET",
                "/admin/projects/{k}/stats/requests/platform-versions",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "limit": limit,
                },
                admin=True,
            )
        )

    def get_log_level_stats(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
    ) -> LogLevels:
        """Count the logs of a project by level.

        `GET /admin/projects/{k}/stats/logs`
        """
        return self._send(
            Call["LogLevels"](
                "GET",
                "/admin/projects/{k}/stats/logs",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                },
                admin=True,
            )
        )

    def get_feedback_rating_stats(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
    ) -> FeedbackRatings:
        """Count the feedback of a project by rating.

        `GET /admin/projects/{k}/stats/feedbacks`
        """
        return self._send(
            Call["FeedbackRatings"](
                "GET",
                "/admin/projects/{k}/stats/feedbacks",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                },
                admin=True,
            )
        )
