"""Local state: where it is, what it is called, and how it is read and replaced.

One JSON object of texts for each namespace. Every library on a machine shares
it, so names and content are the contract's.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import threading
from collections.abc import Callable
from typing import Protocol

from ._json import is_object

logger = logging.getLogger("svc_sdk")

State = dict[str, str]
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_LARGEST = 32 << 20


class Storage(Protocol):
    """Where an application may keep local state instead of our files."""

    def read(self, key: str) -> str | None:
        """Return the text under a key, `None` when there is none."""

    def write(self, key: str, value: str) -> None:
        """Keep a text."""

    def remove(self, key: str) -> None:
        """Forget it; unknown keys are no error."""


def fnv1a32(text: str) -> str:
    """Return the 32-bit FNV-1a hash of the UTF-8 bytes as 8 hex digits."""
    value = 2166136261
    for byte in text.encode("utf-8", "surrogatepass"):
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return f"{value:08x}"


def _lower(text: str) -> str:
    """Lower-case A to Z alone."""
    return text.translate({upper: upper + 32 for upper in range(65, 91)})


def origin(base_url: str) -> str:
    """Return scheme and authority of a base address in one form."""
    text = base_url.strip()
    scheme, found, rest = text.partition("://")
    if not found:
        return _lower(text)
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    scheme, authority = _lower(scheme), _lower(authority)
    host, colon, port = authority.rpartition(":")
    if colon and not port.endswith("]") and port in ("", {"http": "80", "https": "443"}.get(scheme)):
        authority = host
    return f"{scheme}://{authority}"


def namespace(base_url: str, project_key: str | None) -> str:
    """Return what the state of an instance and a project is called."""
    key = _lower((project_key or "").strip()) or "default"
    return f"{fnv1a32(origin(base_url))}-{key}"


def same_project(one: str, other: str) -> bool:
    """Return whether two keys are of one project, as namespaces compare them."""
    return _lower(one.strip()) == _lower(other.strip())


def file_stem(name: str) -> str:
    """Return the name of the file of a namespace, without `.json`."""
    return _UNSAFE.sub("_", name)[:96]


def directory() -> str:
    """Return the directory of the files."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(local, "svc-sdk")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "svc-sdk")
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(home, ".local", "state")
    return os.path.join(base, "svc-sdk")


class FileStorage:
    """A JSON object of texts in a file, replaced as a whole."""

    def __init__(self, path: str) -> None:
        self.path = path

    def load(self) -> State:
        """Return what the file has; what is not an object of texts is ignored."""
        try:
            with open(self.path, "rb") as file:
                content = json.loads(file.read(_LARGEST))
        except (OSError, ValueError, RecursionError):
            return {}
        if not is_object(content):
            return {}
        return {key: value for key, value in content.items() if isinstance(value, str)}

    def update(self, change: Callable[[State], State]) -> None:
        """Replace the content by what `change` makes of it. Raises `OSError`."""
        with _lock_of(self.path):
            before = self.load()
            after = change(dict(before))
            if after != before:
                self._replace(json.dumps(after, ensure_ascii=True).encode())

    def _replace(self, content: bytes) -> None:
        folder = os.path.dirname(self.path)
        if not os.path.isdir(folder):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
        temporary = f"{self.path}.{os.getpid()}-{threading.get_ident()}.tmp"
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "wb") as file:
                file.write(content)
            os.replace(temporary, self.path)
        except BaseException:
            try:
                os.unlink(temporary)
            except OSError:
                pass  # It was not made, or has been renamed.
            raise


_locks: dict[str, threading.Lock] = {}


def _lock_of(path: str) -> threading.Lock:
    """Return the lock that clients of this process share for a file."""
    return _locks.setdefault(path, threading.Lock())


def forget_locks() -> None:
    """Drop the locks in a forked child; another thread of the parent may hold them."""
    _locks.clear()


class KeyStorage:
    """The storage that an application gave, with the keys of one namespace."""

    def __init__(self, storage: Storage, keys: tuple[str, ...]) -> None:
        self._storage = storage
        self._keys = keys

    def load(self) -> State:
        """Return the texts under our keys."""
        values = {key: self._storage.read(key) for key in self._keys}
        return {key: value for key, value in values.items() if isinstance(value, str)}

    def update(self, change: Callable[[State], State]) -> None:
        """Write and remove what `change` makes different."""
        before = self.load()
        after = change(dict(before))
        for key in self._keys:
            value = after.get(key)
            if value is None and key in before:
                self._storage.remove(key)
            elif value is not None and value != before.get(key):
                self._storage.write(key, value)


class SafeStorage:
    """A storage that never fails: what cannot be written stays in memory for this run."""

    def __init__(self, storage: FileStorage | KeyStorage | None) -> None:
        self._storage = storage
        self._memory: State = {}

    def load(self) -> State:
        """Return the content."""
        if self._storage is None:
            return dict(self._memory)
        try:
            return self._storage.load()
        except Exception as error:
            self._give_up(error)
            return dict(self._memory)

    def update(self, change: Callable[[State], State]) -> None:
        """Replace the content by what `change` makes of it."""
        if self._storage is not None:
            try:
                self._storage.update(change)
                return
            except Exception as error:
                self._memory = self._kept()
                self._give_up(error)
        self._memory = change(dict(self._memory))

    def _kept(self) -> State:
        try:
            return self._storage.load() if self._storage is not None else {}
        except Exception:
            return {}

    def _give_up(self, error: Exception) -> None:
        self._storage = None
        logger.debug("local state stays in memory: %s", type(error).__name__)
