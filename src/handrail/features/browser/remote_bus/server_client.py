"""Requests to the running `handrail up` from handrail's other processes.

The server is looked up for every request, because it may be stopped and started while this process runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from handrail.ports.errors import Offline

if TYPE_CHECKING:
    import httpcore2

_CONNECT_SECONDS = 5.0
_KEEPALIVE_SECONDS = 2.0
"""Shorter than any server keeps an idle connection open."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A server's address, and the headers that sign in there."""

    host: str
    port: int
    credentials: Mapping[str, str]


FindServer = Callable[[], ServerAddress | None]
"""The running server, or None."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class ServerGone(Offline):
    """The server received the request, but went away before it answered."""


class ServerClient:
    def __init__(self, find: FindServer) -> None:
        self._find = find
        self._pool: httpcore2.AsyncConnectionPool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Raises Offline if no server runs or it went away. Cancelling closes the connection, which ends the call."""
        if (server := self._find()) is None:
            raise _not_running()
        import httpcore2  # takes 100 ms, and most processes don't need it

        url = httpcore2.URL(scheme="http", host=server.host.strip("[]"), port=server.port, target=path)
        sent = {"Host": f"{server.host}:{server.port}", **server.credentials, **headers}
        try:
            response = await self._connections().request(
                method,
                url,
                headers=[*sent.items()],
                content=body,
                extensions={"timeout": {"connect": _CONNECT_SECONDS}},
            )
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
            raise _not_running() from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError):
            raise ServerGone(
                "The server went away before it answered.", hint="Start it again: `handrail up`."
            ) from None
        received = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        return Answer(response.status, received, response.content)

    async def close(self) -> None:
        """Closes idle connections."""
        if self._pool is not None:
            await self._pool.aclose()
            self._pool = None

    def _connections(self) -> httpcore2.AsyncConnectionPool:
        import httpcore2

        loop = asyncio.get_running_loop()
        if self._pool is None or self._loop is not loop:
            self._loop = loop
            self._pool = httpcore2.AsyncConnectionPool(max_connections=None, keepalive_expiry=_KEEPALIVE_SECONDS)
        return self._pool


def _not_running() -> Offline:
    return Offline(
        "handrail isn't running, so no browser is connected.",
        hint="Start it with `handrail up` and open the browser with the extension.",
    )
