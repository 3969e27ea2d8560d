"""Methods with a credential that do more than a request."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from ..._unset import UNSET, Unset
from ..._upload import Source, upload
from .requests import AsyncAdminRequests

if TYPE_CHECKING:
    from ...types import File


class AsyncAdmin(AsyncAdminRequests):
    """What administrators and programs with an API key call."""

    def upload_file(
        self,
        source: Source,
        name: str | None = None,
        *,
        upload_id: str | None = None,
        storage_backend_id: str | None | Unset = UNSET,
    ) -> Coroutine[Any, Any, File]:
        """Upload a file, given by its path or as a binary stream.

        It is sent in chunks. After a failure the server is asked which have
        arrived, and the rest is sent, in at most three rounds; `upload_id`
        goes on with an upload that an earlier process began.
        """
        return self._run(upload(self._core, source, name, upload_id, storage_backend_id))
