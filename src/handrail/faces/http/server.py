"""`handrail up`: binds, names itself in server.json, serves until it is interrupted, and leaves in order."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from pathlib import Path
from typing import Protocol

import uvicorn
from starlette.types import Receive, Scope, Send

from handrail.core.gate import Gate
from handrail.faces.http import origins, server_file
from handrail.faces.http.farewell import Farewell
from handrail.faces.http.guard import Guard
from handrail.faces.http.listening import listen, url
from handrail.faces.http.origins import Origins
from handrail.faces.http.protocol import BoundedProtocol
from handrail.faces.http.site import OPEN_PATHS, site

_GRACE = 1.5  # what running calls and open streams get before they are cut off
_LAST_WORDS = 5.0  # what a call that was cut off gets to finish a write that it can't leave half done
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class McpEndpoint(Protocol):
    """The mounted ASGI app; `run()` is alive as long as it may be called."""

    def run(self) -> AbstractAsyncContextManager[None]: ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...


async def serve(
    gate: Gate,
    mcp_endpoint: McpEndpoint,
    state_path: Path,
    host: str,
    port: int,
    on_ready: Callable[[str], None],
) -> None:
    """Returns after SIGINT or SIGTERM. `on_ready` gets the address once requests are answered."""
    with server_file.claimed(state_path), closing(listen(host, port)) as listener:
        port = listener.getsockname()[1]
        allowed = Origins.of(port, os.environ.get(origins.SETTING))
        address = url(host, port)
        with server_file.published(state_path, host, port) as published:
            inside = site(gate, mcp_endpoint, address)
            guard = Guard(inside, port=port, token=published.token, origins=allowed, open_paths=OPEN_PATHS)
            config = uvicorn.Config(
                Farewell(guard),
                http=BoundedProtocol,
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=1,
            )
            async with mcp_endpoint.run():
                await _Server(config, lambda: on_ready(address)).serve([listener])


class _Server(uvicorn.Server):
    """Stops without dying of the signal, and not before the last request has ended."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await self._requests_end(_GRACE)
        for request in list(self.server_state.tasks):
            request.cancel()
        await self._requests_end(_LAST_WORDS)
        await super().shutdown(sockets)

    async def _requests_end(self, timeout: float) -> None:
        if self.server_state.tasks:
            await asyncio.wait(set(self.server_state.tasks), timeout=timeout)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """uvicorn raises the signal again once it has stopped, which would end us before our own cleaning up."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        previous = {number: signal.getsignal(number) for number in _SIGNALS}
        for number in _SIGNALS:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number, handler in previous.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)
