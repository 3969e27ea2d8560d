"""What a client is made of, without its methods.

`Core` holds settings and event queues for both clients; `SyncCore` does steps
by waiting for them.
"""

from __future__ import annotations

import os
import random
import re
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from . import _feedback, _state
from ._calls import Call, Prepared, prepare
from ._clock import Clock
from ._events import Analytics, EventQueue, FlushResult
from ._exchange import exchange
from ._flow import Attempt, Flow, Pause, Run, Step, drive
from ._options import Settings
from ._state import FileStorage, KeyStorage, SafeStorage
from ._unset import Unset
from ._worker import Saver, Worker
from .errors import SvcError

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
CLOSED = "the client is closed"


class Core:
    """Settings and event queues of a client."""

    def __init__(self, settings: Settings, analytics: Analytics, clock: Clock) -> None:
        self.clock = clock
        self.analytics = analytics
        self.granted = False
        self.saver = Saver()
        # Guards the three below.
        self._lock = threading.RLock()
        self._settings = settings
        self._queue: EventQueue | None = None
        self._queue_name = ""
        self._rollout_keys: dict[str, tuple[str, bool]] = {}
        self.is_closed = False
        self.exit_hooks: list[Callable[[float], None]] = []
        self.fork_hooks: list[Callable[[], None]] = []
        _live.add(self)

    @property
    def settings(self) -> Settings:
        """The settings that a request would take now."""
        return self._settings

    def change(self, **changes: object) -> None:
        """Replace some settings; requests that have started keep theirs."""
        with self._lock:
            self._settings = self._settings.with_(**changes)

    def bind(self, project_key: str | None) -> None:
        """Change the project; its events have a queue of their own."""
        with self._lock:
            old, before = self._queue, self._project()
            self._settings = self._settings.with_(project_key=project_key)
            if old is None or self._project() == before:
                return
            self._queue = None
        if self.analytics.persistence == "persistent":
            old.save()
        else:
            self.retire(old)

    def _project(self) -> str:
        """Return what tells projects apart; their namespace does not when the application gave it."""
        return (self._settings.project_key or "").strip().lower()

    def namespace(self) -> str:
        """Return what the local state is called."""
        if self.analytics.namespace is not None:
            return self.analytics.namespace
        return _state.namespace(self._settings.base_url, self._settings.project_key)

    def queue(self) -> EventQueue:
        """Return the queue of the project that the client is bound to."""
        with self._lock:
            if self._queue is None:
                name, key = self.namespace(), self._settings.project_key
                self._queue = EventQueue(
                    self.analytics,
                    name,
                    self.storage(name, tuple(f"svc.analytics.{name}.{s}" for s in _SUFFIXES)),
                    self.clock,
                    lambda: self.granted,
                    lambda body: self._events_request(key, body),
                    lambda queue: self.saver.request(queue),
                    key if self.analytics.namespace is not None else None,
                    self._settings.app_version,
                )
            return self._queue

    def storage(self, name: str, keys: tuple[str, ...], suffix: str = "") -> SafeStorage:
        """Return where texts of a namespace are kept."""
        if self.analytics.persistence == "none":
            return SafeStorage(None)
        if self.analytics.storage is not None:
            return SafeStorage(KeyStorage(self.analytics.storage, keys))
        path = os.path.join(_state.directory(), f"{_state.file_stem(name)}{suffix}.json")
        return SafeStorage(FileStorage(path))

    def answer(self, call: Call[Any]) -> Flow[Any]:
        """Make a call. Local checks raise at once."""
        return self._answer(prepare(call, self.settings))

    def _answer(self, request: Prepared) -> Flow[Any]:
        if not _feedback.is_submission(request):
            return (yield from exchange(request, self.clock))
        queue = self.queue()  # Another project may be bound during the request.
        answer = yield from exchange(request, self.clock)
        sent = _feedback.submission(answer)
        if sent is not None:
            yield Run(lambda: queue.keep_feedback(sent))
        return answer

    def _events_request(self, project_key: str | None, body: bytes) -> Prepared | None:
        if project_key is None:
            return None
        settings = self._settings.with_(project_key=project_key)
        request = prepare(Call[Any]("POST", "/public/{k}/events", raw=body), settings)
        request.content_type = "application/json"
        return request

    def own_identifier(self, given: str | Unset, *, erase: bool = False) -> str:
        """Return the given or the current identifier; with `erase`, drop its queued events."""
        identifier = self.queue().identifier() if isinstance(given, Unset) else given
        if not identifier:
            raise SvcError("there is no identifier: nothing is collected, and none was given")
        if erase:
            self.queue().forget(identifier)
        return identifier

    def rollout_key(self, given: str | Unset | None) -> str | None:
        """Return the given key, that of the client, or a random one that is kept.

        It is kept beside the identifier, but an opt-out does not remove it, because it identifies nobody.
        Without a consent that is required, it stays in memory.
        """
        if not isinstance(given, Unset):
            return given
        if self._settings.rollout_key or not self._settings.project_key:
            return self._settings.rollout_key
        name = self.namespace()
        key, stored = self._rollout_keys.get(name) or (str(random.randrange(10000)), False)
        consented = self.granted or not self.analytics.require_consent
        if not stored and consented and self.analytics.persistence == "persistent":
            key, stored = self._stored_rollout_key(f"svc.analytics.{name}.rollout_key", name, key), True
        self._rollout_keys[name] = key, stored
        return key

    def _stored_rollout_key(self, at: str, name: str, key: str) -> str:
        def keep(state: _state.State) -> _state.State:
            state[at] = state[at] if _ROLLOUT_KEY.match(state.get(at, "")) else key
            return state

        store = self.storage(name, (at,))
        if not _ROLLOUT_KEY.match(store.load().get(at, "")):
            store.update(keep)
        return store.load().get(at, key)

    def track(self, name: str, properties: Any) -> None:
        """Put an event into the queue and see to it that it is saved and sent."""
        if self.is_closed:
            return
        queue = self.queue()
        queue.track(name, properties)
        if queue.dirty:
            self.saver.request(queue)
            self.kick(queue)

    def retire(self, queue: EventQueue) -> None:
        """Send a queue that is only in memory once, in the background."""
        raise NotImplementedError

    def kick(self, queue: EventQueue) -> None:
        """Wake what sends events, if it has to know."""
        raise NotImplementedError

    def abort_send(self) -> None:
        """End a running send of events, where that can be done."""

    def forked(self) -> None:
        """Begin anew in a forked child."""
        self._lock = threading.RLock()
        self.saver = Saver()
        if self._queue is not None:
            self._queue.forked()
        for hook in self.fork_hooks:
            hook()

    def at_exit(self, ends: float) -> None:
        """Do what is left to do when the process ends, until an instant of the monotonic clock."""
        if self.is_closed:
            return
        if self._queue is not None and self._queue.dirty:
            self._queue.save()
        for hook in self.exit_hooks:
            hook(ends)


_ROLLOUT_KEY = re.compile(r"[0-9]{1,4}\Z")
_SUFFIXES = ("distinct_id", "queue", "opt_out", "feedback")
_live: weakref.WeakSet[Core] = weakref.WeakSet()


def _after_fork() -> None:
    _state.forget_locks()
    for core in list(_live):
        core.forked()


def _at_exit() -> None:
    ends = time.monotonic() + 2.0  # of all clients together
    for core in list(_live):
        core.at_exit(ends)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _register_at_exit() -> None:
    import atexit

    atexit.register(_at_exit)


_register_at_exit()


class SyncCore(Core):
    """Does every step by waiting for it."""

    def __init__(
        self, settings: Settings, analytics: Analytics, clock: Clock, transport: httpx.BaseTransport | None
    ) -> None:
        from ._wire import SyncWire

        super().__init__(settings, analytics, clock)
        self.wire = SyncWire(transport)
        self.closed = threading.Event()
        self.worker = Worker(self)
        self.turn = threading.Lock()

    def send(self, call: Call[T]) -> Any:
        """Make a call and return its answer."""
        if self.is_closed:
            raise SvcError(CLOSED)
        return self.run(self.answer(call))

    def run(self, flow: Flow[T]) -> T:
        """Run a flow to its end."""
        return drive(flow, self._do)

    def _do(self, step: Step) -> Any:
        if isinstance(step, Attempt):
            return self.wire.attempt(step)
        if isinstance(step, Run):
            return step.function()
        assert isinstance(step, Pause)
        self.clock.wait(self.closed, step.seconds)
        if self.closed.is_set():
            raise SvcError(CLOSED)
        return None

    def flush(self, ends: float | None = None) -> FlushResult:
        """Send all events now; while a send runs, join it."""
        queue = self.queue()
        failed = queue.failed_sends
        nothing = FlushResult(0, 0, len(queue.pending()))
        if not self.turn.acquire(blocking=False):
            joined = self.turn.acquire(timeout=-1 if ends is None else max(0.0, ends - time.monotonic()))
            if not joined:
                return nothing
            if queue.failed_sends != failed:
                self.turn.release()
                return nothing._replace(pending=len(queue.pending()))
        try:
            return self.run(queue.drain(ends=ends))
        finally:
            self.turn.release()

    def send_full_batches(self, queue: EventQueue) -> None:
        """Send the batches that are full."""
        with self.turn:
            if queue.woken:
                self.run(queue.drain(full_batches=True))

    def send_due(self, queue: EventQueue) -> None:
        """Send everything that is queued."""
        with self.turn:
            self.run(queue.drain())

    def retire(self, queue: EventQueue) -> None:
        self.worker.retire(queue)

    def kick(self, queue: EventQueue) -> None:
        self.worker.kick(queue)

    def close(self, flush_timeout: float, before: Callable[[float], None] | None = None) -> None:
        """Send what is queued within the limit, save the rest, and end."""
        with self._lock:
            if self.is_closed:
                return
            self.is_closed = True
        ends = time.monotonic() + max(0.0, flush_timeout)
        if self._queue is not None:
            if flush_timeout > 0:
                self.flush(ends)
            self._queue.save()
        if before is not None:
            before(ends)
        self.closed.set()
        self.worker.stop()
        self.saver.stop()
        self.wire.close()

    def forked(self) -> None:
        super().forked()
        self.turn = threading.Lock()
        self.worker = Worker(self)
        self.closed = threading.Event()
        if self.is_closed:
            self.closed.set()
        self.wire.forget()

    def at_exit(self, ends: float) -> None:
        if not self.is_closed and self._queue is not None and self._queue.due() is not None:
            self.flush(ends)
        super().at_exit(ends)

    def settle(self) -> None:
        """Wait until no send runs and none is due because of a full batch. For tests."""
        self.worker.settle()
        queue = self.queue()
        while True:
            self.send_full_batches(queue)
            if not queue.woken:
                return
