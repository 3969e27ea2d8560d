"""Client library of svc.

    from svc_sdk import SvcClient

    with SvcClient("https://svc.example.com/api/v1", "acme-desktop", app_version="1.4.0") as client:
        update = client.updates.check()
        if update.decision != "none":
            print("there is a newer version:", update.target["version"])
        client.public.track("app_opened")

`SvcClient` blocks, `AsyncSvcClient` has the same methods for `asyncio`.
Answers are plain dicts; `svc_sdk.types` describes them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._etag import ETag
from ._events import FlushResult
from ._feedback import FeedbackReply
from ._state import Storage
from ._unset import UNSET, Unset
from ._version import SDK_VERSION
from ._versions import compare_versions, is_comparable_version
from .client import SvcClient
from .errors import SvcApiError, SvcAuthError, SvcConnectionError, SvcError

if TYPE_CHECKING:
    from ._download import Download
    from ._updates import AsyncUpdate, Update
    from .async_client import AsyncSvcClient

__version__ = SDK_VERSION
"""Version of this library."""

SvcSDK = SvcClient
"""The same class under its other name."""

LOG_DEBUG = 0
"""Level of a log for developers."""
LOG_INFO = 1
"""Level of a log that says what happened."""
LOG_WARNING = 2
"""Level of a log that somebody should look at."""
LOG_ERROR = 3
"""Level of a log of something that failed."""

__all__ = [
    "LOG_DEBUG",
    "LOG_ERROR",
    "LOG_INFO",
    "LOG_WARNING",
    "SDK_VERSION",
    "UNSET",
    "AsyncSvcClient",
    "AsyncUpdate",
    "Download",
    "ETag",
    "FeedbackReply",
    "FlushResult",
    "Storage",
    "SvcApiError",
    "SvcAuthError",
    "SvcClient",
    "SvcConnectionError",
    "SvcError",
    "SvcSDK",
    "Unset",
    "Update",
    "__version__",
    "compare_versions",
    "is_comparable_version",
]


# Loaded on first use: programs without asyncio do not pay for it.
_LAZY = {
    "AsyncSvcClient": "async_client",
    "AsyncUpdate": "_updates",
    "Download": "_download",
    "Update": "_updates",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = found
    return found
