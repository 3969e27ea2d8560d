"""Time, waiting and chance, in one place so that tests can replace them."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class Clock:
    """The clock of one client."""

    def wall_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""
        return time.monotonic()

    def random(self) -> float:
        """At least 0, less than 1."""
        return random.random()

    def wait(self, closed: threading.Event, seconds: float) -> None:
        """Return after so many seconds, or when the client is closed."""
        closed.wait(seconds)

    async def wait_async(self, closed: asyncio.Event, seconds: float) -> None:
        """Do the same without blocking the loop."""
        import asyncio

        try:
            await asyncio.wait_for(closed.wait(), seconds)
        except asyncio.TimeoutError:
            pass


def client_time(unix_ms: int, offset_seconds: int) -> str | None:
    """Return `YYYY-MM-DDTHH:MM:SS.mmm±HH:MM` for one instant.

    Milliseconds are cut, not rounded. There is no value when the offset is not
    a whole number of minutes or the year is outside 0000 to 9999.
    """
    if offset_seconds % 60:
        return None
    seconds, milliseconds = divmod(unix_ms, 1000)
    try:
        local = time.gmtime(seconds + offset_seconds)
    except (OverflowError, OSError, ValueError):
        return None
    if not 0 <= local.tm_year <= 9999:
        return None
    hours, minutes = divmod(abs(offset_seconds) // 60, 60)
    sign = "-" if offset_seconds < 0 else "+"
    date = f"{local.tm_year:04}-{local.tm_mon:02}-{local.tm_mday:02}"
    return (
        f"{date}T{local.tm_hour:02}:{local.tm_min:02}:{local.tm_sec:02}.{milliseconds:03}"
        f"{sign}{hours:02}:{minutes:02}"
    )


def client_time_here(unix_ms: int) -> str | None:
    """Return the same for the local time zone."""
    try:
        offset = time.localtime(unix_ms // 1000).tm_gmtoff
    except (OverflowError, OSError, ValueError):
        return None
    return client_time(unix_ms, offset)
