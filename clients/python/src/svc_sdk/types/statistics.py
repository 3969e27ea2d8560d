"""Statistics of requests, logs and feedback."""

from __future__ import annotations

from typing import TypedDict

from .events import Bucket, ValueSeries


class FeedbackRatings(TypedDict):
    """Feedback of a project by rating."""

    start_time: int
    end_time: int
    total: int
    unrated: int
    average_rating: float | None
    by_rating: list[RatingCount]


class RatingCount(TypedDict):
    """How often a rating was given."""

    rating: int
    count: int


class LogLevels(TypedDict):
    """Logs of a project by level."""

    start_time: int
    end_time: int
    total: int
    by_level: list[LevelCount]


class LevelCount(TypedDict):
    """How many logs have a level."""

    level: int
    count: int


class RequestOverview(TypedDict):
    """Requests to a project, counted in four ways."""

    start_time: int
    end_time: int
    total: int
    by_endpoint: list[EndpointCount]
    by_platform: list[PlatformCount]
    by_region: list[RegionCount]
    by_province: list[ProvinceCount]


class EndpointCount(TypedDict):
    """Requests to one endpoint."""

    endpoint: str
    count: int


class PlatformCount(TypedDict):
    """Requests from one platform."""

    platform: str
    count: int


class RegionCount(TypedDict):
    """Requests from one country or region."""

    region: str
    count: int


class ProvinceCount(TypedDict):
    """Requests from one province."""

    code: str
    name: str
    count: int


class RequestSeries(TypedDict):
    """Requests to a project over time."""

    start_time: int
    end_time: int
    granularity: str
    tz_offset_minutes: int
    endpoint: str | None
    group_by: str | None
    data: list[Bucket]
    series: list[ValueSeries] | None


class VersionAdoption(TypedDict):
    """Which versions ask for updates, over time."""

    start_time: int
    end_time: int
    granularity: str
    tz_offset_minutes: int
    series: list[VersionSeries]


class VersionSeries(TypedDict):
    """The buckets of one version."""

    version: str
    data: list[Bucket]


class ClientVersions(TypedDict):
    """Which versions ask for updates."""

    start_time: int
    end_time: int
    total: int
    data: list[ClientVersionCount]


class ClientVersionCount(TypedDict):
    """How often a version asked."""

    version: str
    count: int


class PlatformVersions(TypedDict):
    """Which systems requests come from."""

    start_time: int
    end_time: int
    total: int
    data: list[PlatformVersionCount]


class PlatformVersionCount(TypedDict):
    """Requests from one version of a system."""

    platform: str
    platform_version: str
    count: int
