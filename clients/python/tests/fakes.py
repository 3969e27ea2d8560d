"""A clock that tests move, and clients that use it."""

from __future__ import annotations

import asyncio
import threading

from svc_sdk import AsyncSvcClient, SvcClient
from svc_sdk._clock import Clock


class FakeClock(Clock):
    """Starts at 1,800,000,000 s; waiting moves it and returns at once."""

    def __init__(self) -> None:
        self.wall = 1_800_000_000_000
        self.ticks = 0.0
        self.waits: list[float] = []

    def wall_ms(self) -> int:
        return self.wall

    def monotonic(self) -> float:
        return self.ticks

    def random(self) -> float:
        return 0.0

    def advance(self, wall: float, monotonic: float | None = None) -> None:
        self.wall += round(wall * 1000)
        self.ticks += wall if monotonic is None else monotonic

    def wait(self, closed: threading.Event, seconds: float) -> None:
        self.waits.append(seconds)
        self.advance(seconds)

    async def wait_async(self, closed: asyncio.Event, seconds: float) -> None:
        self.wait(threading.Event(), seconds)


class FakeClockClient(SvcClient):
    """A client with a clock that tests move."""

    def _clock(self) -> Clock:
        self.fake = FakeClock()
        return self.fake


class AsyncFakeClockClient(AsyncSvcClient):
    """The same for asyncio."""

    def _clock(self) -> Clock:
        self.fake = FakeClock()
        return self.fake
