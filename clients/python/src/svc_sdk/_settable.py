"""What both clients have besides their namespaces: settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _kinds
from ._options import Token, bound_key, check_token, declared
from ._version import SDK_VERSION

if TYPE_CHECKING:
    from ._core import Core


class Settable:
    """Settings of a client. Every setter can be called from any thread at any time."""

    version = SDK_VERSION
    """Version of this library."""

    _base: Core

    @property
    def project_key(self) -> str | None:
        """The project that the client is bound to."""
        return self._base.settings.project_key

    def set_token(self, token: Token) -> None:
        """Set the credential: a text, or a function that returns it."""
        self._base.change(token=check_token(token))

    def clear_token(self) -> None:
        """Forget the credential."""
        self._base.change(token=None)

    def set_project_key(self, project_key: str | None) -> None:
        """Bind the client to another project; events have a queue for each."""
        self._base.bind(bound_key(project_key))

    def set_platform(self, platform: str | None) -> None:
        """Declare the platform; `None` turns it and the detection of its version off."""
        self._base.change(declared_platform=declared("platform", platform))

    def set_platform_version(self, platform_version: str | None) -> None:
        """Declare the version of the system; `None` turns it off."""
        self._base.change(declared_version=declared("platform_version", platform_version))

    def set_locale(self, locale: str | None) -> None:
        """Set the language preference of public reads."""
        self._base.change(locale=_kinds.optional_text("locale", locale))
