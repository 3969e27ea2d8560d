"""The event methods that do no network I/O, the same in both clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._core import Core


class EventMethods:
    """Collecting events, and the say that people have in it."""

    _base: Core

    def track(self, name: str, properties: Mapping[str, Any] | None = None) -> None:
        """Collect an event. Returns at once and never raises.

        A name has 1 to 64 characters of `a-z 0-9 _ . : -`; upper case becomes
        lower case. Properties are at most 16 KiB of JSON, with the `app_version`
        of the client, which they get unless they have one; later changes of
        the mapping have no effect.
        """
        self._base.track(name, properties)

    def grant_consent(self) -> None:
        """Allow collection in consent mode. Call it at each start; it is not remembered."""
        self._base.granted = True

    def revoke_consent(self) -> None:
        """Take consent back: delete queue, identifier and what `feedback_replies` takes.

        Without consent mode this is `opt_out`.
        """
        if not self._base.analytics.require_consent:
            self.opt_out()
            return
        self._base.granted = False
        self._base.queue().revoke()
        self._base.abort_send()

    def opt_out(self) -> None:
        """Stop collection, delete queue, identifier and what `feedback_replies` takes, and remember it."""
        self._base.queue().opt_out()
        self._base.abort_send()

    def opt_in(self) -> None:
        """End an opt-out. The next identifier is a new one."""
        self._base.queue().opt_in()

    def has_opted_out(self) -> bool:
        """Report whether there is an opt-out."""
        return self._base.queue().opted_out()

    def reset_identity(self) -> None:
        """Begin a new identifier and session, for example when somebody else signs in."""
        self._base.queue().reset_identity()

    @property
    def distinct_id(self) -> str | None:
        """The anonymous identifier, made when it is first read; `None` while nothing is collected."""
        return self._base.queue().identifier()
