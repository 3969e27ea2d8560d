"""The event queue: what is collected, kept and sent, and when.

`EventQueue` holds the rules. It never waits: its lock is held for memory
alone, never while a file or the network is used. Sending is a flow, so that
both clients share it; `save` reads and writes the local state.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from . import _feedback, _kinds
from ._calls import Prepared
from ._clock import Clock
from ._exchange import exchange
from ._flow import Flow, Run
from ._json import is_list, is_object
from ._state import SafeStorage, State, Storage, same_project
from .errors import SvcApiError, SvcConnectionError, SvcError

logger = logging.getLogger("svc_sdk")

MAX_BATCH = 50
MAX_BATCH_BYTES = 64 << 10
MAX_PROPERTIES_BYTES = 16 << 10
MAX_BACKOFF = 60.0
MAX_RETRY_AFTER = 3600
HOLD = 60.0
MAX_HOLDS = 3

_NAME = re.compile(r"[a-z0-9_.:-]{1,64}\Z")
_UPPER = {upper: upper + 32 for upper in range(65, 91)}
_IDENTIFIER = re.compile(r"[\x20-\x7e]{1,128}\Z")

OnDrop = Callable[[str, str], None]


class FlushResult(NamedTuple):
    """What a flush did."""

    sent: int
    """Events that the server took."""
    dropped: int
    """Events that it refused for good."""
    pending: int
    """Events that are left."""


@dataclass(frozen=True)
class Analytics:
    """Checked options of event collection."""

    enabled: bool = True
    require_consent: bool = False
    persistence: str = "persistent"
    flush_interval: float = 5.0
    batch_size: int = 20
    max_queue_size: int = 500
    session_timeout: float = 1800.0
    namespace: str | None = None
    storage: Storage | None = None
    on_drop: OnDrop | None = None


def make_analytics(options: Mapping[str, Any] | None) -> Analytics:
    """Check the options of event collection. Raises `SvcError`."""
    given = dict(_kinds.mapping("analytics", {} if options is None else options))
    for name in given:
        if name not in Analytics.__dataclass_fields__:
            known = ", ".join(Analytics.__dataclass_fields__)
            raise SvcError(f"analytics has no option {name!s:.64}; there are {known}")
    analytics = Analytics(**cast("dict[str, Any]", given))
    if analytics.persistence == "device":
        analytics = replace(analytics, persistence="persistent")
    if analytics.persistence not in ("persistent", "session", "none"):
        raise SvcError("analytics: persistence must be persistent, session or none")
    for name in ("enabled", "require_consent"):
        _kinds.flag(f"analytics: {name}", getattr(analytics, name))
    for name in ("flush_interval", "session_timeout"):
        _kinds.seconds(f"analytics: {name}", getattr(analytics, name))
    for name in ("batch_size", "max_queue_size"):
        _kinds.count(f"analytics: {name}", getattr(analytics, name), 1)
    _kinds.optional_text("analytics: namespace", analytics.namespace)
    if analytics.storage is not None:
        _kinds.methods("analytics: storage", analytics.storage, "read", "write", "remove")
    if analytics.on_drop is not None:
        _kinds.function("analytics: on_drop", analytics.on_drop)
    return analytics


def event_name(name: str) -> str | None:
    """Return a name as it is sent, `None` when it is not one."""
    text = name.strip().translate(_UPPER)
    return text if _NAME.match(text) else None


def random_id() -> str:
    """Return a UUID of version 4 from the secure generator of the system."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def backoff(interval: float, failures: int, retry_after: int | None = None) -> float:
    """Return the seconds before the next send after failures in a row."""
    delay = min(interval * 2.0 ** min(failures - 1, 30), MAX_BACKOFF)
    return max(delay, min(retry_after or 0, MAX_RETRY_AFTER))


def outcome(status: int, events: int) -> str:
    """Return what an answer means for a batch: drop_batch, split, hold or retry."""
    if 200 <= status < 300:
        return "drop_batch"
    if status in (400, 413, 422):
        return "split" if events > 1 else "drop_batch"
    if status in (401, 403, 404, 405, 410):
        return "hold"
    return "retry"


def express(properties: Mapping[str, Any]) -> str:
    """Return properties as JSON; what JSON lacks becomes text, NaN and infinities null."""
    try:
        return json.dumps(properties, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError):
        plain = _plain(properties, ())
        return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def with_version(properties: Mapping[str, Any] | None, version: str | None) -> Mapping[str, Any] | None:
    """Return properties with the version of the application, unless they have one or are no mapping."""
    given: Any = properties  # callers without type checks pass anything
    if not version or (given and (not isinstance(given, Mapping) or "app_version" in given)):
        return properties
    return {**(properties or {}), "app_version": version}


def _plain(value: Any, inside: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if id(value) not in inside and len(inside) < 64:
        inside = (*inside, id(value))
        if isinstance(value, Mapping):
            mapping = cast("Mapping[object, object]", value)
            return {str(key): _plain(item, inside) for key, item in mapping.items()}
        if isinstance(value, list | tuple):
            return [_plain(item, inside) for item in cast("Sequence[object]", value)]
    return str(value)


class Entry:
    """An event in the queue."""

    __slots__ = ("distinct_id", "event_id", "name", "project_key", "session_id", "wire")

    def __init__(
        self,
        event_id: str,
        name: str,
        distinct_id: str,
        session_id: str,
        wire: bytes,
        project_key: str | None = None,
    ) -> None:
        self.event_id = event_id
        self.name = name
        self.distinct_id = distinct_id
        self.session_id = session_id
        self.wire = wire
        """The event as JSON of a batch."""
        self.project_key = project_key
        """Its project, only where the namespace does not say it."""

    def stored(self) -> str:
        """Return the event as JSON of the stored queue."""
        about = {"distinct_id": self.distinct_id, "session_id": self.session_id}
        if self.project_key is not None:
            about["project_key"] = self.project_key
        return f"{self.wire[:-1].decode()},{json.dumps(about)[1:]}"


def read_entry(value: Any) -> Entry | None:
    """Read an entry of the stored queue; `None` when it is not valid."""
    if not is_object(value):
        return None
    event_id, name, identity = value.get("event_id"), value.get("name"), value.get("distinct_id")
    session, moment, properties = value.get("session_id"), value.get("occurred_at"), value.get("properties")
    project = value.get("project_key")
    if (
        not (isinstance(event_id, str) and _IDENTIFIER.match(event_id))
        or not (isinstance(name, str) and _NAME.match(name))
        or not (isinstance(identity, str) and _IDENTIFIER.match(identity))
        or not (session is None or (isinstance(session, str) and len(session) <= 128))
        or not (isinstance(moment, int) and not isinstance(moment, bool) and moment >= 0)
        or not (properties is None or isinstance(properties, dict))
        or not (project is None or isinstance(project, str))
    ):
        return None
    wire: dict[str, Any] = {"event_id": event_id, "name": name, "occurred_at": moment}
    if properties:
        wire["properties"] = properties
    try:
        encoded = json.dumps(wire, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return None
    return Entry(event_id, name, identity, session or "", encoded, project)


def read_queue(text: str | None) -> list[Entry]:
    """Read a stored queue; what is not valid is left out."""
    try:
        values = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    if not is_list(values):
        return []
    return [entry for entry in map(read_entry, values) if entry is not None]


def merge_queue(text: str | None, own: Sequence[Entry], gone: set[str], limit: int) -> str | None:
    """Return the stored queue with our entries and without those we are done with."""
    ours = {entry.event_id for entry in own}
    others = [e for e in read_queue(text) if e.event_id not in ours and e.event_id not in gone]
    merged = [*others, *own][-limit:]
    return "[" + ",".join(entry.stored() for entry in merged) + "]" if merged else None


def batch_body(batch: Sequence[Entry]) -> bytes:
    """Return the body of a request with a batch."""
    head = {"distinct_id": batch[0].distinct_id}
    if batch[0].session_id:
        head["session_id"] = batch[0].session_id
    events = b",".join(entry.wire for entry in batch)
    return json.dumps(head, separators=(",", ":")).encode()[:-1] + b',"events":[' + events + b"]}"


class EventQueue:
    """The queue of one namespace, which belongs to one project."""

    def __init__(
        self,
        options: Analytics,
        namespace: str,
        storage: SafeStorage,
        clock: Clock,
        granted: Callable[[], bool],
        prepare: Callable[[bytes], Prepared | None],
        save_soon: Callable[[EventQueue], None],
        project_key: str | None = None,
        app_version: str | None = None,
    ) -> None:
        self.options = options
        self._clock = clock
        self._storage = storage
        self._granted = granted
        self._prepare = prepare
        self._save_soon = save_soon
        self._project_key = project_key
        self._app_version = app_version
        prefix = f"svc.analytics.{namespace}."
        self._keys = {name: prefix + name for name in ("distinct_id", "queue", "opt_out", "feedback")}
        self._batch_size = min(options.batch_size, MAX_BATCH)
        self._persistent = options.persistence == "persistent"
        self._stores = options.persistence != "none"
        self._feedback = storage if self._persistent else SafeStorage(None)
        self._bad_names: set[str] = set()
        self._save_lock = threading.Lock()
        # Guards everything below.
        self._lock = threading.Lock()
        self._loaded = False
        self._entries: list[Entry] = []
        self._in_flight: set[str] = set()
        self._gone: dict[str, None] = {}
        self._identity: str | None = None
        self._session: str | None = None
        self._last = 0.0
        self._opted_out = False
        self._failures = 0
        self._holds = 0
        self._until = 0.0
        self._since: float | None = None
        self._not_before = 0.0
        self._stopped = False
        self._era = 0
        self._marker: bool | None = None
        self._cleared = False
        self.failed_sends = 0
        """How many sends have failed, so that a flush can tell that the one it joined has."""
        self.dirty = False
        """Whether there is something to save."""
        self.woken = False
        """Whether a full batch waits to be sent."""

    # Calls of applications.

    def active(self) -> bool:
        """Report whether anything is collected."""
        if not self.options.enabled or (self.options.require_consent and not self._granted()):
            return False
        self._load()
        return not self._opted_out

    def opted_out(self) -> bool:
        """Report whether there is an opt-out."""
        if self.options.enabled:
            self._load()
        return self._opted_out

    def identifier(self) -> str | None:
        """Return the identifier, made when there is none; `None` while nothing is collected."""
        if not self.active():
            return None
        with self._lock:
            fresh = self._identity is None
            identity = self._identify()
        if fresh:
            self.save()
        return identity

    def pending(self) -> list[str]:
        """Return the names of the events in the queue."""
        self._load()
        with self._lock:
            return [entry.name for entry in self._entries]

    def track(self, name: object, properties: Mapping[str, Any] | None) -> None:
        """Put an event into the queue. Never raises, never waits."""
        try:
            if not self.active():
                return
            sent_name = event_name(name) if isinstance(name, str) else None
            if sent_name is None:
                self._report_name(str(name))
                return
            wire_properties = b""
            properties = with_version(properties, self._app_version)
            if properties:
                wire_properties = express(properties).encode("utf-8", "replace")
                if not wire_properties.startswith(b"{"):
                    self._drop([sent_name], "properties must be a mapping")
                    return
                if len(wire_properties) > MAX_PROPERTIES_BYTES:
                    self._drop([sent_name], "properties are longer than 16 KiB of JSON")
                    return
        except Exception as error:
            self._drop([str(name)[:64]], f"properties cannot be expressed: {type(error).__name__}")
            return
        event_id = random_id()
        wire = f'{{"event_id":"{event_id}","name":"{sent_name}","occurred_at":{self._clock.wall_ms() // 1000}'
        encoded = wire.encode() + (b',"properties":' + wire_properties if wire_properties else b"") + b"}"
        dropped = self._append(event_id, sent_name, encoded)
        if dropped is not None:
            self._drop([dropped.name], "the queue is full")

    def _append(self, event_id: str, name: str, wire: bytes) -> Entry | None:
        """Add an entry and return the one that it displaced."""
        dropped = None
        now = self._clock.monotonic()
        with self._lock:
            if self._opted_out:
                return None
            if self._session is None or now - self._last > self.options.session_timeout:
                self._session = random_id()
            self._last = now
            self._entries.append(
                Entry(event_id, name, self._identify(), self._session, wire, self._project_key)
            )
            if len(self._entries) > self.options.max_queue_size:
                for i, entry in enumerate(self._entries):
                    if entry.event_id not in self._in_flight:
                        dropped = self._entries.pop(i)
                        self._note_gone(dropped)
                        break
            if self._since is None:
                self._since = time.monotonic()
            self.dirty = True
            if len(self._entries) >= self._batch_size and not self._stopped and now >= self._until:
                self.woken = True
        return dropped

    def opt_out(self) -> None:
        """Forget queue, identifier, session and feedback, and leave the marker."""
        self._load()
        with self._lock:
            self._clear()
            self._opted_out, self._marker = True, True
        self.save()

    def opt_in(self) -> None:
        """Remove the marker; the next identifier is new, because the opt-out deleted the old one."""
        self._load()
        with self._lock:
            self._opted_out, self._marker = False, False
            self.dirty = True
        self.save()

    def revoke(self) -> None:
        """Go back to waiting for consent: forget queue, identifier, session and feedback."""
        self._load()
        with self._lock:
            self._clear()
        self.save()

    def reset_identity(self) -> None:
        """Begin a new identifier and session; queued entries keep theirs."""
        if not self.active():
            return
        with self._lock:
            self._identity, self._session = None, None
            self._identify()
        self.save()

    def forget(self, identifier: str) -> None:
        """Drop the queued events of an identifier."""
        self._load()
        with self._lock:
            for entry in [e for e in self._entries if e.distinct_id == identifier]:
                self._entries.remove(entry)
                self._note_gone(entry)
            self.dirty = True
        self.save()

    # Sending.

    def due(self) -> float | None:
        """Return the moment of `time.monotonic` at which a timer should send, if there is one."""
        with self._lock:
            if self._since is None or not self._entries or self._stopped or self._opted_out:
                return None
            return max(self._not_before, self._since + self.options.flush_interval)

    def drain(self, *, full_batches: bool = False, ends: float | None = None) -> Flow[FlushResult]:
        """Send until the queue is empty or a send failed; with `full_batches`, only those.

        The caller has the turn: one send at a time. `ends` is the moment of
        `time.monotonic` at which no attempt goes on.
        """
        counts = [0, 0]
        if not full_batches:
            with self._lock:
                if self._stopped:
                    self._stopped, self._holds = False, 0
        self.woken = False
        if self.active():
            while batch := self._front(full_batches):
                try:
                    went = yield from self._deliver(batch, counts, ends)
                finally:
                    with self._lock:
                        self._in_flight = set()
                if not went:
                    break
            # Delivered events must not be in the file when the process is killed. They would be
            # sent again, even after their erasure.
            if self.dirty and not full_batches:
                yield Run(self.save)
        with self._lock:
            return FlushResult(counts[0], counts[1], len(self._entries))

    def _front(self, full_batches: bool) -> list[Entry]:
        """Return the next batch and mark it as in flight."""
        with self._lock:
            if full_batches and (
                len(self._entries) < self._batch_size
                or self._stopped
                or self._clock.monotonic() < self._until
            ):
                return []
            batch: list[Entry] = []
            size = 0
            for entry in self._entries[: self._batch_size]:
                same = not batch or (entry.distinct_id, entry.session_id) == (
                    batch[0].distinct_id,
                    batch[0].session_id,
                )
                size += len(entry.wire) + 1
                # 512 bytes for what surrounds the events.
                if not same or (batch and size > MAX_BATCH_BYTES - 512):
                    break
                batch.append(entry)
            self._in_flight = {entry.event_id for entry in batch}
            return batch

    def _deliver(
        self, batch: list[Entry], counts: list[int], ends: float | None
    ) -> Generator[Any, Any, bool]:
        """Send a batch and report whether the queue can go on."""
        era = self._era
        request = self._prepare(batch_body(batch))
        if request is None:
            return False
        answer, retry_after, reason = None, None, "HTTP 0"
        status = 0
        try:
            answer = yield from exchange(request, self._clock, ends=ends)
            status = 202
        except SvcApiError as error:
            status, retry_after, reason = (
                error.status,
                error.retry_after,
                f"HTTP {error.status}: {error.message}",
            )
        except SvcConnectionError:
            pass
        if era != self._era:
            return False
        action = outcome(status, len(batch))
        if action == "split":
            half = len(batch) // 2
            went = yield from self._deliver(batch[:half], counts, ends)
            if went:
                went = yield from self._deliver(batch[half:], counts, ends)
            return went
        if action == "drop_batch":
            delivered = 200 <= status < 300
            with self._lock:
                self._remove(batch)
                if delivered:
                    self._failures, self._holds, self._stopped = 0, 0, False
                    self._until = self._not_before = 0.0
            self._save_soon(self)
            counts[0 if delivered else 1] += len(batch)
            if delivered:
                self._report_rejected(batch, answer)
            else:
                self._drop([batch[0].name], reason)
            return True
        with self._lock:
            self.failed_sends += 1
            now = self._clock.monotonic()
            if action == "hold":
                self._holds += 1
                self._stopped = self._holds >= MAX_HOLDS
                wait = HOLD
            else:
                self._failures += 1
                wait = backoff(self.options.flush_interval, self._failures, retry_after)
            self._until, self._not_before = now + wait, time.monotonic() + wait
            self.dirty = True
        yield Run(self.save)
        return False

    def _report_rejected(self, batch: list[Entry], answer: Any) -> None:
        rejected = answer.get("rejected") if is_object(answer) else None
        for item in rejected if is_list(rejected) else []:
            index, message = (item.get("index"), item.get("message")) if is_object(item) else (None, None)
            if isinstance(index, int) and 0 <= index < len(batch):
                self._drop([batch[index].name], str(message))

    # The local state.

    def _load(self) -> None:
        if self._loaded:
            return
        state = self._storage.load() if self._stores else {}
        with self._lock:
            if self._loaded:
                return
            self._loaded = True
            self._opted_out = state.get(self._keys["opt_out"]) == "1"
            if self._persistent and not self._opted_out:
                stored = state.get(self._keys["distinct_id"])
                self._identity = stored if stored is not None and _IDENTIFIER.match(stored) else None
                entries = read_queue(state.get(self._keys["queue"]))
                # Where several projects share a namespace, each sends its own.
                ours = [entry for entry in entries if self._is_ours(entry.project_key)]
                for entry in ours[: -self.options.max_queue_size]:
                    self._note_gone(entry)
                    self.dirty = True
                self._entries = ours[-self.options.max_queue_size :]
                self._since = time.monotonic() if self._entries else None

    def _is_ours(self, theirs: str | None) -> bool:
        return theirs is None or same_project(theirs, self._project_key or "")

    def save(self) -> None:
        """Merge what changed into the local state."""
        with self._save_lock:
            with self._lock:
                entries = list(self._entries)
                gone = set(self._gone)
                identity, marker, cleared = self._identity, self._marker, self._cleared
                self._marker, self._cleared, self.dirty = None, False, False
                nothing_to_merge = self._opted_out and marker is None and not cleared
            if not self._stores or nothing_to_merge:
                return
            foreign_opt_out = False

            def merge(state: State) -> State:
                nonlocal foreign_opt_out
                foreign_opt_out = marker is None and state.get(self._keys["opt_out"]) == "1"
                return self._merged(state, entries, gone, identity, marker, cleared, foreign_opt_out)

            self._storage.update(merge)
            if (marker or cleared or foreign_opt_out) and not self._persistent:
                self._feedback = SafeStorage(None)
            with self._lock:
                self._forget_gone(gone)
                if foreign_opt_out:
                    self._clear()
                    self._opted_out, self._cleared, self.dirty = True, False, False

    def _merged(
        self,
        state: State,
        entries: list[Entry],
        gone: set[str],
        identity: str | None,
        marker: bool | None,
        cleared: bool,
        foreign_opt_out: bool,
    ) -> State:
        key = self._keys
        if marker is False:
            state.pop(key["opt_out"], None)
        if marker or cleared or foreign_opt_out:
            state.pop(key["queue"], None)
            state.pop(key["distinct_id"], None)
            state.pop(key["feedback"], None)
        if marker:
            state[key["opt_out"]] = "1"
        if marker or foreign_opt_out or not self._persistent:
            return state
        queue = merge_queue(state.pop(key["queue"], None), entries, gone, self.options.max_queue_size)
        if queue is not None:
            state[key["queue"]] = queue
        if identity is not None:
            state[key["distinct_id"]] = identity
        return state

    def keep_feedback(self, sent: State) -> None:
        """Keep feedback that was sent, unless nothing is collected."""
        if self._project_key is not None:
            sent = {**sent, "project_key": self._project_key}
        self._change_feedback(lambda state: _feedback.with_feedback(state, self._keys, sent))

    def forget_feedback(self, identity: str) -> None:
        """Forget feedback that was deleted."""
        self._change_feedback(lambda state: _feedback.without_feedback(state, self._keys, identity))

    def _change_feedback(self, change: Callable[[State], State]) -> None:
        # A revocation that comes after the check waits for the lock, and then deletes what is written.
        with self._save_lock:
            if self._stores and self.active():
                self._feedback.update(change)

    def sent_feedback(self) -> list[State]:
        """Return the feedback of the project that was kept, the oldest first."""
        if not self.active():
            return []
        entries = _feedback.stored(self._feedback.load(), self._keys)
        return [entry for entry in entries if self._is_ours(entry.get("project_key"))]

    def forked(self) -> None:
        """Begin anew in a forked child: what is queued is the parent's."""
        self._lock, self._save_lock = threading.Lock(), threading.Lock()
        self._entries, self._in_flight, self._gone, self._since = [], set(), {}, None
        self._session, self.dirty, self.woken = None, False, False

    # With the lock held.

    def _identify(self) -> str:
        if self._identity is None:
            self._identity = random_id()
            self.dirty = True
        return self._identity

    def _clear(self) -> None:
        self._entries, self._in_flight, self._since = [], set(), None
        self._identity, self._session = None, None
        self._era += 1
        self._cleared, self.dirty = True, True

    def _remove(self, batch: Sequence[Entry]) -> None:
        ids = {entry.event_id for entry in batch}
        self._entries = [entry for entry in self._entries if entry.event_id not in ids]
        self._since = time.monotonic() if self._entries else None
        for entry in batch:
            self._note_gone(entry)
        self.dirty = True

    def _note_gone(self, entry: Entry) -> None:
        # Kept for a while, not only until the next save: another process may
        # have read the file before it and write it back afterwards.
        if self._stores and self._persistent:
            self._gone[entry.event_id] = None

    def _forget_gone(self, saved: set[str]) -> None:
        # Only what a save has taken out, however many there are between two saves.
        while len(self._gone) > 4 * self.options.max_queue_size:
            oldest = next(iter(self._gone))
            if oldest not in saved:
                return
            del self._gone[oldest]

    # Without it.

    def _report_name(self, name: str) -> None:
        if name in self._bad_names:
            reported = True
        else:
            reported = False
            if len(self._bad_names) < 100:
                self._bad_names.add(name)
        if not reported:
            logger.debug("an event is dropped: its name is not one")
        self._drop([name[:64]], "not an event name")

    def _drop(self, names: Sequence[str], reason: str) -> None:
        if self.options.on_drop is None:
            return
        for name in names:
            try:
                self.options.on_drop(name, reason)
            except Exception:
                logger.exception("on_drop failed")
