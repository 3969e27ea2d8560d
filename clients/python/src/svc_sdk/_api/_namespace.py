"""What the classes of methods stand on."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from .._calls import Call
from .._etag import ETag
from .._flow import Flow

if TYPE_CHECKING:
    from .._core import SyncCore

T = TypeVar("T")
N = TypeVar("N", bound="Namespace")
PAGE = 100


class Namespace:
    """Methods of one kind; all of them end here."""

    def __init__(self, core: SyncCore) -> None:
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

    def _send(self, call: Call[T]) -> T:
        answer: T = self._core.send(self._conditional(call))
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
