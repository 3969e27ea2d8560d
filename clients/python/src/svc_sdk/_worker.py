"""The two threads behind an event queue: one sends, one saves.

They are two because a send may take as long as the time limit allows, and what
was tracked in the meantime is to be on disk within a second. Both are daemons
and start with the first event.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import SyncCore
    from ._events import EventQueue

logger = logging.getLogger("svc_sdk")

SAVE_INTERVAL = 1.0


class Worker:
    """Sends full batches at once, and the rest at most one flush interval later."""

    def __init__(self, core: SyncCore) -> None:
        self._core = core
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._retired: list[EventQueue] = []
        self._armed = False
        self._stopping = False

    def kick(self, queue: EventQueue) -> None:
        """Wake the thread for a full batch, or when it does not know of a timer yet."""
        if self._armed and not queue.woken:
            return
        with self._condition:
            self._start()
            self._condition.notify()

    def retire(self, queue: EventQueue) -> None:
        """Send a queue once and forget it."""
        with self._condition:
            self._retired.append(queue)
            self._start()
            self._condition.notify()

    def stop(self) -> None:
        """End the thread after what it is doing."""
        with self._condition:
            self._stopping = True
            self._condition.notify()

    def settle(self) -> None:
        """Wait until retired queues were sent. For tests."""
        with self._condition:
            while self._retired:
                self._condition.wait()

    def _start(self) -> None:
        if self._thread is None and not self._stopping:
            self._thread = threading.Thread(target=self._run, name="svc-sdk-events", daemon=True)
            try:
                self._thread.start()
            except RuntimeError:
                # The interpreter is ending; the exit hook sends.
                self._thread = None

    def _run(self) -> None:
        while True:
            with self._condition:
                queue = self._core.queue()
                retired = self._retired[0] if self._retired else None
                due = queue.due()
                now = time.monotonic()
                if self._stopping:
                    return
                if retired is None and not queue.woken and (due is None or due > now):
                    self._armed = due is not None
                    self._condition.wait(None if due is None else due - now)
                    self._armed = False
                    continue
            try:
                if retired is not None:
                    self._core.send_due(retired)
                elif queue.woken:
                    self._core.send_full_batches(queue)
                else:
                    self._core.send_due(queue)
            except Exception:
                logger.exception("events were not sent")
                time.sleep(1)
            if retired is not None:
                with self._condition:
                    self._retired.remove(retired)
                    self._condition.notify_all()


class Saver:
    """Saves queues at once when the last time is more than a second ago, else at the end of it."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        # More than one when the client was bound to another project during a send.
        self._waiting: dict[EventQueue, None] = {}
        self._stopping = False

    def request(self, queue: EventQueue) -> None:
        """Have a queue saved soon."""
        if queue in self._waiting:
            return
        with self._condition:
            self._waiting[queue] = None
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="svc-sdk-state", daemon=True)
                try:
                    self._thread.start()
                except RuntimeError:
                    # The interpreter is ending; the exit hook saves.
                    self._thread = None
            self._condition.notify()

    def stop(self) -> None:
        """End the thread; what waits is saved by the caller."""
        with self._condition:
            self._stopping = True
            self._condition.notify()

    def _run(self) -> None:
        last = 0.0
        while True:
            with self._condition:
                while not self._waiting and not self._stopping:
                    self._condition.wait()
                wait = last + SAVE_INTERVAL - time.monotonic()
                while wait > 0 and not self._stopping:
                    self._condition.wait(wait)
                    wait = last + SAVE_INTERVAL - time.monotonic()
                if self._stopping:
                    return
                queues, self._waiting = self._waiting, {}
            for queue in queues:
                try:
                    queue.save()
                except Exception:
                    logger.exception("local state was not saved")
            last = time.monotonic()
