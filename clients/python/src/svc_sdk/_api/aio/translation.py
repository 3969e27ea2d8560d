"""Machine translation."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..._calls import Call
from ..._unset import UNSET, Unset
from ._namespace import AsyncNamespace

if TYPE_CHECKING:
    from ...types import TranslatedTexts, TranslationConfig, TranslationTest


class AsyncTranslationMethods(AsyncNamespace):
    """Machine translation."""

    def get_translation_config(self) -> Coroutine[Any, Any, TranslationConfig]:
        """Read the settings of the machine translation.

        `GET /admin/translation`
        """
        return self._send(Call["TranslationConfig"]("GET", "/admin/translation", admin=True))

    def update_translation_config(
        self,
        *,
        enabled: bool | Unset = UNSET,
        provider: Literal["openai", "anthropic"] | Unset = UNSET,
        base_url: str | Unset | None = UNSET,
        api_key: str | Unset | None = UNSET,
        model: str | Unset | None = UNSET,
        custom_prompt: bool | Unset = UNSET,
        system_prompt: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, TranslationConfig]:
        """Change the settings of the machine translation.

        `PUT /admin/translation`
        """
        return self._send(
            Call["TranslationConfig"](
                "PUT",
                "/admin/translation",
                body={
                    "enabled": enabled,
                    "provider": provider,
                    "base_url": base_url,
                    "api_key": api_key,
                    "model": model,
                    "custom_prompt": custom_prompt,
                    "system_prompt": system_prompt,
                },
                extra=extra,
                admin=True,
            )
        )

    def clear_translation_config(self) -> Coroutine[Any, Any, TranslationConfig]:
        """Clear the settings of the machine translation and switch it off.

        `DELETE /admin/translation`
        """
        return self._send(Call["TranslationConfig"]("DELETE", "/admin/translation", admin=True))

    def test_translation(self) -> Coroutine[Any, Any, TranslationTest]:
        """Translate a sample with the saved settings.

        `POST /admin/translation/test`
        """
        return self._send(Call["TranslationTest"]("POST", "/admin/translation/test", admin=True))

    def translate(
        self,
        *,
        kind: Literal["announcement", "version", "project"],
        target_locale: str,
        fields: Mapping[str, str],
        source_locale: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, TranslatedTexts]:
        """Translate texts into a language of the project.

        `POST /admin/projects/{k}/translate`
        """
        return self._send(
            Call["TranslatedTexts"](
                "POST",
                "/admin/projects/{k}/translate",
                body={
                    "kind": kind,
                    "target_locale": target_locale,
                    "fields": fields,
                    "source_locale": source_locale,
                },
                extra=extra,
                admin=True,
            )
        )
