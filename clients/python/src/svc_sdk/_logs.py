"""The logs helper: reports errors of an application, once it is told to."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._reports import Redact, Reports, sending, stack_of
from ._wire import SyncWire

if TYPE_CHECKING:
    import asyncio

    from ._core import Core, SyncCore
    from ._core_async import AsyncCore

logger = logging.getLogger("svc_sdk")

_OWN_LOGGERS = ("svc_sdk", "httpx", "httpcore", "h11", "anyio")
_LEVELS = {0: logging.DEBUG, 1: logging.INFO, 2: logging.WARNING, 3: logging.ERROR}


class LogHandler(logging.Handler):
    """A handler of the standard logging that reports what it is given.

    Put it on any logger; `install` puts one on the root.
    """

    def __init__(self, logs: LogsBase, level: int = logging.ERROR) -> None:
        super().__init__(level)
        self._logs = logs

    def emit(self, record: logging.LogRecord) -> None:
        """Report a record, unless it comes from this library or its transport."""
        if record.name.partition(".")[0] in _OWN_LOGGERS:
            return
        try:
            ours = max(level for level, theirs in _LEVELS.items() if theirs <= max(record.levelno, 10))
            error = record.exc_info[1] if record.exc_info else None
            if error is not None:
                self._logs.capture(error, level=ours, source=record.name)
            else:
                frame = f"{record.funcName} ({record.filename})"
                self._logs.add("", record.getMessage(), frame, "", ours, record.name, None)
        except Exception:
            logger.debug("a record was not reported")


class LogsBase:
    """What both clients share: capturing and hooks."""

    def __init__(self, core: Core) -> None:
        self._reports = Reports(core)

    def capture(
        self,
        error: BaseException | str,
        *,
        level: int = 3,
        source: str | None = None,
        custom_data: Mapping[str, Any] | None = None,
    ) -> None:
        """Report an error. Never raises, never blocks.

        The same error is sent at most once a minute, ten different ones at
        once and one more every six seconds; what is left out is counted in the
        next report. `level` is one of `LOG_DEBUG` to `LOG_ERROR`.
        """
        try:
            if isinstance(error, str):
                self.add("", error, "", "", level, source, custom_data)
                return
            frame, stack = stack_of(error.__traceback__)
            cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
            if cause is not None:
                more = f"caused by {type(cause).__name__}: {cause}\n{stack_of(cause.__traceback__)[1]}"
                stack = f"{stack}\n{more}" if stack else more
            self.add(type(error).__name__, str(error), frame, stack, level, source, custom_data)
        except Exception:
            logger.debug("an error was not reported")

    def add(
        self,
        kind: str,
        message: str,
        frame: str,
        stack: str,
        level: int,
        source: str | None,
        custom_data: Mapping[str, Any] | None,
    ) -> None:
        """Report what is already text. Internal."""
        if sending.get():
            return
        try:
            queued = self._reports.add(
                kind, message, frame, stack, level=level, source=source, custom_data=custom_data
            )
        except Exception:
            logger.debug("an error report is dropped: it could not be made")
            return
        if queued:
            self._wake()

    def _wake(self) -> None:
        raise NotImplementedError

    def handler(self, level: int = logging.ERROR) -> LogHandler:
        """Return a handler for a logger, which reports records of a level of `logging` and above."""
        return LogHandler(self, level)

    def install(self, *, level: int = 3, redact: Redact | None = None) -> Callable[[], None]:
        """Report uncaught errors and records of the root logger from a level on.

        `level` is one of `LOG_DEBUG` to `LOG_ERROR`. `redact` sees every
        report before it is queued, and returns it, another one, or `None` to
        drop it. Hooks that were there before are still called. The result
        undoes everything. If people have to agree to error reports, call this
        after they did.
        """
        self._reports.redact = redact
        handler = LogHandler(self, _LEVELS.get(level, logging.ERROR))
        logging.getLogger().addHandler(handler)
        undo_hooks = self._hook()

        def undo() -> None:
            logging.getLogger().removeHandler(handler)
            undo_hooks()
            self._reports.redact = None

        return undo

    def _hook(self) -> Callable[[], None]:
        before, before_thread = sys.excepthook, threading.excepthook

        def uncaught(
            kind: type[BaseException], error: BaseException, traceback: TracebackType | None
        ) -> None:
            if not issubclass(kind, KeyboardInterrupt):
                self.capture(error, source="uncaught")
            before(kind, error, traceback)

        def uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
            if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
                self.capture(args.exc_value, source="uncaught")
            before_thread(args)

        sys.excepthook, threading.excepthook = uncaught, uncaught_in_thread

        def undo() -> None:
            # A hook that was installed later stays in place. Ours then remains below it.
            if sys.excepthook is uncaught:
                sys.excepthook = before
            if threading.excepthook is uncaught_in_thread:
                threading.excepthook = before_thread

        return undo


class Logs(LogsBase):
    """Error reports of the blocking client, sent by one thread in the background."""

    def __init__(self, core: SyncCore) -> None:
        super().__init__(core)
        self._core = core
        self._turn = threading.Lock()
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        core.exit_hooks.append(self._flush)
        core.fork_hooks.append(self._forked)

    def _forked(self) -> None:
        self._turn, self._condition, self._thread = threading.Lock(), threading.Condition(), None
        self._reports.forked()

    def _wake(self) -> None:
        with self._condition:
            if self._thread is None and not self._core.is_closed:
                self._thread = threading.Thread(target=self._run, name="svc-sdk-logs", daemon=True)
                try:
                    self._thread.start()
                except RuntimeError:
                    # The interpreter is ending; the exit hook sends.
                    self._thread = None
            self._condition.notify()

    def _run(self) -> None:
        while not self._core.closed.is_set():
            with self._condition:
                while not self._reports.pending() and not self._core.closed.is_set():
                    self._condition.wait()
            with self._turn:
                if not self._core.closed.is_set():
                    self._core.run(self._reports.drain())
            if self._reports.pending():
                self._core.closed.wait(self._reports.wait)

    def flush(self, timeout: float | None = None) -> int:
        """Send what is queued now, for at most `timeout` seconds; return how many reports are left."""
        self._flush(None if timeout is None else time.monotonic() + timeout)
        return self._reports.pending()

    def _flush(self, ends: float | None) -> None:
        if not self._turn.acquire(timeout=-1 if ends is None else max(0.0, ends - time.monotonic())):
            return
        try:
            self._core.run(self._reports.drain(ends))
        finally:
            self._turn.release()

    def close(self, ends: float) -> None:
        """Send what is queued until a moment of `time.monotonic`. Internal."""
        if ends > time.monotonic():
            self._flush(ends)
        with self._condition:
            self._condition.notify()


class AsyncLogs(LogsBase):
    """Error reports of the asynchronous client, sent by a task on its loop."""

    def __init__(self, core: AsyncCore) -> None:
        import asyncio

        super().__init__(core)
        self._core = core
        self._turn = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = core.running_loop()
        self._task: asyncio.Task[None] | None = None
        core.exit_hooks.append(self._at_exit)
        core.fork_hooks.append(self._reports.forked)

    def _wake(self) -> None:
        self._loop = self._core.running_loop() or self._loop
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._start)

    def _start(self) -> None:
        if (self._task is None or self._task.done()) and self._loop is not None and not self._core.is_closed:
            self._task = self._loop.create_task(self._run())

    async def _run(self) -> None:
        import asyncio

        while self._reports.pending():
            await self._drain(None)
            if self._reports.pending():
                await asyncio.sleep(self._reports.wait)

    async def _drain(self, ends: float | None) -> None:
        async with self._turn:
            await self._core.run(self._reports.drain(ends))

    def flush(self, timeout: float | None = None) -> Coroutine[Any, Any, int]:
        """Send what is queued now, for at most `timeout` seconds; return how many reports are left."""
        return self._flush(timeout)

    async def _flush(self, timeout: float | None) -> int:
        await self._drain(None if timeout is None else time.monotonic() + timeout)
        return self._reports.pending()

    def _at_exit(self, ends: float) -> None:
        # The loop has ended, so an uncaught error of `asyncio.run` is sent without one.
        if self._core.wire.transport is not None or not self._reports.pending():
            return
        wire = SyncWire(None)
        try:
            self._core.run_without_loop(self._reports.drain(ends), wire)
        finally:
            wire.close()

    def _hook(self) -> Callable[[], None]:
        undo_hooks = super()._hook()
        loop = self._core.running_loop()
        if loop is None:
            return undo_hooks
        before = loop.get_exception_handler()

        def uncaught(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            error = context.get("exception")
            self.capture(error if error is not None else str(context.get("message")), source="uncaught")
            if before is not None:
                before(loop, context)
            else:
                loop.default_exception_handler(context)

        loop.set_exception_handler(uncaught)

        def undo() -> None:
            undo_hooks()
            if loop.get_exception_handler() is uncaught:
                loop.set_exception_handler(before)

        return undo

    async def aclose(self, ends: float) -> None:
        """Send what is queued until a moment of `time.monotonic`. Internal."""
        if self._task is not None:
            self._task.cancel()
        if ends > time.monotonic() and self._reports.pending():
            await self._drain(ends)


__all__ = ["AsyncLogs", "LogHandler", "Logs"]
