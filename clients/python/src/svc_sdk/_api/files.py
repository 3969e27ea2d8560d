"""Files and uploads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .._calls import Call
from .._unset import UNSET, Unset
from .._upload import Source, upload
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import (
        CdnRefresh,
        ChunkReceipt,
        Done,
        File,
        FileDeleted,
        FilePage,
        MirrorResult,
        OpenUploadList,
        UploadSession,
    )


class FileMethods(Namespace):
    """Files and uploads."""

    def list_files(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        search: str | None = None,
        status: str | None = None,
    ) -> FilePage:
        """List the files of a project, newest first.

        `GET /admin/projects/{k}/files`
        """
        return self._send(
            Call["FilePage"](
                "GET",
                "/admin/projects/{k}/files",
                query={"limit": limit, "offset": offset, "search": search, "status": status},
                admin=True,
            )
        )

    def iter_files(self, *, search: str | None = None, status: str | None = None) -> Iterator[File]:
        """Walk all pages of `list_files`."""
        return self._each(
            Call["File"](
                "GET", "/admin/projects/{k}/files", query={"search": search, "status": status}, admin=True
            )
        )

    def get_file(self, id: str) -> File:
        """Read a file's record.

        `GET /admin/projects/{k}/files/{id}`
        """
        return self._send(
            Call["File"]("GET", "/admin/projects/{k}/files/{id}", arguments={"id": id}, admin=True)
        )

    def delete_file(self, id: str) -> FileDeleted:
        """Delete a file.

        `DELETE /admin/projects/{k}/files/{id}`
        """
        return self._send(
            Call["FileDeleted"]("DELETE", "/admin/projects/{k}/files/{id}", arguments={"id": id}, admin=True)
        )

    def retry_file(self, id: str) -> File:
        """Try again what has failed.

        `POST /admin/projects/{k}/files/{id}/retry`
        """
        return self._send(
            Call["File"]("POST", "/admin/projects/{k}/files/{id}/retry", arguments={"id": id}, admin=True)
        )

    def refresh_file_cdn(self, id: str) -> CdnRefresh:
        """Make the CDN forget its copies of a file.

        `POST /admin/projects/{k}/files/{id}/refresh-cdn`
        """
        return self._send(
            Call["CdnRefresh"](
                "POST", "/admin/projects/{k}/files/{id}/refresh-cdn", arguments={"id": id}, admin=True
            )
        )

    def create_upload(
        self,
        *,
        filename: str,
        size: int,
        storage_backend_id: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> UploadSession:
        """Begin an upload in chunks.

        `POST /admin/projects/{k}/files/uploads`
        """
        return self._send(
            Call["UploadSession"](
                "POST",
                "/admin/projects/{k}/files/uploads",
                body={"filename": filename, "size": size, "storage_backend_id": storage_backend_id},
                extra=extra,
                admin=True,
            )
        )

    def list_uploads(self) -> OpenUploadList:
        """List the uploads that are not complete, newest first.

        `GET /admin/projects/{k}/files/uploads`
        """
        return self._send(Call["OpenUploadList"]("GET", "/admin/projects/{k}/files/uploads", admin=True))

    def get_upload(self, upload_id: str) -> UploadSession:
        """Read which chunks of an upload have arrived.

        `GET /admin/projects/{k}/files/uploads/{upload_id}`
        """
        return self._send(
            Call["UploadSession"](
                "GET",
                "/admin/projects/{k}/files/uploads/{upload_id}",
                arguments={"upload_id": upload_id},
                admin=True,
            )
        )

    def put_upload_chunk(self, upload_id: str, index: int, data: bytes) -> ChunkReceipt:
        """Send a chunk of an upload.

        `PUT /admin/projects/{k}/files/uploads/{upload_id}/chunks/{index}`
        """
        return self._send(
            Call["ChunkReceipt"](
                "PUT",
                "/admin/projects/{k}/files/uploads/{upload_id}/chunks/{index}",
                arguments={"upload_id": upload_id, "index": index},
                raw=data,
                admin=True,
            )
        )

    def complete_upload(self, upload_id: str) -> File:
        """Make a file of an upload.

        `POST /admin/projects/{k}/files/uploads/{upload_id}/complete`
        """
        return self._send(
            Call["File"](
                "POST",
                "/admin/projects/{k}/files/uploads/{upload_id}/complete",
                arguments={"upload_id": upload_id},
                admin=True,
            )
        )

    def abort_upload(self, upload_id: str) -> Done:
        """Give up an upload.

        `DELETE /admin/projects/{k}/files/uploads/{upload_id}`
        """
        return self._send(
            Call["Done"](
                "DELETE",
                "/admin/projects/{k}/files/uploads/{upload_id}",
                arguments={"upload_id": upload_id},
                admin=True,
            )
        )

    def mirror_version_assets(self, id: str) -> MirrorResult:
        """Copy the attachments that a version links to.

        `POST /admin/projects/{k}/versions/{id}/mirror-assets`
        """
        return self._send(
            Call["MirrorResult"](
                "POST", "/admin/projects/{k}/versions/{id}/mirror-assets", arguments={"id": id}, admin=True
            )
        )

    def upload_file(
        self,
        source: Source,
        name: str | None = None,
        *,
        upload_id: str | None = None,
        storage_backend_id: str | None | Unset = UNSET,
    ) -> File:
        """Upload a file, given by its path or as a binary stream.

        It is sent in chunks. After a failure the server is asked which have
        arrived, and the rest is sent, in at most three rounds; `upload_id`
        goes on with an upload that an earlier process began.
        """
        return self._run(upload(self._core, source, name, upload_id, storage_backend_id))
