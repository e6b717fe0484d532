"""The uvicorn server and its configuration, with an orderly stop."""

import asyncio
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from handrail.faces.http.protocol import BoundedProtocol
from handrail.faces.socketio.sockets import MAX_FRAME
from handrail.kernel.end_signals import end_signals

_GRACE_SECONDS = 1.5  # for running calls and open streams, before they are cancelled
_CLEANUP_SECONDS = 5.0  # for cancelled calls to finish a write that can't be left half done


def config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="websockets-sansio",
        ws_max_size=MAX_FRAME,
        ws_per_message_deflate=False,  # costs time and saves nothing on one machine
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )


class Server(uvicorn.Server):
    """Stops in order after a signal: first the sockets, then requests, with a grace period for each."""

    def __init__(
        self, config: uvicorn.Config, on_ready: Callable[[], None], on_stop: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self._on_stop = on_stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        await self._on_stop()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await self._wait_for_requests(_GRACE_SECONDS)
        for request in list(self.server_state.tasks):
            request.cancel()
        await self._wait_for_requests(_CLEANUP_SECONDS)
        await super().shutdown(sockets)

    async def _wait_for_requests(self, timeout: float) -> None:
        if self.server_state.tasks:
            await asyncio.wait(set(self.server_state.tasks), timeout=timeout)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Replaces uvicorn's, which raises the signal again when it has stopped and so would skip our own cleanup."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        previous = {number: signal.getsignal(number) for number in end_signals()}
        for number in previous:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number, handler in previous.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)
