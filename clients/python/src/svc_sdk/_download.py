"""A download that is whole or nothing: resumed when it breaks off, checked, then renamed."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

import httpx

from ._clock import Clock
from ._exchange import FIRST_DELAY_MS, JITTER, LAST_DELAY_MS, MAX_RETRY_AFTER, retry_after
from ._flow import Answer, Attempt, Failure, Flow, Pause, Run
from ._links import own_link
from ._options import Settings
from .errors import SvcConnectionError, SvcError

MAX_REDIRECTS = 5
MAX_ATTEMPTS = 5

Progress = Callable[[int, "int | None"], object]

# Partial files that are being written.
_parts: set[str] = set()
_parts_lock = threading.Lock()

_STRONG = re.compile(r'"[\x21\x23-\x7e]*"\Z')
_SHA256 = re.compile(r'"([0-9a-f]{64})"\Z')
_RANGE = re.compile(r"bytes ([0-9]+)-[0-9]+/([0-9]+)\Z")


@dataclass(frozen=True)
class Download:
    """A file that was downloaded."""

    path: str
    """Where it is."""
    size: int
    """Bytes."""
    sha256: str
    """Its SHA-256 in hex digits."""
    verified: bool
    """Whether size and SHA-256 were compared with what the service says about the file."""


def download(
    url: str, to: str, settings: Settings, clock: Clock, on_progress: Progress | None
) -> Flow[Download]:
    """Download a link. Raises `SvcError` before, `SvcConnectionError` afterwards."""
    if not url.lower().startswith(("http://", "https://")):
        raise SvcError("the link is not http or https")
    if settings.base_url.lower().startswith("https://") and not url.lower().startswith("https://"):
        raise SvcError("the link is http, but the service is https")
    transfer = _Transfer(url, os.path.abspath(to), settings, clock, on_progress)
    try:
        return (yield from transfer.run())
    except OSError as error:
        transfer.discard()
        raise SvcConnectionError(f"the download cannot be written: {error.strerror}", cause=error) from error
    except BaseException:
        # Also when the caller cancels.
        transfer.discard()
        raise
    finally:
        transfer.release()


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))


class _Transfer:
    """The state of one download."""

    def __init__(
        self, url: str, to: str, settings: Settings, clock: Clock, on_progress: Progress | None
    ) -> None:
        self._url = url
        self._to = to
        self._settings = settings
        self._clock = clock
        self._on_progress = on_progress
        self._part = f"{to}.{os.urandom(8).hex()}.part"
        self._etag: str | None = None
        self._sha256: str | None = None
        self._total: int | None = None
        self._file: IO[bytes] | None = None
        self._received = 0
        self._most = 0
        self._claimed = False

    def run(self) -> Flow[Download]:
        if own_link(self._url):
            yield from self._ask()
        fruitless = 0
        while True:
            wait: int | None = None
            try:
                answer = yield from self._get("GET", save=True)
                if self._file is None and answer.status in (200, 206):
                    # It has no body, but must still fit.
                    self._open(answer)
                self._close_file()
                problem = f"the download was answered with status {answer.status}"
                if answer.status in (200, 206):
                    if self._total is None or self._received >= self._total:
                        break
                    problem = "the download broke off"
                elif answer.status == 416 and self._received:
                    self._restart()
                elif answer.status not in (408, 429, 500, 502, 503, 504):
                    raise SvcConnectionError(problem)
                wait = retry_after(answer.headers.get("retry-after"), self._clock.wall_ms() / 1000)
            except Failure as failure:
                self._close_file()
                problem = failure.message
                if failure.kind == "tls_certificate":
                    raise SvcConnectionError(problem, cause=failure.__cause__) from failure
            # Bytes that arrive a second time are no progress.
            fruitless = 0 if self._received > self._most else fruitless + 1
            self._most = max(self._most, self._received)
            if fruitless >= MAX_ATTEMPTS or (wait or 0) > MAX_RETRY_AFTER:
                raise SvcConnectionError(problem)
            yield Pause(self._delay(max(fruitless - 1, 0), wait))
        finished: Download = yield Run(self._finish)
        return finished

    def discard(self) -> None:
        """Leave no half file."""
        self._close_file()
        try:
            self._remove()
        except OSError:
            pass  # Nothing more can be done.

    def _remove(self) -> None:
        try:
            os.unlink(self._part)
        except FileNotFoundError:
            pass

    def _ask(self) -> Flow[None]:
        """Ask for size and SHA-256 of a file of the service, and find what there is of it."""
        done = 0
        while True:
            try:
                answer = yield from self._get("HEAD")
                break
            except Failure as failure:
                done += 1
                if done >= MAX_ATTEMPTS:
                    raise SvcConnectionError(failure.message, cause=failure.__cause__) from failure
                yield Pause(self._delay(done - 1, None))
        if answer.status != 200:
            raise SvcConnectionError(f"the download was answered with status {answer.status}")
        etag, length = answer.headers.get("etag", ""), answer.headers.get("content-length", "")
        match = _SHA256.match(etag)
        if match is None or not length.isdigit():
            raise SvcConnectionError("the server does not tell size and SHA-256 of the file")
        self._etag, self._sha256, self._total = etag, match[1], int(length)
        part = f"{self._to}.{match[1][:16]}.part"
        with _parts_lock:
            if part in _parts:
                return  # Another thread or task downloads the same.
            _parts.add(part)
        self._part, self._claimed = part, True
        self._received = self._most = yield Run(self._found)

    def release(self) -> None:
        """Let others have the partial file."""
        if self._claimed:
            with _parts_lock:
                _parts.discard(self._part)

    def _found(self) -> int:
        """Return the bytes that a killed process left."""
        try:
            found = os.lstat(self._part)
        except OSError:
            return 0
        # In a folder that others can write to, the file may be foreign.
        ours = stat.S_ISREG(found.st_mode) and found.st_nlink == 1
        if not ours or (self._total is not None and found.st_size >= self._total):
            os.unlink(self._part)
            return 0
        return found.st_size

    def _get(self, method: str, save: bool = False) -> Flow[Answer]:
        """One request, with its redirects."""
        headers = [("Accept", "*/*"), ("Accept-Encoding", "identity")]
        headers.append(("User-Agent", self._settings.user_agent))
        if save and self._received and self._etag is not None:
            headers += [("Range", f"bytes={self._received}-"), ("If-Range", self._etag)]
        elif save and self._received:
            self._restart()
        url = self._url
        for _ in range(MAX_REDIRECTS + 1):
            answer: Answer = yield Attempt(
                method=method,
                url=url,
                headers=headers,
                content=None,
                connect_timeout=self._settings.connect_timeout,
                expires=None,
                allowance=None,
                limit=0,
                read_limit=self._settings.timeout,
                save=self._save if save else lambda _answer, _piece: None,
            )
            location = answer.headers.get("location")
            if answer.status not in (301, 302, 303, 307, 308) or not location:
                return answer
            try:
                target = httpx.URL(url).join(location)
            except httpx.InvalidURL:
                raise SvcConnectionError("the download leads to an address that is not valid") from None
            if target.scheme not in ("http", "https"):
                raise SvcConnectionError("the download leads to an address that is not http or https")
            if url.lower().startswith("https://") and target.scheme == "http":
                raise SvcConnectionError("the download leads from https to http")
            url = str(target)
        raise SvcConnectionError(f"the download has more than {MAX_REDIRECTS} redirects")

    def _save(self, answer: Answer, piece: bytes) -> None:
        """Write a piece of the body."""
        if answer.status not in (200, 206):
            return
        if self._file is None:
            self._open(answer)
        assert self._file is not None
        self._file.write(piece)
        self._received += len(piece)
        if self._total is not None and self._received > self._total:
            raise SvcConnectionError("the download is longer than announced: its size does not match")
        if self._on_progress is not None:
            self._on_progress(self._received, self._total)

    def _open(self, answer: Answer) -> None:
        etag = answer.headers.get("etag", "")
        if self._sha256 is not None and etag != self._etag:
            raise SvcConnectionError("the server answers with another SHA-256 than before")
        if answer.status == 206:
            match = _RANGE.match(answer.headers.get("content-range", ""))
            if match is None or not self._received or int(match[1]) != self._received:
                raise SvcConnectionError("the server continues at another place than asked")
            if self._total is not None and int(match[2]) != self._total:
                raise SvcConnectionError("the server continues with another size")
        else:
            self._received = 0
            if self._sha256 is None:
                self._etag = etag if _STRONG.match(etag) else None
                length = answer.headers.get("content-length", "")
                encoded = "content-encoding" in answer.headers
                self._total = int(length) if length.isdigit() and not encoded else None
        if self._received:
            self._file = open(self._part, "r+b", opener=_no_link)  # noqa: SIM115 (closed by run or discard)
            self._file.seek(self._received)
        else:
            # An existing file is never emptied: another process may be renaming it just now.
            self._remove()
            self._file = open(self._part, "xb")  # noqa: SIM115 (closed by run or discard)

    def _restart(self) -> None:
        self.discard()
        self._received = 0

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _delay(self, done: int, wait: int | None) -> float:
        delay: float = min(FIRST_DELAY_MS * 2**done, LAST_DELAY_MS) / 1000
        return max(delay * (1 + JITTER * self._clock.random()), wait or 0)

    def _finish(self) -> Download:
        """Compare, sync, rename."""
        digest = hashlib.sha256()
        with open(self._part, "rb+") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
            size = file.tell()
            os.fsync(file.fileno())
        if self._total is not None and size != self._total:
            raise SvcConnectionError("the download does not match: its size is another one")
        if self._sha256 is not None and digest.hexdigest() != self._sha256:
            raise SvcConnectionError("the download does not match: its SHA-256 is another one")
        os.replace(self._part, self._to)
        return Download(self._to, size, digest.hexdigest(), self._sha256 is not None)
