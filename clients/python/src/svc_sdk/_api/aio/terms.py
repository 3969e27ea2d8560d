"""Documents of terms."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from ..._calls import Call
from ..._unset import UNSET, Unset
from ._namespace import AsyncNamespace

if TYPE_CHECKING:
    from ...types import TermsDocument, TermsDocumentList


class AsyncTermsMethods(AsyncNamespace):
    """Documents of terms."""

    def list_terms_documents(self, *, locale: str | None = None) -> Coroutine[Any, Any, TermsDocumentList]:
        """List the terms documents with their built-in texts and drafts.

        `GET /admin/terms/documents`
        """
        return self._send(
            Call["TermsDocumentList"]("GET", "/admin/terms/documents", query={"locale": locale}, admin=True)
        )

    def get_terms_document(
        self, slug: str, *, locale: str | None = None
    ) -> Coroutine[Any, Any, TermsDocument]:
        """Read a terms document with its built-in text and draft.

        `GET /admin/terms/documents/{slug}`
        """
        return self._send(
            Call["TermsDocument"](
                "GET",
                "/admin/terms/documents/{slug}",
                arguments={"slug": slug},
                query={"locale": locale},
                admin=True,
            )
        )

    def update_terms_document(
        self,
        slug: str,
        *,
        locale: str | None = None,
        custom: bool | Unset = UNSET,
        content: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, TermsDocument]:
        """Save a draft, or switch between draft and built-in text.

        `PUT /admin/terms/documents/{slug}`
        """
        return self._send(
            Call["TermsDocument"](
                "PUT",
                "/admin/terms/documents/{slug}",
                arguments={"slug": slug},
                query={"locale": locale},
                body={"custom": custom, "content": content},
                extra=extra,
                admin=True,
            )
        )

    def reset_terms_document(
        self, slug: str, *, locale: str | None = None
    ) -> Coroutine[Any, Any, TermsDocument]:
        """Drop the draft and show the built-in text.

        `DELETE /admin/terms/documents/{slug}`
        """
        return self._send(
            Call["TermsDocument"](
                "DELETE",
                "/admin/terms/documents/{slug}",
                arguments={"slug": slug},
                query={"locale": locale},
                admin=True,
            )
        )
