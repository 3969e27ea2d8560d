"""The blocking client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _kinds
from ._api.admin import Admin
from ._api.public import PublicMethods
from ._calls import Call
from ._clock import Clock
from ._core import SyncCore
from ._event_methods import EventMethods
from ._events import FlushResult, make_analytics
from ._options import Timeout, Token, make_settings
from ._settable import Settable
from ._unset import UNSET, Unset

if TYPE_CHECKING:
    from types import TracebackType

    import httpx

    from ._background import Background
    from ._logs import Logs
    from ._updates import Updates
    from .types import Health, Login


class Public(PublicMethods, EventMethods):
    """What applications call. No credential is ever sent."""

    def __init__(self, core: SyncCore) -> None:
        super().__init__(core)
        self._base = core

    def flush(self) -> FlushResult:
        """Send all collected events now, and say what became of them.

        It returns when none is left or a send failed; it does not raise then.
        """
        return self._core.flush()


class SvcClient(Settable):
    """A client of one instance of the service.

    `public` has what applications call, `admin` what needs a credential.
    `updates`, `logs` and `background` are helpers on top of them. It can be
    used from any number of threads; `with` closes it.
    """

    def __init__(
        self,
        base_url: str,
        project_key: str | None = None,
        token: Token = None,
        *,
        platform: str | None | Unset = UNSET,
        platform_version: str | None | Unset = UNSET,
        send_client_time: bool = True,
        timeout: Timeout = 15.0,
        retries: int = 3,
        user_agent: str | None = None,
        app_identifier: str | None = None,
        headers: Mapping[str, str] | None = None,
        locale: str | None = None,
        app_version: str | None = None,
        channel: str | None = None,
        rollout_key: str | None = None,
        transport: httpx.BaseTransport | None = None,
        analytics: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a client; nothing is sent.

        - `base_url` usually ends in `/api/v1`.
        - `project_key` binds the methods that belong to a project.
        - `token` is a credential or a function that returns it.
        - `platform`, `platform_version`: detected; `None` turns them off.
        - `send_client_time` tells the server the local time of this device.
        - `timeout` is the limit of one attempt in seconds, `(connect, whole)`, or `None`.
        - `retries` of reads that found no server; 0 turns them off.
        - `user_agent` replaces the name of the library, `app_identifier` is added to it.
        - `headers` go with every request; they cannot replace those of the library.
        - `locale` and `app_version` fill arguments that calls leave out. `app_version` is also the
          property `app_version` of events that have none.
        - `channel` and `rollout_key` fill those of update checks. Without a key, rollouts go by a random
          number from 0 to 9999 that is kept with the local state.
        - `transport` is any transport of `httpx`, for example `httpx.MockTransport`.
        - `analytics` are options of event collection: `enabled`, `require_consent`,
          `persistence` (`persistent`, `session` or `none`), `flush_interval` and
          `session_timeout` in seconds, `batch_size`, `max_queue_size`, `namespace`,
          `storage` (a `Storage`) and `on_drop`, called with event name and reason.

        Raises `SvcError` when an option is not valid.
        """
        settings = make_settings(
            base_url,
            project_key=project_key,
            token=token,
            platform=platform,
            platform_version=platform_version,
            send_client_time=send_client_time,
            timeout=timeout,
            retries=retries,
            user_agent=user_agent,
            app_identifier=app_identifier,
            headers=headers,
            locale=locale,
            app_version=app_version,
            channel=channel,
            rollout_key=rollout_key,
        )
        if transport is not None:
            _kinds.methods("transport", transport, "handle_request")
        self._core = SyncCore(settings, make_analytics(analytics), self._clock(), transport)
        self._base = self._core
        self.public = Public(self._core)
        """What applications call."""
        self.admin = Admin(self._core)
        """What needs a credential."""
        self._updates: Updates | None = None
        self._logs: Logs | None = None
        self._background: Background | None = None

    def _clock(self) -> Clock:
        return Clock()

    def health(self) -> Health:
        """Ask whether the server runs. `GET /health`"""
        answer: Health = self._core.send(Call["Health"]("GET", "/health"))
        return answer

    def login(self, username: str, password: str) -> Login:
        """Sign in; the answer's token becomes the credential. `POST /auth/login`"""
        body = {"username": username, "password": password}
        answer: Login = self._core.send(Call["Login"]("POST", "/auth/login", body=body))
        self.set_token(answer["access_token"])
        return answer

    @property
    def updates(self) -> Updates:
        """Checks for updates and downloads them."""
        if self._updates is None:
            from ._updates import Updates

            self._updates = Updates(self._core)
        return self._updates

    @property
    def logs(self) -> Logs:
        """Reports errors, once it is told to."""
        if self._logs is None:
            from ._logs import Logs

            self._logs = Logs(self._core)
        return self._logs

    @property
    def background(self) -> Background:
        """Runs calls beside a user interface."""
        if self._background is None:
            from ._background import Background

            self._background = Background()
        return self._background

    def close(self, flush_timeout: float = 2.0) -> None:
        """Send what is queued for at most `flush_timeout` seconds, save the rest, and end.

        Afterwards requests raise `SvcError` and `track` does nothing. Closing
        again does nothing.
        """
        if self._background is not None:
            self._background.close()
        self._core.close(flush_timeout, self._logs.close if self._logs is not None else None)

    def __enter__(self) -> SvcClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
