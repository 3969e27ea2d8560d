"""Does every step on the running loop."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from ._calls import Call
from ._clock import Clock
from ._core import CLOSED, Core
from ._events import Analytics, EventQueue, FlushResult
from ._flow import Answer, Attempt, Failure, Flow, Pause, Run, Step, drive, drive_async
from ._options import Settings
from ._wire import AsyncWire, SyncWire
from .errors import SvcError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import httpx

logger = logging.getLogger("svc_sdk")

T = TypeVar("T")


class AsyncCore(Core):
    """Settings, event queues and connections of an asynchronous client."""

    def __init__(
        self,
        settings: Settings,
        analytics: Analytics,
        clock: Clock,
        transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        super().__init__(settings, analytics, clock)
        self.wire = AsyncWire(transport)
        self._begin()

    def _begin(self) -> None:
        self.closed = asyncio.Event()
        self.turn = asyncio.Lock()
        self._wake = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pump: asyncio.Task[None] | None = None
        self._retiring: set[asyncio.Task[None]] = set()
        self._sending: asyncio.Task[Answer] | None = None
        self._aborted = False

    def send(self, call: Call[T]) -> Coroutine[Any, Any, T]:
        """Make the local checks of a call now, and return what sends it."""
        if self.is_closed:
            raise SvcError(CLOSED)
        return self.run(self.answer(call))

    async def run(self, flow: Flow[T]) -> T:
        """Run a flow to its end."""
        return await drive_async(flow, self._do)

    async def _do(self, step: Step) -> Any:
        if isinstance(step, Attempt):
            return await self.wire.attempt(step)
        if isinstance(step, Run):
            return await asyncio.get_running_loop().run_in_executor(None, step.function)
        assert isinstance(step, Pause)
        await self.clock.wait_async(self.closed, step.seconds)
        if self.closed.is_set():
            raise SvcError(CLOSED)
        return None

    def run_without_loop(self, flow: Flow[T], wire: SyncWire) -> T:
        """Run a flow by waiting, when the process ends and no loop is left."""

        def do(step: Step) -> Any:
            if isinstance(step, Attempt):
                return wire.attempt(step)
            if isinstance(step, Run):
                return step.function()
            raise SvcError(CLOSED)

        return drive(flow, do)

    async def _do_events(self, step: Step) -> Any:
        """Do the same so that `abort_send` can end it."""
        if not isinstance(step, Attempt):
            return await self._do(step)
        self._aborted = False
        self._sending = asyncio.ensure_future(self.wire.attempt(step))
        try:
            return await self._sending
        except asyncio.CancelledError:
            if not self._aborted:
                raise
            raise Failure("aborted", "the send was given up") from None
        finally:
            self._sending = None

    def abort_send(self) -> None:
        sending, loop = self._sending, self._loop
        if sending is not None and loop is not None:
            self._aborted = True
            loop.call_soon_threadsafe(sending.cancel)

    async def flush(self, ends: float | None = None) -> FlushResult:
        """Send all events now; while a send runs, join it."""
        queue = self.queue()
        self._loop = asyncio.get_running_loop()
        failed, joined = queue.failed_sends, self.turn.locked()
        async with self.turn:
            if joined and queue.failed_sends != failed:
                return FlushResult(0, 0, len(queue.pending()))
            return await drive_async(queue.drain(ends=ends), self._do_events)

    async def send_full_batches(self, queue: EventQueue) -> None:
        """Send the batches that are full."""
        async with self.turn:
            if queue.woken:
                await drive_async(queue.drain(full_batches=True), self._do_events)

    async def _send_due(self, queue: EventQueue) -> None:
        async with self.turn:
            await drive_async(queue.drain(), self._do_events)

    def retire(self, queue: EventQueue) -> None:
        loop = self.running_loop()
        if loop is None:
            return
        task = loop.create_task(self._send_due(queue))
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)

    def kick(self, queue: EventQueue) -> None:
        loop = self.running_loop()
        if loop is not None:
            self._loop = loop
            self._start_pump(loop, queue)
        elif self._loop is not None and not self._loop.is_closed():
            # Tracked on another thread than the loop's.
            self._loop.call_soon_threadsafe(self._start_pump, self._loop, queue)

    def running_loop(self) -> asyncio.AbstractEventLoop | None:
        """Return the loop that runs here, if one does."""
        try:
            return asyncio.get_running_loop()
        except RuntimeError:
            return None

    def _start_pump(self, loop: asyncio.AbstractEventLoop, queue: EventQueue) -> None:
        if self._pump is None or self._pump.done():
            if not self.is_closed:
                self._pump = loop.create_task(self._run_pump())
        elif queue.woken:
            self._wake.set()

    async def _run_pump(self) -> None:
        """Send until nothing is queued or nothing will be sent by itself."""
        while not self.is_closed:
            queue = self.queue()
            try:
                if queue.woken:
                    await self.send_full_batches(queue)
                    continue
                due = queue.due()
                if due is None:
                    return
                wait = due - time.monotonic()
                if wait <= 0:
                    await self._send_due(queue)
                    continue
            except Exception:
                logger.exception("events were not sent")
                wait = 1.0
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), wait)
            except asyncio.TimeoutError:
                pass

    async def close(
        self, flush_timeout: float, before: Callable[[float], Awaitable[None]] | None = None
    ) -> None:
        """Send what is queued within the limit, save the rest, and end."""
        with self._lock:
            if self.is_closed:
                return
            self.is_closed = True
        ends = time.monotonic() + max(0.0, flush_timeout)
        if self._queue is not None:
            if flush_timeout > 0:
                try:
                    await asyncio.wait_for(self.flush(ends), flush_timeout)
                except asyncio.TimeoutError:
                    pass
            await asyncio.get_running_loop().run_in_executor(None, self._queue.save)
        if before is not None:
            await before(ends)
        self.closed.set()
        for task in (self._pump, *self._retiring):
            if task is not None:
                task.cancel()
        self.saver.stop()
        await self.wire.close()

    def forked(self) -> None:
        super().forked()
        self._begin()
        self.wire.forget()

    async def settle(self) -> None:
        """Wait until no send runs and none is due because of a full batch. For tests."""
        queue = self.queue()
        self._loop = asyncio.get_running_loop()
        while self._retiring:
            await asyncio.wait(self._retiring)
        while True:
            async with self.turn:
                pass
            await self.send_full_batches(queue)
            if not queue.woken:
                return
