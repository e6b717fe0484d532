"""`handrail up`: binds, names itself in server.json, serves until it is interrupted, and leaves in order."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.faces.http import console_files, console_key, server_file
from handrail.faces.http.answers import refused
from handrail.faces.http.codes import Codes
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.context import HttpContext, joined
from handrail.faces.http.credentials import Credentials, Programs
from handrail.faces.http.entrance import Entrance
from handrail.faces.http.guard import ORIGINS_SETTING, Guard, Origins
from handrail.faces.http.listen_socket import listening, url
from handrail.faces.http.protocol import BoundedProtocol
from handrail.faces.http.sessions import Sessions
from handrail.faces.http.site import open_for, site
from handrail.faces.http.visits import Visits
from handrail.faces.socketio.sockets import MAX_FRAME, Audience, Sockets
from handrail.kernel.end_signals import end_signals
from handrail.kernel.feature import load
from handrail.kernel.project import Project
from handrail.ports.own_servers import announce_port
from handrail.ports.waiting import enter_in_thread


class Farewell:
    """The outermost frame of a request: what it does not pass on, nobody misses."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_started = False

        async def noting(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            if not has_started:
                await refused("UNAVAILABLE", "handrail is stopping; the call was stopped.")(scope, receive, send)
            else:
                with suppress(RuntimeError):  # an answer that announced its length can't be ended early
                    await send({"type": "http.response.body", "body": b"", "more_body": False})


class Usage:
    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._clock = clock
        self._open = 0
        self._last_used = clock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.noted():
            await self._app(scope, receive, send)

    @contextmanager
    def noted(self) -> Iterator[None]:
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
            self._last_used = self._clock()

    async def ends(self, after_seconds: float) -> None:
        """Returns once nobody has used the server for so long."""
        while True:
            idle = 0.0 if self._open else self._clock() - self._last_used
            if idle >= after_seconds:
                return
            await asyncio.sleep(after_seconds - idle)


_GRACE = 1.5  # what running calls and open streams get before they are cut off
_LAST_WORDS = 5.0  # what a call that was cut off gets to finish a write that it can't leave half done


class McpEndpoint(Protocol):
    """The mounted ASGI app; `run()` is alive as long as it may be called.

    `end_sessions` ends those of agents that are no longer known.
    """

    def run(self) -> AbstractAsyncContextManager[None]: ...

    async def end_sessions(self, is_valid: Callable[[str], bool]) -> None: ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server lives: its state directory, and the address that it is to listen on."""

    state: Path
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class UntilUnused:
    """When a server that was started for somebody stops by itself: who started it has gone, and nobody uses it."""

    starter_gone: Callable[[], Awaitable[None]]
    seconds: float


@dataclass(frozen=True, slots=True)
class Doors:
    """Who is let in, and how: by default the one person of this machine, and programs that run on it."""

    credentials: type[Credentials] | Callable[..., Credentials] = Credentials
    guard: type[Guard] | Callable[..., ASGIApp] = Guard
    is_for_all: bool = False
    """Other machines may come, too."""


OnReady = Callable[[str, str], None]


async def serve(
    project: Project,
    mcp_endpoint: McpEndpoint,
    make_context: Callable[[ConsoleKey], HttpContext],
    place: Place,
    on_ready: OnReady,
    *,
    console_folder: Path | None = None,
    until_unused: UntilUnused | None = None,
    beside: Callable[[Usage], AbstractAsyncContextManager[object]] = nullcontext,
    doors: Doors | None = None,
) -> None:
    """Returns after a signal that ends it, or `until_unused`. `beside` is entered while it serves, with what notes use.

    `on_ready` gets, once requests are answered, the address, and the address with a one-time code for the console.
    """
    state, host = place.state, place.host
    is_on_demand = until_unused is not None
    doors = doors or Doors()
    async with (
        enter_in_thread(server_file.claimed(state, is_on_demand=is_on_demand)),
        enter_in_thread(
            listening(host, place.port, is_any_right=is_on_demand, is_for_all=doors.is_for_all)
        ) as listeners,
    ):
        port = listeners[0].getsockname()[1]
        allowed = Origins.of(port, os.environ.get(ORIGINS_SETTING))
        address, console = url(host, port), console_files.load(console_folder or console_files.FOLDER)
        codes, sessions, programs = Codes(), Sessions(state), Programs()
        async with (
            enter_in_thread(announce_port(port)),
            enter_in_thread(server_file.published(state, host, port, is_on_demand=is_on_demand)) as published,
            enter_in_thread(console_key.published(state)) as key,
        ):
            context = make_context(key)
            mounted = joined([load(feature.routes)(context) for feature in project.running_features if feature.routes])
            credentials = doors.credentials(published, sessions, programs, mounted.is_paired, project.stores.agents)
            assert mounted.bus is not None
            assert mounted.running is not None
            sockets = Sockets(credentials, mounted.feeds, Audience(project.stores.watching), mounted.bus)
            ending = (sockets.send_strangers_away, mcp_endpoint.end_sessions)
            visits = Visits(project.stores.agents)
            entrance = Entrance(
                published,
                key,
                codes,
                sessions,
                credentials,
                programs,
                *ending,
                project.stores.agents,
                visits.end_revoked,
            )
            inside = sockets.around(site(context, mcp_endpoint, address, console, entrance, mounted))
            guard = doors.guard(
                visits.around(inside),
                port=port,
                credentials=credentials,
                origins=allowed,
                is_open=open_for(console, mounted),
                is_for_plugins=mounted.is_for_plugins,
                is_for_programs=mounted.is_for_programs,
                console_key=key,
            )
            usage = Usage(Farewell(guard))
            server = _Server(
                _config(usage),
                on_ready=lambda: on_ready(address, f"{address}/#code={codes.make()}"),
                on_stop=sockets.close,
            )
            async with (
                mcp_endpoint.run(),
                mounted.running(address, sockets.rooms),
                sockets.run(),
                entrance.watching_agents(),
                beside(usage),
                _ending(server, usage, until_unused),
            ):
                await server.serve(listeners)


@asynccontextmanager
async def _ending(server: "_Server", usage: Usage, until: UntilUnused | None) -> AsyncIterator[None]:
    async def watch() -> None:
        if until is not None:
            await until.starter_gone()
            await usage.ends(until.seconds)
            server.should_exit = True

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="websockets-sansio",
        ws_max_size=MAX_FRAME,
        ws_per_message_deflate=False,  # on this machine alone, it costs time and saves nothing
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )


class _Server(uvicorn.Server):
    """Stops without dying of the signal, and not before the last request has ended."""

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
        previous = {number: signal.getsignal(number) for number in end_signals()}
        for number in previous:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number, handler in previous.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)
