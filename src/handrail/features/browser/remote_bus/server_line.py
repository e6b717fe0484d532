"""Requests to the `handrail up` that runs, by handrail's other processes.

Which server that is, is asked at every call: it may start, stop and start again while this process lives.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from handrail.features.browser.remote_bus.kept_line import Answer, KeptLine
from handrail.ports.errors import Offline

_CONNECT_WITHIN = 5.0


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server is, and the headers that it wants to be shown."""

    host: str
    port: int
    credentials: Mapping[str, str]


FindServer = Callable[[], ServerAddress | None]
"""The server that runs, or None."""


class ServerLine:
    def __init__(self, find: FindServer) -> None:
        self._find = find
        self._idle: list[tuple[ServerAddress, KeptLine]] = []

    async def ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Offline: none runs, or it went away. Who is cancelled closes the connection: so the server ends the call."""
        server = self._find()
        if server is None:
            raise _nobody_there()
        lines = {
            "Host": f"{server.host}:{server.port}",
            **server.credentials,
            "Content-Length": str(len(body)),
            **headers,
        }
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        line = self._kept(server) or await _opened(server)
        try:
            answer = await line.ask(f"{head}\r\n".encode() + body)
        except (OSError, ValueError):
            line.close()
            raise Offline("The server went away before it answered.", hint="Start it again: `handrail up`.") from None
        except BaseException:
            line.close()
            raise
        self._idle.append((server, line))
        return answer

    def close(self) -> None:
        """Ends the connections that are kept."""
        for _, line in self._idle:
            line.close()
        self._idle.clear()

    def _kept(self, server: ServerAddress) -> KeptLine | None:
        """A connection to this very server that nobody uses; the others are of no use any more."""
        loop = asyncio.get_running_loop()
        idle, self._idle = self._idle, []
        for known, line in idle:
            if known == server and line.is_usable(loop):
                self._idle.append((known, line))
            else:
                line.close()
        return self._idle.pop()[1] if self._idle else None


async def _opened(server: ServerAddress) -> KeptLine:
    try:
        async with asyncio.timeout(_CONNECT_WITHIN):
            return await KeptLine.open(server.host.strip("[]"), server.port)
    except (OSError, TimeoutError):
        raise _nobody_there() from None


def _nobody_there() -> Offline:
    return Offline(
        "No handrail server runs here, so no browser is connected.",
        hint="Start one with `handrail up` and open the browser that has the extension.",
    )
