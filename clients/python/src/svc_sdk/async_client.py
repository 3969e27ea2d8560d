"""The client for `asyncio`."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from . import _kinds
from ._api.aio.admin import AsyncAdmin
from ._api.aio.public import AsyncPublicMethods
from ._calls import Call
from ._clock import Clock
from ._core_async import AsyncCore
from ._event_methods import EventMethods
from ._events import FlushResult, make_analytics
from ._options import Timeout, Token, make_settings
from ._settable import Settable
from ._unset import UNSET, Unset

if TYPE_CHECKING:
    from types import TracebackType

    import httpx

    from ._logs import AsyncLogs
    from ._updates import AsyncUpdates
    from .types import Health, Login


class AsyncPublic(AsyncPublicMethods, EventMethods):
    """What applications call. No credential is ever sent."""

    def __init__(self, core: AsyncCore) -> None:
        super().__init__(core)
        self._base = core

    async def flush(self) -> FlushResult:
        """Send all collected events now, and say what became of them.

        It returns when none is left or a send failed; it does not raise then.
        """
        return await self._core.flush()


class AsyncSvcClient(Settable):
    """A client of one instance of the service for `asyncio`.

    It has the methods of `SvcClient`. Those that ask the server return
    awaitables; local checks raise at the call. `async with` closes it.
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
        transport: httpx.AsyncBaseTransport | None = None,
        analytics: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a client; nothing is sent.

        The options are those of `SvcClient`.

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
            _kinds.methods("transport", transport, "handle_async_request")
        self._core = AsyncCore(settings, make_analytics(analytics), self._clock(), transport)
        self._base = self._core
        self.public = AsyncPublic(self._core)
        """What applications call."""
        self.admin = AsyncAdmin(self._core)
        """What needs a credential."""
        self._updates: AsyncUpdates | None = None
        self._logs: AsyncLogs | None = None

    def _clock(self) -> Clock:
        return Clock()

    def health(self) -> Coroutine[Any, Any, Health]:
        """Ask whether the server runs. `GET /health`"""
        return self._core.send(Call["Health"]("GET", "/health"))

    def login(self, username: str, password: str) -> Coroutine[Any, Any, Login]:
        """Sign in; the answer's token becomes the credential. `POST /auth/login`"""
        body = {"username": username, "password": password}
        return self._keep_token(self._core.send(Call["Login"]("POST", "/auth/login", body=body)))

    async def _keep_token(self, login: Coroutine[Any, Any, Login]) -> Login:
        answer = await login
        self.set_token(answer["access_token"])
        return answer

    @property
    def updates(self) -> AsyncUpdates:
        """Checks for updates and downloads them."""
        if self._updates is None:
            from ._updates import AsyncUpdates

            self._updates = AsyncUpdates(self._core)
        return self._updates

    @property
    def logs(self) -> AsyncLogs:
        """Reports errors, once it is told to."""
        if self._logs is None:
            from ._logs import AsyncLogs

            self._logs = AsyncLogs(self._core)
        return self._logs

    async def aclose(self, flush_timeout: float = 2.0) -> None:
        """Send what is queued for at most `flush_timeout` seconds, save the rest, and end.

        Afterwards requests raise `SvcError` and `track` does nothing. Closing
        again does nothing.
        """
        await self._core.close(flush_timeout, self._logs.aclose if self._logs is not None else None)

    async def __aenter__(self) -> AsyncSvcClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
