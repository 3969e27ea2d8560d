"""Events, their statistics and analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class Bucket(TypedDict):
    """A count of the time that begins at `bucket`."""

    bucket: int
    count: int


class ValueSeries(TypedDict):
    """The buckets of one value."""

    key: str
    data: list[Bucket]


class Heatmap(TypedDict):
    """Counts for each weekday and hour, 168 cells."""

    start_time: int
    end_time: int
    tz_offset_minutes: int
    data: list[HeatmapCell]


class HeatmapCell(TypedDict):
    """One hour of one weekday; 0 is Sunday."""

    weekday: int
    hour: int
    count: int


class _EventInputOptional(TypedDict, total=False):
    occurred_at: int | None
    properties: Mapping[str, Any] | None


class EventInput(_EventInputOptional):
    """An event of a batch, as `ingest_events` takes it."""

    event_id: str
    name: str


class _EventsAcceptedOptional(TypedDict, total=False):
    names_full: bool
    rejected: list[RejectedEvent]


class EventsAccepted(_EventsAcceptedOptional):
    """What became of a batch of events."""

    accepted: int
    skipped: int
    suppressed: bool


class RejectedEvent(TypedDict):
    """An event of a batch that has a fault, by its place in the batch."""

    index: int
    message: str


class SubjectExport(TypedDict):
    """Every event that is stored for an identifier."""

    distinct_id: str
    total: int
    data: list[StoredEvent]


class StoredEvent(TypedDict):
    """An event as it is stored."""

    event_name: str
    event_id: str
    session_id: str | None
    occurred_at: int
    received_at: int
    properties: dict[str, Any] | None
    ip: str | None
    user_agent: str | None
    country_code: str | None
    country_name: str | None
    region_name: str | None
    city: str | None
    platform: str | None
    platform_version: str | None


class EventsErased(TypedDict):
    """How many events were deleted."""

    success: bool
    deleted: int


class EventDefinition(TypedDict):
    """An event name that has been seen, with what people wrote about it."""

    event_definition_id: str
    project_key: str
    name: str
    display_name: str | None
    description: str | None
    archived: bool
    first_seen_time: int
    last_seen_time: int
    range_count: int


class EventDefinitionPage(TypedDict):
    """A page of event definitions."""

    total: int
    data: list[EventDefinition]


class EventOverview(TypedDict):
    """Totals of the events in a range."""

    start_time: int
    end_time: int
    total: int
    unique_users: int
    unique_sessions: int
    event_types: int


class EventSeries(TypedDict):
    """Counts of events over time."""

    start_time: int
    end_time: int
    granularity: str
    tz_offset_minutes: int
    event_name: str | None
    group_by: str | None
    data: list[Bucket]
    series: list[ValueSeries] | None


class EventBreakdown(TypedDict):
    """Counts of events by a dimension, largest first."""

    start_time: int
    end_time: int
    dimension: str
    property_key: str | None
    total: int
    data: list[ValueCount]


class ValueCount(TypedDict):
    """How often a value occurred."""

    key: str
    label: str
    count: int


class _EventFilterOptional(TypedDict, total=False):
    value: str | float | bool | Sequence[Any] | None


class EventFilter(_EventFilterOptional):
    """A condition on a property. All of a list must hold."""

    property: str
    op: Literal["eq", "neq", "in", "not_in", "contains", "gt", "gte", "lt", "lte", "exists", "not_exists"]


class _FunnelStepInputOptional(TypedDict, total=False):
    filters: Sequence[EventFilter]


class FunnelStepInput(_FunnelStepInputOptional):
    """A step of a funnel, as `get_funnel` takes it."""

    event_name: str


class Funnel(TypedDict):
    """How many senders took each step."""

    start_time: int
    end_time: int
    window_seconds: int
    data: list[FunnelStep]


class FunnelStep(TypedDict):
    """A step of a funnel."""

    step: int
    event_name: str
    users: int
    conversion_rate: float
    total_conversion_rate: float
    dropped: int


class Retention(TypedDict):
    """How many senders came back, by cohort."""

    start_time: int
    end_time: int
    period: str
    periods: int
    cohorts: list[Cohort]


class Cohort(TypedDict):
    """The senders of one period."""

    cohort: int
    size: int
    cells: list[CohortCell]


class CohortCell(TypedDict):
    """How many of a cohort came back after some periods."""

    period: int
    users: int
    rate: float


class Paths(TypedDict):
    """What senders did after an event."""

    start_time: int
    end_time: int
    scope: str
    depth: int
    truncated: bool
    data: list[PathEdge]


class PathEdge(TypedDict):
    """How often one event followed another."""

    step: int
    from_event: str
    to_event: str
    count: int


class _MetricInputOptional(TypedDict, total=False):
    start_time: int
    end_time: int
    tz_offset_minutes: int
    filters: Sequence[EventFilter]
    formula: str
    group_by: MetricGroupBy
    granularity: Literal["hour", "day"]
    limit: int


class MetricInput(_MetricInputOptional):
    """A question, as `run_event_query` and dashboard cards take it."""

    type: Literal["timeseries", "breakdown", "value"]
    events: Sequence[MetricEvent]


class _MetricEventOptional(TypedDict, total=False):
    measure: Literal["count", "unique_users", "count_per_user"]
    filters: Sequence[EventFilter]


class MetricEvent(_MetricEventOptional):
    """An event that a question counts."""

    name: str
    alias: str


class _MetricGroupByOptional(TypedDict, total=False):
    key: str


class MetricGroupBy(_MetricGroupByOptional):
    """What a question of type `breakdown` groups by."""

    kind: Literal["property", "platform", "region", "event"]


class MetricValue(TypedDict):
    """Answer to a question of type `value`."""

    start_time: int
    end_time: int
    type: str
    values: dict[str, float]
    result: float


class MetricTimeseries(TypedDict):
    """Answer to a question of type `timeseries`."""

    start_time: int
    end_time: int
    type: str
    series: list[MetricSeries]


class MetricSeries(TypedDict):
    """The points of one group."""

    key: str
    data: list[MetricPoint]


class MetricPoint(TypedDict):
    """A number of the time that begins at `bucket`."""

    bucket: int
    count: float


class MetricBreakdown(TypedDict):
    """Answer to a question of type `breakdown`."""

    start_time: int
    end_time: int
    type: str
    total: float
    buckets: list[MetricGroup]


class MetricGroup(TypedDict):
    """The number of one group."""

    key: str
    label: str
    count: float


class Card(TypedDict):
    """A card of the dashboard."""

    card_id: str
    project_key: str
    title: str
    description: str | None
    query: dict[str, Any]
    layout: dict[str, Any] | None
    sort_order: int
    created_time: int
    updated_time: int


class CardList(TypedDict):
    """All cards of the dashboard, in their order."""

    total: int
    data: list[Card]


Metric = MetricValue | MetricTimeseries | MetricBreakdown
"""Answer of `run_event_query`; `type` says which one it is."""
