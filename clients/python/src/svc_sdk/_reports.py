"""Error reports: what they say, which are sent, and when. No I/O but the flow that sends."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._calls import Call, prepare
from ._device import detect_architecture
from ._events import backoff, express
from ._exchange import exchange
from ._flow import Flow
from ._state import fnv1a32
from ._version import SDK_VERSION
from .errors import SvcApiError, SvcConnectionError, SvcError

if TYPE_CHECKING:
    from ._core import Core
    from ._options import Settings

logger = logging.getLogger("svc_sdk")

Report = dict[str, Any]
Redact = Callable[[Report], Report | None]

MAX_QUEUE = 100
MAX_CONTENT = 4096
MAX_SOURCE = 128
REPEAT_SECONDS = 60.0
MAX_FINGERPRINTS = 500
BURST = 10
REFILL_SECONDS = 6.0
FIRST_BACKOFF = 5.0

# Set while reports are sent: what is logged or raised then is no report.
sending: ContextVar[bool] = ContextVar("svc_sdk_sending", default=False)


def fingerprint(kind: str, message: str, frame: str) -> str:
    """Return what is the same for the same error."""
    return fnv1a32(f"{kind}\n{message}\n{frame}")


def content(kind: str, message: str, stack: str) -> str:
    """Return the text of a report, cut at its end."""
    head = f"{kind}: {message}" if kind and message else kind or message
    return (f"{head}\n{stack}" if stack else head)[:MAX_CONTENT]


def stack_of(traceback: TracebackType | None) -> tuple[str, str]:
    """Return the innermost frame as `function (file)`, and all frames, innermost first."""
    frames: list[tuple[str, str, int]] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append((code.co_name, os.path.basename(code.co_filename), traceback.tb_lineno))
        traceback = traceback.tb_next
    if not frames:
        return "", ""
    frames.reverse()
    lines = [f"  {function} ({file}:{line})" for function, file, line in frames]
    return f"{frames[0][0]} ({frames[0][1]})", "\n".join(lines)


def device_info(settings: Settings) -> dict[str, Any]:
    """Return what a report says about this process and the system below it."""
    info: dict[str, Any] = {
        "sdk": f"svc-sdk-python/{SDK_VERSION}",
        "runtime": f"{sys.implementation.name} {'.'.join(map(str, sys.version_info[:3]))}",
        "os": settings.platform,
        "os_version": settings.platform_version if settings.platform is not None else None,
        "arch": detect_architecture(),
        "app_version": settings.app_version,
    }
    return {name: value for name, value in info.items() if value is not None}


class Reports:
    """The queue of reports of one client."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.redact: Redact | None = None
        self._lock = threading.RLock()
        # As JSON: what changes after a report was made is not in it. With the project that was
        # bound then.
        self._queue: deque[tuple[bytes, str | None]] = deque()
        # Fingerprint to the moment it was last sent and how often it came since.
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._tokens, self._refilled = float(BURST), core.clock.monotonic()
        self._dropped = 0
        self._failures = 0
        self.wait = 0.0
        """Seconds to wait after the last send, 0 when it was taken."""

    def add(
        self,
        kind: str,
        message: str,
        frame: str,
        stack: str,
        *,
        level: int,
        source: str | None,
        custom_data: Mapping[str, Any] | None,
    ) -> bool:
        """Queue a report and say whether there is something to send."""
        mark = fingerprint(kind, message, frame)
        settings = self._core.settings
        with self._lock:
            now = self._core.clock.monotonic()
            at, repeated = self._seen.get(mark, (now - REPEAT_SECONDS, 0))
            if now - at < REPEAT_SECONDS:
                self._seen[mark] = (at, repeated + 1)
                return False
            self._tokens = min(BURST, self._tokens + (now - self._refilled) / REFILL_SECONDS)
            self._refilled = now
            if self._tokens < 1:
                self._dropped += 1
                return False
            self._tokens -= 1
            self._seen.pop(mark, None)
            self._seen[mark] = (now, 0)
            if len(self._seen) > MAX_FINGERPRINTS:
                self._seen.popitem(last=False)
            dropped, self._dropped = self._dropped, 0
        report: Report = {
            "level": level,
            "content": content(kind, message, stack),
            "device_info": device_info(settings),
            "custom_data": {**(custom_data or {}), "fingerprint": mark},
        }
        if source:
            report["source"] = source[:MAX_SOURCE]
        if repeated:
            report["custom_data"]["repeated"] = repeated
        if dropped:
            report["custom_data"]["dropped"] = dropped
        if self.redact is not None:
            token = sending.set(True)
            try:
                redacted = self.redact(report)
            finally:
                sending.reset(token)
            if redacted is None:
                return False
            report = redacted
        body = express(report).encode("utf-8", "replace")
        with self._lock:
            self._queue.append((body, settings.project_key))
            if len(self._queue) > MAX_QUEUE:
                self._queue.popleft()
        return True

    def pending(self) -> int:
        """Return how many reports wait."""
        return len(self._queue)

    def forked(self) -> None:
        """Begin anew in a forked child."""
        self._lock = threading.RLock()
        self._queue.clear()

    def drain(self, ends: float | None = None) -> Flow[None]:
        """Send what is queued until one has to be sent again later."""
        token = sending.set(True)
        try:
            while self._queue:
                report = self._queue[0]
                if not (yield from self._deliver(report, ends)):
                    return
                with self._lock:
                    if self._queue and self._queue[0] is report:
                        self._queue.popleft()
        finally:
            try:
                sending.reset(token)
            except ValueError:
                pass  # The flow was closed by another task than it began in.

    def _deliver(self, report: tuple[bytes, str | None], ends: float | None) -> Flow[bool]:
        """Send a report to its project; false when it has to wait."""
        body, project = report
        settings = self._core.settings
        status, retry_after = 0, None
        try:
            settings = settings.with_(project_key=project or settings.project_key)
            request = prepare(Call[Any]("POST", "/public/{k}/logs", raw=body), settings)
            request.content_type = "application/json"
            yield from exchange(request, self._core.clock, ends=ends)
            status = 201
        except SvcApiError as error:
            status, retry_after = error.status, error.retry_after
        except SvcConnectionError:
            pass
        except SvcError as error:
            logger.debug("an error report is dropped: %s", error)
            return True
        if status == 408 or status == 429 or status >= 500 or status == 0:
            self._failures += 1
            self.wait = backoff(FIRST_BACKOFF, self._failures, retry_after)
            return False
        if not 200 <= status < 300:
            logger.debug("an error report is dropped: HTTP %d", status)
        self._failures, self.wait = 0, 0.0
        return True
