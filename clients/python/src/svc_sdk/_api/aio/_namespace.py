"""What the classes of asynchronous methods stand on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from ..._calls import Call
from ..._flow import Flow
from .._namespace import PAGE

if TYPE_CHECKING:
    from ..._core_async import AsyncCore

T = TypeVar("T")


class AsyncNamespace:
    """Methods of one kind; all of them end here."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    def _send(self, call: Call[T]) -> Coroutine[Any, Any, T]:
        return self._core.send(call)

    def _run(self, flow: Flow[T]) -> Coroutine[Any, Any, T]:
        return self._core.run(flow)

    async def _each(self, call: Call[T]) -> AsyncIterator[T]:
        """Walk the pages of a list; T is one of its entries."""
        query, offset = dict(call.query), 0
        while True:
            call.query = {**query, "limit": PAGE, "offset": offset}
            page: Any = await self._core.send(call)
            for entry in page["data"]:
                yield entry
            offset += len(page["data"])
            if not page["data"] or offset >= page["total"]:
                return
