"""The instance, and Markdown as it shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._calls import Call
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import About, InstanceStatus, MarkdownPreview


class InstanceMethods(Namespace):
    """The instance, and Markdown as it shows it."""

    def get_status(self) -> InstanceStatus:
        """See how the instance stands, and what to do.

        `GET /admin/status`
        """
        return self._send(Call["InstanceStatus"]("GET", "/admin/status", admin=True))

    def get_about(self, *, refresh: bool = False) -> About:
        """Say which version runs, and whether there is a newer one.

        `refresh` asks for updates again instead of answering what was found in the last hour. A check that
        fails is no error of the request: `error` of the update says why.

        `GET /admin/about`
        """
        return self._send(
            Call["About"]("GET", "/admin/about", query={"refresh": True if refresh else None}, admin=True)
        )

    def preview_markdown(self, text: str, *, extra: Mapping[str, Any] | None = None) -> MarkdownPreview:
        """Render Markdown as public pages show it.

        `POST /admin/markdown-preview`
        """
        return self._send(
            Call["MarkdownPreview"](
                "POST", "/admin/markdown-preview", body={"text": text}, extra=extra, admin=True
            )
        )
