"""What the classes of methods stand on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from .._calls import Call
from .._flow import Flow

if TYPE_CHECKING:
    from .._core import SyncCore

T = TypeVar("T")
PAGE = 100


class Namespace:
    """Methods of one kind; all of them end here."""

    def __init__(self, core: SyncCore) -> None:
        self._core = core

    def _send(self, call: Call[T]) -> T:
        answer: T = self._core.send(call)
        return answer

    def _run(self, flow: Flow[T]) -> T:
        return self._core.run(flow)

    def _each(self, call: Call[T]) -> Iterator[T]:
        """Walk the pages of a list; T is one of its entries."""
        query, offset = dict(call.query), 0
        while True:
            call.query = {**query, "limit": PAGE, "offset": offset}
            page: dict[str, Any] = self._core.send(call)
            yield from page["data"]
            offset += len(page["data"])
            if not page["data"] or offset >= page["total"]:
                return
