"""Contract 2, built on to the HTTP server: its routes, its sockets, and what it does while it runs."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from starlette.routing import BaseRoute
from starlette.types import Scope

from handrail.faces.http.codes import Codes
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.socketio.rooms import Rooms
from handrail.features.agent.context import RunListener
from handrail.features.agent.limits import Limits
from handrail.features.agent.model_desk import ModelDesk
from handrail.features.agent.routes import routes as agent_routes
from handrail.features.agent.routes.events import AgentEvents
from handrail.features.agent.routes.talk import AgentTalk
from handrail.features.agent.runs import Runs
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.pairing import Pairings
from handrail.features.browser.routes import (
    act_routes,
    artifact_routes,
    openapi,
    plugin_routes,
    sight_routes,
    task_routes,
)
from handrail.features.browser.routes.endpoint import route
from handrail.features.browser.routes.news import News
from handrail.features.browser.routes.page_socket import PageSocket
from handrail.features.browser.routes.plugin_socket import PluginSocket
from handrail.features.browser.routes.socket_bus import MimoBus
from handrail.features.browser.routes.wheel import Wheel
from handrail.kernel.registry import Registry
from handrail.ports.errors import Failure, NotFound

CLEAN_EVERY = 6 * 3600.0
_KEEP_ACTIONS_MS = 30 * 24 * 3600 * 1000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Agent:
    """What of the agent is known outside this face."""

    runs: Callable[[RunListener], Runs]
    models: ModelDesk
    registry: Registry
    limits: Limits


class MimoAnnex:
    def __init__(
        self,
        bus: LocalBus,
        pairings: Pairings,
        agent: Agent,
        *,
        speaks_legacy: bool = False,
        clean_every: float = CLEAN_EVERY,
    ) -> None:
        self._local = bus
        self._pairings = pairings
        self._clean_every = clean_every
        self._codes = Codes(source="the console, or `handrail extension pair`,")
        self._news = News(bus, speaks_legacy=speaks_legacy)
        self._wheel = Wheel(bus, self._news)
        self._plugins = PluginSocket(bus, self._news, self._wheel)
        self._agent = agent
        audience = AgentEvents(bus, self._news, agent.registry, agent.limits)
        self._runs = agent.runs(audience)
        self._wheel.stop_agent = self._stop_agent
        pages = PageSocket(bus, AgentTalk(bus, self._runs, audience))
        self.bus = MimoBus(pairings, self._plugins, pages, speaks_legacy=speaks_legacy)

    def routes(self, person: str, key: ConsoleKey) -> Sequence[BaseRoute]:
        bus = self._local
        endpoints = [
            *act_routes.endpoints(bus, key, person),
            *artifact_routes.endpoints(bus),
            *task_routes.endpoints(bus, self._wheel),
            *sight_routes.endpoints(bus),
            *plugin_routes.endpoints(bus, self._pairings, self._plugins, self._news, self._codes, key),
        ]
        agent = self._agent
        own = agent_routes.endpoints(bus, self._news, self._runs, agent.models, agent.registry, agent.limits, key)
        return [*map(route, [*endpoints, *own]), *openapi.routes(endpoints)]

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
        self._news.open(rooms)
        self.bus.open(rooms)
        await self._pairings.load()
        await self._local.start()
        chores = [asyncio.create_task(self._clean()), asyncio.create_task(self._recover())]
        try:
            yield
        finally:
            for chore in chores:
                chore.cancel()
            await asyncio.gather(*chores, return_exceptions=True)
            await self._runs.close()
            self._news.close()

    async def _recover(self) -> None:
        """On the side: loading what a model needs takes longer than a server may take to listen."""
        try:
            await self._runs.recover()
        except Failure as failure:
            logger.error("runs of the agent stay where they were: %s", failure.message)

    async def _stop_agent(self, task_id: str) -> None:
        with suppress(NotFound):
            await self._runs.stop(task_id)

    async def _clean(self) -> None:
        """At the start, and every few hours: what has expired goes."""
        while True:
            try:
                await self._local.artifacts.sweep()
                await self._local.actions.forget(self._local.now() - _KEEP_ACTIONS_MS)
            except Failure as failure:
                logger.warning("what has expired stays: %s", failure.message)
            await asyncio.sleep(self._clean_every)
