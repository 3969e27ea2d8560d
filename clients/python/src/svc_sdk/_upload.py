"""An upload in chunks that goes on after a failure with what has not arrived."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any

from ._calls import Call, Prepared, prepare
from ._exchange import exchange
from ._flow import Flow, Run
from ._unset import Unset
from .errors import SvcApiError, SvcConnectionError, SvcError

if TYPE_CHECKING:
    from ._core import Core
    from .types import File, UploadSession

ROUNDS = 3
_UPLOADS = "/admin/projects/{k}/files/uploads"

Source = str | os.PathLike[str] | IO[bytes]


def upload(
    core: Core,
    source: Source,
    name: str | None,
    upload_id: str | None,
    storage_backend_id: str | None | Unset,
) -> Flow[File]:
    """Make the local checks now and return the flow that uploads."""
    if name is None:
        if not isinstance(source, str | os.PathLike):
            raise SvcError("a stream needs a name")
        name = os.path.basename(os.fspath(source))
    # A client without project or credential is refused before anything is read.
    prepare(Call[Any]("GET", "/admin/projects/{k}/files", admin=True), core.settings)
    return _upload(core, source, name, upload_id, storage_backend_id)


def _upload(
    core: Core,
    source: Source,
    name: str,
    upload_id: str | None,
    storage_backend_id: str | None | Unset,
) -> Flow[File]:
    file: IO[bytes] = yield Run(lambda: _open(source))
    try:
        if upload_id is None:
            size: int = yield Run(lambda: file.seek(0, os.SEEK_END))
            body = {"filename": name, "size": size, "storage_backend_id": storage_backend_id}
            session = yield from exchange(_request(core, "POST", "", body=body), core.clock)
        else:
            session = yield from _session(core, upload_id)
        for left in reversed(range(ROUNDS)):
            try:
                yield from _send_missing(core, file, session)
                break
            except SvcApiError as error:
                if not left or (error.status < 500 and error.status not in (408, 409, 429)):
                    raise
                session = yield from _session(core, session["upload_id"])
            except SvcConnectionError:
                if not left:
                    raise
                session = yield from _session(core, session["upload_id"])
        finished: File = yield from exchange(
            _request(core, "POST", "/{upload_id}/complete", {"upload_id": session["upload_id"]}), core.clock
        )
        return finished
    finally:
        if file is not source:
            file.close()


def _send_missing(core: Core, file: IO[bytes], session: UploadSession) -> Flow[None]:
    arrived, size = set(session["received_chunks"]), session["chunk_size"]
    for index in range(session["total_chunks"]):
        if index in arrived:
            continue
        at = index * size

        def read(at: int = at) -> bytes:
            file.seek(at)
            return file.read(size)

        chunk: bytes = yield Run(read)
        where = {"upload_id": session["upload_id"], "index": index}
        path = "/{upload_id}/chunks/{index}"
        yield from exchange(_request(core, "PUT", path, where, raw=chunk), core.clock)


def _session(core: Core, upload_id: str) -> Flow[UploadSession]:
    session: UploadSession = yield from exchange(
        _request(core, "GET", "/{upload_id}", {"upload_id": upload_id}), core.clock
    )
    return session


def _request(
    core: Core, method: str, path: str, arguments: Mapping[str, object] | None = None, **content: Any
) -> Prepared:
    call: Call[Any] = Call(method, _UPLOADS + path, arguments or {}, admin=True, **content)
    return prepare(call, core.settings)


def _open(source: Source) -> IO[bytes]:
    if isinstance(source, str | os.PathLike):
        return open(source, "rb")
    if source.seekable():
        return source
    copy = tempfile.TemporaryFile()  # noqa: SIM115 (closed by _upload)
    while piece := source.read(1 << 20):
        copy.write(piece)
    return copy
