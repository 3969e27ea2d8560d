"""Events: definitions, statistics, analyses, dashboard, subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._calls import Call
from .._unset import UNSET, Unset
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import (
        Card,
        CardList,
        Done,
        EventBreakdown,
        EventDefinition,
        EventDefinitionPage,
        EventOverview,
        EventsErased,
        EventSeries,
        Funnel,
        FunnelStepInput,
        Heatmap,
        Metric,
        MetricInput,
        Paths,
        Retention,
    )


class AnalyticsMethods(Namespace):
    """Events: definitions, statistics, analyses, dashboard, subjects."""

    def list_event_definitions(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        search: str | None = None,
        include_archived: bool | None = None,
    ) -> EventDefinitionPage:
        """List the names of events, the last seen first.

        `GET /admin/projects/{k}/events/definitions`
        """
        return self._send(
            Call["EventDefinitionPage"](
                "GET",
                "/admin/projects/{k}/events/definitions",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "limit": limit,
                    "offset": offset,
                    "search": search,
                    "include_archived": include_archived,
                },
                admin=True,
            )
        )

    def iter_event_definitions(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
        search: str | None = None,
        include_archived: bool | None = None,
    ) -> Iterator[EventDefinition]:
        """Walk all pages of `list_event_definitions`."""
        return self._each(
            Call["EventDefinition"](
                "GET",
                "/admin/projects/{k}/events/definitions",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "search": search,
                    "include_archived": include_archived,
                },
                admin=True,
            )
        )

    def get_event_definition(self, id: str) -> EventDefinition:
        """Read what is said of a name of events.

        `GET /admin/projects/{k}/events/definitions/{id}`
        """
        return self._send(
            Call["EventDefinition"](
                "GET", "/admin/projects/{k}/events/definitions/{id}", arguments={"id": id}, admin=True
            )
        )

    def update_event_definition(
        self,
        id: str,
        *,
        display_name: str | Unset | None = UNSET,
        description: str | Unset | None = UNSET,
        archived: bool | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> EventDefinition:
        """Describe a name of events.

        `PATCH /admin/projects/{k}/events/definitions/{id}`
        """
        return self._send(
            Call["EventDefinition"](
                "PATCH",
                "/admin/projects/{k}/events/definitions/{id}",
                arguments={"id": id},
                body={"display_name": display_name, "description": description, "archived": archived},
                extra=extra,
                admin=True,
            )
        )

    def delete_event_definition(self, id: str) -> Done:
        """Forget the description of a name.

        `DELETE /admin/projects/{k}/events/definitions/{id}`
        """
        return self._send(
            Call["Done"](
                "DELETE", "/admin/projects/{k}/events/definitions/{id}", arguments={"id": id}, admin=True
            )
        )

    def get_event_overview(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
    ) -> EventOverview:
        """Count events, senders, sessions and names.

        `GET /admin/projects/{k}/events/stats/overview`
        """
        return self._send(
            Call["EventOverview"](
                "GET",
                "/admin/projects/{k}/events/stats/overview",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                },
                admin=True,
            )
        )

    def get_event_timeseries(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
        granularity: Literal["hour", "day"] | None = None,
        event_name: str | None = None,
        group_by: Literal["event", "platform", "region"] | None = None,
        limit: int | None = None,
    ) -> EventSeries:
        """Count events over time.

        `GET /admin/projects/{k}/events/stats/timeseries`
        """
        return self._send(
            Call["EventSeries"](
                "GET",
                "/admin/projects/{k}/events/stats/timeseries",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "granularity": granularity,
                    "event_name": event_name,
                    "group_by": group_by,
                    "limit": limit,
                },
                admin=True,
            )
        )

    def get_event_breakdown(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
        dimension: Literal["event", "platform", "region", "property"] | None = None,
        property_key: str | None = None,
        event_name: str | None = None,
        limit: int | None = None,
    ) -> EventBreakdown:
        """Count events by name, platform, region or property.

        `GET /admin/projects/{k}/events/stats/breakdown`
        """
        return self._send(
            Call["EventBreakdown"](
                "GET",
                "/admin/projects/{k}/events/stats/breakdown",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "dimension": dimension,
                    "property_key": property_key,
                    "event_name": event_name,
                    "limit": limit,
                },
                admin=True,
            )
        )

    def get_event_heatmap(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        tz_offset_minutes: int | None = None,
        event_name: str | None = None,
    ) -> Heatmap:
        """Count events by hour of the week.

        `GET /admin/projects/{k}/events/stats/heatmap`
        """
        return self._send(
            Call["Heatmap"](
                "GET",
                "/admin/projects/{k}/events/stats/heatmap",
                query={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "event_name": event_name,
                },
                admin=True,
            )
        )

    def get_funnel(
        self,
        *,
        steps: Sequence[FunnelStepInput],
        start_time: int | Unset = UNSET,
        end_time: int | Unset = UNSET,
        tz_offset_minutes: int | Unset = UNSET,
        window_seconds: int | Unset = UNSET,
        entry: Literal["first", "any"] | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Funnel:
        """Count who gets from one step to the next.

        `POST /admin/projects/{k}/events/analysis/funnel`
        """
        return self._send(
            Call["Funnel"](
                "POST",
                "/admin/projects/{k}/events/analysis/funnel",
                body={
                    "steps": steps,
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "window_seconds": window_seconds,
                    "entry": entry,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_retention(
        self,
        *,
        start_event: str,
        start_time: int | Unset = UNSET,
        end_time: int | Unset = UNSET,
        tz_offset_minutes: int | Unset = UNSET,
        return_event: str | Unset = UNSET,
        period: Literal["day", "week"] | Unset = UNSET,
        periods: int | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Retention:
        """Count who comes back.

        `POST /admin/projects/{k}/events/analysis/retention`
        """
        return self._send(
            Call["Retention"](
                "POST",
                "/admin/projects/{k}/events/analysis/retention",
                body={
                    "start_event": start_event,
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "return_event": return_event,
                    "period": period,
                    "periods": periods,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_paths(
        self,
        *,
        start_time: int | Unset = UNSET,
        end_time: int | Unset = UNSET,
        tz_offset_minutes: int | Unset = UNSET,
        start_event: str | Unset = UNSET,
        depth: int | Unset = UNSET,
        branch_limit: int | Unset = UNSET,
        scope: Literal["session", "user"] | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Paths:
        """Count which event follows which.

        `POST /admin/projects/{k}/events/analysis/paths`
        """
        return self._send(
            Call["Paths"](
                "POST",
                "/admin/projects/{k}/events/analysis/paths",
                body={
                    "start_time": start_time,
                    "end_time": end_time,
                    "tz_offset_minutes": tz_offset_minutes,
                    "start_event": start_event,
                    "depth": depth,
                    "branch_limit": branch_limit,
                    "scope": scope,
                },
                extra=extra,
                admin=True,
            )
        )

    def run_event_query(self, query: MetricInput, *, extra: Mapping[str, Any] | None = None) -> Metric:
        """Compute a number from events.

        `POST /admin/projects/{k}/events/analysis/query`
        """
        return self._send(
            Call["Metric"](
                "POST", "/admin/projects/{k}/events/analysis/query", body=query, extra=extra, admin=True
            )
        )

    def list_dashboard_cards(self) -> CardList:
        """List the cards of the dashboard.

        `GET /admin/projects/{k}/events/dashboards/cards`
        """
        return self._send(Call["CardList"]("GET", "/admin/projects/{k}/events/dashboards/cards", admin=True))

    def create_dashboard_card(
        self,
        *,
        title: str,
        query: MetricInput,
        description: str | Unset | None = UNSET,
        layout: Mapping[str, Any] | Unset | None = UNSET,
        sort_order: int | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Card:
        """Add a card.

        `POST /admin/projects/{k}/events/dashboards/cards`
        """
        return self._send(
            Call["Card"](
                "POST",
                "/admin/projects/{k}/events/dashboards/cards",
                body={
                    "title": title,
                    "query": query,
                    "description": description,
                    "layout": layout,
                    "sort_order": sort_order,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_dashboard_card(self, id: str) -> Card:
        """Read a card.

        `GET /admin/projects/{k}/events/dashboards/cards/{id}`
        """
        return self._send(
            Call["Card"](
                "GET", "/admin/projects/{k}/events/dashboards/cards/{id}", arguments={"id": id}, admin=True
            )
        )

    def update_dashboard_card(
        self,
        id: str,
        *,
        title: str | Unset = UNSET,
        description: str | Unset | None = UNSET,
        query: MetricInput | Unset = UNSET,
        layout: Mapping[str, Any] | Unset | None = UNSET,
        sort_order: int | Unset = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Card:
        """Change a card.

        `PATCH /admin/projects/{k}/events/dashboards/cards/{id}`
        """
        return self._send(
            Call["Card"](
                "PATCH",
                "/admin/projects/{k}/events/dashboards/cards/{id}",
                arguments={"id": id},
                body={
                    "title": title,
                    "description": description,
                    "query": query,
                    "layout": layout,
                    "sort_order": sort_order,
                },
                extra=extra,
                admin=True,
            )
        )

    def delete_dashboard_card(self, id: str) -> Done:
        """Remove a card.

        `DELETE /admin/projects/{k}/events/dashboards/cards/{id}`
        """
        return self._send(
            Call["Done"](
                "DELETE", "/admin/projects/{k}/events/dashboards/cards/{id}", arguments={"id": id}, admin=True
            )
        )

    def delete_event_subject(self, distinct_id: str) -> EventsErased:
        """Delete everything that is stored of a sender.

        `DELETE /admin/projects/{k}/events/subjects/{distinct_id}`
        """
        return self._send(
            Call["EventsErased"](
                "DELETE",
                "/admin/projects/{k}/events/subjects/{distinct_id}",
                arguments={"distinct_id": distinct_id},
                admin=True,
            )
        )
