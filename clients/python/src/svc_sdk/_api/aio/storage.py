"""Storage and CDN."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..._calls import Call
from ..._unset import UNSET, Unset
from ._namespace import AsyncNamespace

if TYPE_CHECKING:
    from ...types import CdnConfig, CdnTest, Done, StorageBackend, StorageOverview, StorageProbe


class AsyncStorageMethods(AsyncNamespace):
    """Storage and CDN."""

    def get_storage(self) -> Coroutine[Any, Any, StorageOverview]:
        """Read where files are kept.

        `GET /admin/storage`
        """
        return self._send(Call["StorageOverview"]("GET", "/admin/storage", admin=True))

    def create_storage_backend(
        self,
        *,
        name: str,
        base_url: str,
        kind: Literal["webdav", "s3"],
        username: str | Unset | None = UNSET,
        password: str | Unset | None = UNSET,
        part_size_kb: int | Unset | None = UNSET,
        is_default: bool | Unset = UNSET,
        region: str | Unset | None = UNSET,
        bucket: str | Unset | None = UNSET,
        path_prefix: str | Unset | None = UNSET,
        path_style: bool | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, StorageBackend]:
        """Add a storage.

        `POST /admin/storage/backends`
        """
        return self._send(
            Call["StorageBackend"](
                "POST",
                "/admin/storage/backends",
                body={
                    "name": name,
                    "base_url": base_url,
                    "kind": kind,
                    "username": username,
                    "password": password,
                    "part_size_kb": part_size_kb,
                    "is_default": is_default,
                    "region": region,
                    "bucket": bucket,
                    "path_prefix": path_prefix,
                    "path_style": path_style,
                },
                extra=extra,
                admin=True,
            )
        )

    def update_storage_backend(
        self,
        id: str,
        *,
        name: str | Unset = UNSET,
        base_url: str | Unset = UNSET,
        username: str | Unset | None = UNSET,
        password: str | Unset | None = UNSET,
        part_size_kb: int | Unset | None = UNSET,
        is_default: bool | Unset = UNSET,
        region: str | Unset | None = UNSET,
        bucket: str | Unset | None = UNSET,
        path_prefix: str | Unset | None = UNSET,
        path_style: bool | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, StorageBackend]:
        """Change a storage.

        `PATCH /admin/storage/backends/{id}`
        """
        return self._send(
            Call["StorageBackend"](
                "PATCH",
                "/admin/storage/backends/{id}",
                arguments={"id": id},
                body={
                    "name": name,
                    "base_url": base_url,
                    "username": username,
                    "password": password,
                    "part_size_kb": part_size_kb,
                    "is_default": is_default,
                    "region": region,
                    "bucket": bucket,
                    "path_prefix": path_prefix,
                    "path_style": path_style,
                },
                extra=extra,
                admin=True,
            )
        )

    def delete_storage_backend(self, id: str) -> Coroutine[Any, Any, Done]:
        """Delete a storage.

        `DELETE /admin/storage/backends/{id}`
        """
        return self._send(
            Call["Done"]("DELETE", "/admin/storage/backends/{id}", arguments={"id": id}, admin=True)
        )

    def test_storage_backend(self, id: str) -> Coroutine[Any, Any, StorageProbe]:
        """Try the saved settings of a storage.

        `POST /admin/storage/backends/{id}/test`
        """
        return self._send(
            Call["StorageProbe"](
                "POST", "/admin/storage/backends/{id}/test", arguments={"id": id}, admin=True
            )
        )

    def get_cdn_config(self) -> Coroutine[Any, Any, CdnConfig]:
        """Read the settings of the CDN refresh.

        `GET /admin/storage/cdn`
        """
        return self._send(Call["CdnConfig"]("GET", "/admin/storage/cdn", admin=True))

    def update_cdn_config(
        self,
        *,
        provider: Literal["aliyun", "cloudflare"] | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        access_key_id: str | Unset | None = UNSET,
        access_key_secret: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, CdnConfig]:
        """Change the settings of the CDN refresh.

        `PUT /admin/storage/cdn`
        """
        return self._send(
            Call["CdnConfig"](
                "PUT",
                "/admin/storage/cdn",
                body={
                    "provider": provider,
                    "enabled": enabled,
                    "access_key_id": access_key_id,
                    "access_key_secret": access_key_secret,
                },
                extra=extra,
                admin=True,
            )
        )

    def clear_cdn_config(self) -> Coroutine[Any, Any, CdnConfig]:
        """Clear the settings of the CDN refresh and switch it off.

        `DELETE /admin/storage/cdn`
        """
        return self._send(Call["CdnConfig"]("DELETE", "/admin/storage/cdn", admin=True))

    def test_cdn_config(self) -> Coroutine[Any, Any, CdnTest]:
        """Try the saved credentials of the CDN refresh.

        `POST /admin/storage/cdn/test`
        """
        return self._send(Call["CdnTest"]("POST", "/admin/storage/cdn/test", admin=True))
