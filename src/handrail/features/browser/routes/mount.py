"""Mounts contract 2 on the HTTP server: routes, sockets and background work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import Scope

from handrail.faces.http import openapi
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.endpoint import route
from handrail.faces.socketio.rooms import Rooms
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.pairing import Pairings
from handrail.features.browser.routes import artifact_routes, browser_routes, enrollment, plugin_routes, task_routes
from handrail.features.browser.routes.page_events import PageEvents
from handrail.features.browser.routes.page_socket import PageSocket
from handrail.features.browser.routes.pairing_codes import LocalCodes, PairingCodes, SharedCodes
from handrail.features.browser.routes.plugin_socket import PluginSocket
from handrail.features.browser.routes.socket_bus import BrowserSockets
from handrail.features.browser.routes.task_access import TaskAccess
from handrail.features.browser.settings import BrowserSettings
from handrail.kernel.task_ownership import TaskOwnership


def mount(context: HttpContext) -> Mount:
    project = context.project
    bus: LocalBus = project.part("browser").bus
    settings = project.settings_of(BrowserSettings)
    bus.tasks.reads_by_default, legacy = settings.read_during_takeover, settings.legacy_events
    pages, pairings = PageEvents(bus, speaks_legacy=legacy), Pairings(bus.plugin_records)
    agent = project.offer("agent", "mount")(bus, pages)
    ownership = TaskOwnership(project.stores.task_owners, project.machine.has_ended)
    sockets = BrowserSockets(
        pairings, PluginSocket(bus, context.windows), PageSocket(bus, agent.chat, ownership), speaks_legacy=legacy
    )
    shared = bus.shared
    codes: PairingCodes = LocalCodes() if shared is None else SharedCodes(shared.peers)
    access = TaskAccess(ownership, context)
    endpoints = [
        *browser_routes.endpoints(bus, context.console_key, context.person, access),
        *artifact_routes.endpoints(bus, access),
        *task_routes.endpoints(bus, access),
        *plugin_routes.endpoints(bus, pairings, codes, context.console_key),
        *enrollment.endpoints(bus, pairings, context),
    ]
    context.windows.browsers = enrollment.EnrolledBrowsers(bus, pairings)

    @asynccontextmanager
    async def running(address: str, rooms: Rooms) -> AsyncIterator[None]:
        bus.artifacts.address = address if shared is None else shared.address or address
        pages.open(rooms)
        sockets.open(rooms)
        await pairings.load()
        if shared is not None:
            shared.peers.follow_paired(pairings.replace)
        await bus.start()
        cleaning = asyncio.create_task(bus.clean_up())
        try:
            async with agent.running():
                yield
        finally:
            cleaning.cancel()
            await asyncio.wait({cleaning})
            pages.close()

    return Mount(
        [*map(route, [*endpoints, *agent.endpoints(context.console_key)]), *openapi.routes(endpoints)],
        running=running,
        bus=sockets,
        is_open=_is_open,
        is_for_plugins=_is_for_plugins,
        is_paired=lambda token: pairings.client_of(token) is not None,
    )


def _is_open(scope: Scope) -> bool:
    if scope["type"] != "http":
        return False
    path, method = scope["path"], scope["method"]
    return (path == plugin_routes.PAIR and method == "POST") or artifact_routes.is_upload(path, method)


def _is_for_plugins(scope: Scope) -> bool:
    if scope["type"] != "http":
        return False
    path, method = scope["path"], scope["method"]
    is_registration = path == plugin_routes.REGISTER and method == "POST"
    return is_registration or artifact_routes.is_for_plugins(path, method)
