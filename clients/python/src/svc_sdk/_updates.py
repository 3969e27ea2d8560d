"""The updates helper: is there something newer, which file is it, and the file itself."""

from __future__ import annotations

import json
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from ._calls import CHANNEL, LOCALE, Call, not_null, prepare, some_version, unless
from ._device import detect_architecture
from ._download import Download, Progress, download
from ._exchange import exchange
from ._flow import Flow, Run
from ._json import is_object
from ._links import choose_link
from ._state import SafeStorage, State
from ._unset import UNSET, Unset
from ._versions import derive_comparable
from .errors import SvcApiError, SvcError

if TYPE_CHECKING:
    import asyncio

    from ._core import Core, SyncCore
    from ._core_async import AsyncCore
    from .types import DownloadLink, PublicVersion, UpdateCheck

INTERVAL = 6 * 3600.0
SPREAD = 0.2
MAX_MEMORY = 256 << 10


@dataclass(frozen=True)
class Found:
    """What a check found."""

    decision: str
    """`none`, `optional`, `required` or `milestone`: what the application should do."""
    target: PublicVersion | None
    """The version to install."""
    link: DownloadLink | None
    """The target's link that fits this platform and processor best."""
    reason_codes: list[str]
    """Why, in the words of the server."""
    answer: UpdateCheck
    """The whole answer."""
    checked_at: int
    """When the server was asked, in Unix seconds."""
    remembered: bool
    """Whether the answer is that of an earlier check."""


@dataclass(frozen=True)
class Update(Found):
    """What a check of the blocking client found."""

    _core: SyncCore = field(repr=False, compare=False)

    def download(
        self, to: str, *, link: DownloadLink | None = None, on_progress: Progress | None = None
    ) -> Download:
        """Download the link to a file and check it. It installs nothing.

        A file of the service is compared with its size and SHA-256; what does
        not match is refused. A download that breaks off is resumed. `to` is
        replaced when everything is right, and stays as it is otherwise.
        `on_progress` gets the bytes received and all of them, `None` if unknown.

        Raises `SvcError` when there is no link, `SvcConnectionError` afterwards.
        """
        url = _url(link or self.link)
        return self._core.run(download(url, to, self._core.settings, self._core.clock, on_progress))


@dataclass(frozen=True)
class AsyncUpdate(Found):
    """What a check of the asynchronous client found."""

    _core: AsyncCore = field(repr=False, compare=False)

    def download(
        self, to: str, *, link: DownloadLink | None = None, on_progress: Progress | None = None
    ) -> Coroutine[Any, Any, Download]:
        """Download the link to a file and check it, as `Update.download` does."""
        url = _url(link or self.link)
        return self._core.run(download(url, to, self._core.settings, self._core.clock, on_progress))


def _url(link: DownloadLink | None) -> str:
    if link is None:
        raise SvcError("there is no link for this platform")
    return link["url"]


def decision(answer: Mapping[str, Any]) -> str:
    """Return what an answer means for the application."""
    if answer.get("required"):
        return "required"
    if not answer.get("should_update"):
        return "none"
    milestone: Mapping[str, Any] = answer.get("milestone") or {}
    return "milestone" if milestone.get("target_is_milestone") else "optional"


def memory_key(
    current_version: str | None,
    current_comparable_version: str | None,
    include_preview: bool | None,
    locale: str | None,
) -> str:
    """Return what has to be the same for an answer to be used again."""
    parts = (current_version or "", current_comparable_version or "")
    return "|".join((*parts, "true" if include_preview else "false", locale or ""))


def read_memory(text: str | None, key: str) -> dict[str, Any] | None:
    """Return a remembered answer; garbage and those under another key are none."""
    try:
        memory = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    if not is_object(memory) or memory.get("key") != key or not is_object(memory.get("answer")):
        return None
    for name in ("checked_at", "next_at"):
        if not isinstance(memory.get(name), int | float) or isinstance(memory[name], bool):
            return None
    return memory


def due(memory: Mapping[str, Any] | None, interval: float, now: float) -> bool:
    """Report whether the server has to be asked."""
    if memory is None or not memory["checked_at"] <= now < memory["next_at"]:
        return True
    return bool(now >= memory["checked_at"] + interval * (1 + SPREAD))


@dataclass(frozen=True)
class _Question:
    """A check with its defaults filled in."""

    call: Call[Any]
    derived: Call[Any] | None
    """The call that is left when the server does not know the version that runs."""
    key: str
    interval: float
    force: bool


class _Checks:
    """The rules that both clients share."""

    def __init__(self, core: Core) -> None:
        self._base = core
        self._stores: dict[str, SafeStorage] = {}

    def _question(
        self,
        interval: float,
        force: bool,
        include_preview: bool | Unset,
        locale: str | None | Unset,
        current_version: str | None | Unset,
        current_comparable_version: str | None | Unset,
    ) -> _Question:
        settings = self._base.settings
        version = None if isinstance(current_version, Unset) else current_version
        if isinstance(current_version, Unset) and not current_comparable_version:
            version = settings.app_version
        comparable = None if isinstance(current_comparable_version, Unset) else current_comparable_version
        body = {
            "current_version": not_null(version),
            "current_comparable_version": not_null(comparable),
            "include_preview": include_preview,
            "channel": CHANNEL,
            "rollout_key": not_null(self._base.rollout_key(UNSET)),
            "locale": not_null(unless(locale, LOCALE)),
        }
        call: Call[Any] = Call("POST", "/public/{k}/versions/check-update", body=body, check=some_version)
        prepare(call, settings)
        key = memory_key(
            version,
            comparable,
            bool(include_preview),
            settings.locale if isinstance(locale, Unset) else locale,
        )
        if settings.channel:
            key += f"|{settings.channel}"
        derived = derive_comparable(version) if version is not None and comparable is None else None
        more = {**body, "current_comparable_version": derived}
        return _Question(call, replace(call, body=more) if derived else None, key, interval, force)

    def _check(self, question: _Question) -> Flow[tuple[UpdateCheck, int, bool]]:
        """Return the answer, when it was given, and whether it was remembered."""
        name = self._base.namespace()
        at = f"svc.updates.{name}.last"
        store = self._stores.get(name)
        if store is None:
            store = self._stores[name] = self._base.storage(name, (at,), ".updates")
        now = self._base.clock.wall_ms() // 1000
        if not question.force:
            state: State = yield Run(store.load)
            memory = read_memory(state.get(at), question.key)
            if memory is not None and not due(memory, question.interval, now):
                return memory["answer"], int(memory["checked_at"]), True
        body: object = yield from self._ask(question)
        if not is_object(body):
            raise SvcError("the server gave no answer to the update check")
        answer = cast("UpdateCheck", body)
        text = self._memory(question, answer, now)
        yield Run(lambda: store.update(lambda state: {**state, at: text}))
        return answer, now, False

    def _ask(self, question: _Question) -> Flow[object]:
        """Ask, and once more for what a version that was never published stands for."""
        try:
            answer: object = yield from exchange(
                prepare(question.call, self._base.settings), self._base.clock
            )
        except SvcApiError as refused:
            if refused.status != 400 or question.derived is None:
                raise
        else:
            return answer
        answer = yield from exchange(prepare(question.derived, self._base.settings), self._base.clock)
        return answer

    def _memory(self, question: _Question, answer: UpdateCheck, now: int) -> str:
        next_at = now + int(question.interval * (1 + SPREAD * self._base.clock.random()))
        memory: dict[str, Any] = {
            "checked_at": now,
            "next_at": next_at,
            "key": question.key,
            "answer": answer,
        }
        text = json.dumps(memory, ensure_ascii=False, separators=(",", ":"))
        if len(text.encode("utf-8", "replace")) > MAX_MEMORY:
            memory["answer"] = {
                name: {**value, "content": None} if isinstance(value, dict) and "content" in value else value
                for name, value in answer.items()
            }
            text = json.dumps(memory, ensure_ascii=False, separators=(",", ":"))
        return text

    def _found(self, result: tuple[UpdateCheck, int, bool]) -> dict[str, Any]:
        answer, checked_at, remembered = result
        target = answer.get("target_version")
        links = target["download_links"] if target is not None else []
        place = choose_link(links, self._base.settings.platform, detect_architecture())
        return {
            "decision": decision(answer),
            "target": target,
            "link": None if place is None else links[place],
            "reason_codes": answer["reason_codes"],
            "answer": answer,
            "checked_at": checked_at,
            "remembered": remembered,
        }


class Updates(_Checks):
    """Checks for updates of the blocking client."""

    def __init__(self, core: SyncCore) -> None:
        super().__init__(core)
        self._core = core
        self._lock = threading.Lock()
        self._running: dict[str, _Shared] = {}

    def check(
        self,
        *,
        interval: float = INTERVAL,
        force: bool = False,
        include_preview: bool | Unset = UNSET,
        locale: str | None | Unset = UNSET,
        current_version: str | None | Unset = UNSET,
        current_comparable_version: str | None | Unset = UNSET,
    ) -> Update:
        """Ask whether there is a newer version, at most once an interval.

        Between two questions the last answer is given again; it is remembered
        beside the local state. `interval` is in seconds, and up to a fifth
        longer by chance; `force` asks in any case. The version is the client's
        `app_version` unless it is given. One that was never published is
        compared by its numbers, as `1.4.0` or `v1.4.0`.

        Raises `SvcError` without any version, and what `check_update` raises:
        `SvcApiError` with status 400 for a version that was never published and
        has no such numbers, unless `current_comparable_version` is given.
        """
        question = self._question(
            interval, force, include_preview, locale, current_version, current_comparable_version
        )
        with self._lock:
            shared = self._running.get(question.key)
            mine = shared is None
            if shared is None:
                shared = self._running[question.key] = _Shared()
        if mine:
            try:
                shared.result = self._core.run(self._check(question))
            except BaseException as error:
                shared.error = error
            finally:
                with self._lock:
                    del self._running[question.key]
                shared.done.set()
        shared.done.wait()
        if shared.error is not None:
            raise shared.error
        assert shared.result is not None
        return Update(**self._found(shared.result), _core=self._core)


class _Shared:
    """A check that several threads wait for."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.result: tuple[UpdateCheck, int, bool] | None = None
        self.error: BaseException | None = None


class AsyncUpdates(_Checks):
    """Checks for updates of the asynchronous client."""

    def __init__(self, core: AsyncCore) -> None:
        super().__init__(core)
        self._core = core
        self._running: dict[str, asyncio.Task[tuple[UpdateCheck, int, bool]]] = {}

    def check(
        self,
        *,
        interval: float = INTERVAL,
        force: bool = False,
        include_preview: bool | Unset = UNSET,
        locale: str | None | Unset = UNSET,
        current_version: str | None | Unset = UNSET,
        current_comparable_version: str | None | Unset = UNSET,
    ) -> Coroutine[Any, Any, AsyncUpdate]:
        """Ask whether there is a newer version, at most once an interval, as `Updates.check` does."""
        question = self._question(
            interval, force, include_preview, locale, current_version, current_comparable_version
        )
        return self._share(question)

    async def _share(self, question: _Question) -> AsyncUpdate:
        import asyncio

        task = self._running.get(question.key)
        if task is None:
            task = asyncio.ensure_future(self._core.run(self._check(question)))
            self._running[question.key] = task
            task.add_done_callback(lambda _done: self._running.pop(question.key, None))
        return AsyncUpdate(**self._found(await asyncio.shield(task)), _core=self._core)
