"""Logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .._calls import Call
from .._unset import UNSET, Unset
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import Log, LogPage, LogStatistics, PrunedLogs


class LogMethods(Namespace):
    """Logs."""

    def list_logs(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        search: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        level: int | None = None,
        platform: str | None = None,
        include_hidden: bool | None = None,
    ) -> LogPage:
        """List logs, newest first.

        `GET /admin/projects/{k}/logs`
        """
        return self._send(
            Call["LogPage"](
                "GET",
                "/admin/projects/{k}/logs",
                query={
                    "limit": limit,
                    "offset": offset,
                    "search": search,
                    "start_time": start_time,
                    "end_time": end_time,
                    "level": level,
                    "platform": platform,
                    "include_hidden": include_hidden,
                },
                admin=True,
            )
        )

    def iter_logs(
        self,
        *,
        search: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        level: int | None = None,
        platform: str | None = None,
        include_hidden: bool | None = None,
    ) -> Iterator[Log]:
        """Walk all pages of `list_logs`."""
        return self._each(
            Call["Log"](
                "GET",
                "/admin/projects/{k}/logs",
                query={
                    "search": search,
                    "start_time": start_time,
                    "end_time": end_time,
                    "level": level,
                    "platform": platform,
                    "include_hidden": include_hidden,
                },
                admin=True,
            )
        )

    def create_log(
        self,
        level: int,
        content: str,
        *,
        source: str | Unset | None = UNSET,
        device_info: Mapping[str, Any] | Unset | None = UNSET,
        custom_data: Mapping[str, Any] | Unset | None = UNSET,
        is_hidden: bool | Unset = UNSET,
        platform: str | Unset | None = UNSET,
        platform_version: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Log:
        """Add a log that came another way.

        `POST /admin/projects/{k}/logs`
        """
        return self._send(
            Call["Log"](
                "POST",
                "/admin/projects/{k}/logs",
                body={
                    "level": level,
                    "content": content,
                    "source": source,
                    "device_info": device_info,
                    "custom_data": custom_data,
                    "is_hidden": is_hidden,
                    "platform": platform,
                    "platform_version": platform_version,
                },
                extra=extra,
                admin=True,
            )
        )

    def update_log(
        self, id: str, *, is_hidden: bool | Unset = UNSET, extra: Mapping[str, Any] | None = None
    ) -> Log:
        """Hide a log or show it again.

        `PATCH /admin/projects/{k}/logs/{id}`
        """
        return self._send(
            Call["Log"](
                "PATCH",
                "/admin/projects/{k}/logs/{id}",
                arguments={"id": id},
                body={"is_hidden": is_hidden},
                extra=extra,
                admin=True,
            )
        )

    def prune_logs(
        self,
        *,
        end_time: int | Unset | None = UNSET,
        level: int | Unset | None = UNSET,
        ip: str | Unset | None = UNSET,
        dry_run: bool | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> PrunedLogs:
        """Delete logs by time, level and address.

        `POST /admin/projects/{k}/logs/prune`
        """
        return self._send(
            Call["PrunedLogs"](
                "POST",
                "/admin/projects/{k}/logs/prune",
                body={"end_time": end_time, "level": level, "ip": ip, "dry_run": dry_run},
                extra=extra,
                admin=True,
            )
        )

    def get_log_statistics(self) -> LogStatistics:
        """Count the logs of all projects.

        `GET /admin/logs/statistics`
        """
        return self._send(Call["LogStatistics"]("GET", "/admin/logs/statistics", admin=True))
