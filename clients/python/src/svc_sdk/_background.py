"""Calls beside a user interface: they run on threads, their callbacks on the thread that drains."""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from .errors import SvcError

logger = logging.getLogger("svc_sdk")

T = TypeVar("T")
_Callback = Callable[[], object]


class Background:
    """A small pool of threads whose results come back to the user interface."""

    def __init__(self, threads: int = 4) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="svc-sdk-background")
        self._callbacks: queue.SimpleQueue[_Callback] = queue.SimpleQueue()
        self._closed = False

    def submit(
        self,
        fn: Callable[..., T],
        *args: Any,
        on_success: Callable[[T], object] | None = None,
        on_error: Callable[[BaseException], object] | None = None,
        on_done: Callable[[], object] | None = None,
        **kwargs: Any,
    ) -> Future[T]:
        """Run a call on a thread and return its future.

        `on_success` gets the result, `on_error` the exception, `on_done` is
        called after either. All of them wait for `drain`.
        """
        if self._closed:
            raise SvcError("the client is closed")

        def finished(future: Future[T]) -> None:
            if future.cancelled():
                self._deliver(None, on_done)
                return
            error = future.exception()
            if error is not None:
                self._deliver(None if on_error is None else partial(on_error, error), on_done)
            else:
                self._deliver(None if on_success is None else partial(on_success, future.result()), on_done)

        future = self._pool.submit(fn, *args, **kwargs)
        future.add_done_callback(finished)
        return future

    def _deliver(self, *callbacks: _Callback | None) -> None:
        for callback in callbacks:
            if callback is not None:
                self._callbacks.put(callback)

    def drain(self, max_callbacks: int | None = None) -> int:
        """Call what is due, on this thread, and return how many it was.

        Call it from a timer of the user interface. An exception in a callback
        is logged and does not stop the rest.
        """
        called = 0
        while max_callbacks is None or called < max_callbacks:
            try:
                callback = self._callbacks.get_nowait()
            except queue.Empty:
                break
            called += 1
            try:
                callback()
            except Exception:
                logger.exception("a callback failed")
        return called

    def close(self) -> None:
        """Take no more calls; those that wait are cancelled."""
        if self._closed:
            return
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        if not self._callbacks.empty():
            logger.warning("closed with callbacks that nobody drained")
