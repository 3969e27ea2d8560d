"""What the classes of asynchronous methods stand on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from ..._calls import Call
from ..._etag import ETag
from ..._flow import Flow
from .._namespace import PAGE

if TYPE_CHECKING:
    from ..._core_async import AsyncCore

T = TypeVar("T")
N = TypeVar("N", bound="AsyncNamespace")


class AsyncNamespace:
    """Methods of one kind; all of them end here."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core
        self._if_match: str | None = None
        self._note: ETag | None = None

    def noting(self: N, etag: ETag) -> N:
        """Return the same methods; `etag` gets the state of the record that they answer."""
        noting = copy(self)
        noting._note = etag
        return noting

    def if_match(self: N, etag: ETag | str) -> N:
        """Return the same methods, which change a record only while it has this state.

        Otherwise they raise `SvcApiError` with status 412. `"*"` is any state of a record that exists.
        """
        matching = copy(self)
        matching._if_match = etag.value if isinstance(etag, ETag) else etag
        return matching

    def _conditional(self, call: Call[T]) -> Call[T]:
        call.note = self._note
        if call.method != "GET":
            call.if_match = self._if_match
        return call

    def _send(self, call: Call[T]) -> Coroutine[Any, Any, T]:
        return self._core.send(self._conditional(call))

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
