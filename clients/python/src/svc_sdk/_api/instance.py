"""The instance, and Markdown as it shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._calls import Call
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import InstanceStatus, MarkdownPreview


class InstanceMethods(Namespace):
    """The instance, and Markdown as it shows it."""

    def get_status(self) -> InstanceStatus:
        """See how the instance stands, and what to do.

        `GET /admin/status`
        """
        return self._send(Call["InstanceStatus"]("GET", "/admin/status", admin=True))

    def preview_markdown(self, text: str, *, extra: Mapping[str, Any] | None = None) -> MarkdownPreview:
        """Render Markdown as public pages show it.

        `POST /admin/markdown-preview`
        """
        return self._send(
            Call["MarkdownPreview"](
                "POST", "/admin/markdown-preview", body={"text": text}, extra=extra, admin=True
            )
        )
