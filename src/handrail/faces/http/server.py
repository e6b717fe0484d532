"""Runs the HTTP server of `handrail up`: opens its sockets, publishes server.json and serves until it is stopped."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.faces.http import console_files, console_key, server_file
from handrail.faces.http.access_control import AccessControl
from handrail.faces.http.agent_clients import AgentClients
from handrail.faces.http.cancelled_requests import AgentRequests, ShutdownAnswer
from handrail.faces.http.codes import Codes
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.context import HttpContext, join_mounts
from handrail.faces.http.credentials import Credentials, Programs
from handrail.faces.http.guard import ORIGINS_SETTING, Guard, Origins
from handrail.faces.http.listen_socket import open_listeners, url
from handrail.faces.http.sessions import Sessions
from handrail.faces.http.site import open_paths, site
from handrail.faces.http.usage import Usage
from handrail.faces.http.uvicorn_server import Server, config
from handrail.faces.socketio.audience import Audience
from handrail.faces.socketio.sockets import Sockets
from handrail.kernel.feature import load
from handrail.kernel.project import Project
from handrail.ports.own_servers import announce_port
from handrail.ports.waiting import enter_in_thread


class McpEndpoint(Protocol):
    """The mounted ASGI app, usable while inside `run()`. `end_sessions` ends those of agents that were removed."""

    def run(self) -> AbstractAsyncContextManager[None]: ...

    async def end_sessions(self, is_valid: Callable[[str], bool]) -> None: ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The server's state directory, and the address to listen on."""

    state: Path
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class UntilUnused:
    """When a server that was started for agents stops: its starter has ended, and it is unused for `seconds`."""

    starter_gone: Callable[[], Awaitable[None]]
    seconds: float


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """How callers are authenticated: by default, this machine's user and programs that run on it."""

    credentials: type[Credentials] | Callable[..., Credentials] = Credentials
    guard: type[Guard] | Callable[..., ASGIApp] = Guard
    is_for_all: bool = False
    """Also listen to other machines."""


OnReady = Callable[[str, str], None]


async def serve(
    project: Project,
    mcp_endpoint: McpEndpoint,
    make_context: Callable[[ConsoleKey], HttpContext],
    at: ServerAddress,
    on_ready: OnReady,
    *,
    console_folder: Path | None = None,
    until_unused: UntilUnused | None = None,
    alongside: Callable[[Usage], AbstractAsyncContextManager[object]] = nullcontext,
    access: AccessOptions | None = None,
) -> None:
    """Serves until a signal, or `until_unused`. `alongside` is entered while it serves, with the counter of its users.

    Once requests are answered, `on_ready` gets the address, and the console's address with a one-time code.
    """
    state, host = at.state, at.host
    is_on_demand = until_unused is not None
    access = access or AccessOptions()
    async with (
        enter_in_thread(server_file.claim_state(state, is_on_demand=is_on_demand)),
        enter_in_thread(
            open_listeners(host, at.port, allow_other_port=is_on_demand, is_for_all=access.is_for_all)
        ) as listeners,
    ):
        port = listeners[0].getsockname()[1]
        origins = Origins.of(port, os.environ.get(ORIGINS_SETTING))
        address, console = url(host, port), console_files.load(console_folder or console_files.FOLDER)
        codes, sessions, programs = Codes(), Sessions(state), Programs()
        async with (
            enter_in_thread(announce_port(port)),
            enter_in_thread(server_file.publish(state, host, port, is_on_demand=is_on_demand)) as published,
            enter_in_thread(console_key.publish(state)) as key,
        ):
            context = make_context(key)
            mounted = join_mounts(
                [load(feature.routes)(context) for feature in project.running_features if feature.routes]
            )
            credentials = access.credentials(published, sessions, programs, mounted.is_paired, project.stores.agents)
            assert mounted.bus is not None
            assert mounted.running is not None
            agent_clients = AgentClients(partial(project.machine.register_client, state))
            sockets = Sockets(
                credentials, mounted.feeds, Audience(project.stores.watching), mounted.bus, on_agent=agent_clients.note
            )
            agent_requests = AgentRequests(project.stores.agents)

            access_control = AccessControl(
                published,
                key,
                codes,
                sessions,
                credentials,
                programs,
                sockets.drop_invalid_clients,
                mcp_endpoint.end_sessions,
                project.stores.agents,
                agent_requests.cancel_revoked,
            )
            app = sockets.wrap(site(context, mcp_endpoint, address, console, access_control, mounted))
            guard = access.guard(
                agent_clients.wrap(agent_requests.wrap(app)),
                port=port,
                credentials=credentials,
                origins=origins,
                is_open=open_paths(console, mounted),
                is_for_plugins=mounted.is_for_plugins,
                is_for_programs=mounted.is_for_programs,
                console_key=key,
            )
            usage = Usage(ShutdownAnswer(guard))
            server = Server(
                config(usage),
                on_ready=lambda: on_ready(address, f"{address}/#code={codes.make()}"),
                on_stop=sockets.close,
            )
            async with (
                mcp_endpoint.run(),
                mounted.running(address, sockets.rooms),
                sockets.run(),
                access_control.watching(),
                alongside(usage),
                _stop_when_unused(server, usage, until_unused),
            ):
                await server.serve(listeners)


@asynccontextmanager
async def _stop_when_unused(server: Server, usage: Usage, until: UntilUnused | None) -> AsyncIterator[None]:
    async def watch() -> None:
        if until is not None:
            await until.starter_gone()
            await usage.wait_until_unused(until.seconds)
            server.should_exit = True

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
