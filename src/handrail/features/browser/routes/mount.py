"""Contract 2, mounted on the HTTP server: its routes, its sockets, and what runs beside them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from starlette.routing import BaseRoute
from starlette.types import Scope

from handrail.faces.http import openapi
from handrail.faces.http.codes import Codes
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.endpoint import Endpoint, route
from handrail.faces.socketio.rooms import Rooms
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.pairing import Pairings
from handrail.features.browser.routes import artifact_routes, browser_routes, plugin_routes, task_routes
from handrail.features.browser.routes.page_events import PageEvents
from handrail.features.browser.routes.page_socket import Chat, PageSocket
from handrail.features.browser.routes.plugin_socket import PluginSocket
from handrail.features.browser.routes.socket_bus import BrowserSockets


@dataclass(frozen=True, slots=True)
class AgentMount:
    """The agent's part: it hears what pages say, has endpoints of its own, and runs as long as the server."""

    chat: Chat
    endpoints: Callable[[ConsoleKey], Sequence[Endpoint]]
    running: Callable[[], AbstractAsyncContextManager[None]]


class BrowserMount:
    def __init__(
        self, bus: LocalBus, pairings: Pairings, pages: PageEvents, agent: AgentMount, *, speaks_legacy: bool = False
    ) -> None:
        self._local = bus
        self._pairings = pairings
        self._pages = pages
        self._agent = agent
        self._codes = Codes(source="the console, or `handrail extension pair`,")
        self.bus = BrowserSockets(pairings, PluginSocket(bus), PageSocket(bus, agent.chat), speaks_legacy=speaks_legacy)

    def routes(self, person: str, key: ConsoleKey) -> Sequence[BaseRoute]:
        bus = self._local
        endpoints = [
            *browser_routes.endpoints(bus, key, person),
            *artifact_routes.endpoints(bus),
            *task_routes.endpoints(bus),
            *plugin_routes.endpoints(bus, self._pairings, self._codes, key),
        ]
        return [*map(route, [*endpoints, *self._agent.endpoints(key)]), *openapi.routes(endpoints)]

    def is_open(self, scope: Scope) -> bool:
        if scope["type"] != "http":
            return False
        path, method = scope["path"], scope["method"]
        return (path == plugin_routes.PAIR and method == "POST") or artifact_routes.is_upload(path, method)

    def is_for_plugins(self, scope: Scope) -> bool:
        if scope["type"] != "http":
            return False
        path, method = scope["path"], scope["method"]
        is_registration = path == plugin_routes.REGISTER and method == "POST"
        return is_registration or artifact_routes.is_for_plugins(path, method)

    def is_paired(self, token: str) -> bool:
        return self._pairings.client_of(token) is not None

    @asynccontextmanager
    async def run(self, address: str, rooms: Rooms) -> AsyncIterator[None]:
        self._local.artifacts.address = address
        self._pages.open(rooms)
        self.bus.open(rooms)
        await self._pairings.load()
        await self._local.start()
        cleaning = asyncio.create_task(self._local.clean_up())
        try:
            async with self._agent.running():
                yield
        finally:
            cleaning.cancel()
            await asyncio.wait({cleaning})
            self._pages.close()
