"""The desktop's host as the rest of the house sees it: found or started on demand, kept alive by the server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from socket import socketpair
from typing import TYPE_CHECKING, Any

from handrail.features.desktop.feature import EXTRA
from handrail.ports.errors import Disabled
from handrail.stores.local import settings
from handrail.stores.local.state import state_path

if TYPE_CHECKING:
    from handrail.features.desktop.host_client.client import HostClient
    from handrail.kernel.call import Call
    from handrail.kernel.tool import Reply
    from handrail.stores.local.state import State
    from handrail.wiring.house import House

_SERVERS_PATIENCE = 15.0
_CHECKUP_SECONDS = 1


def host_client(state: State, project: str, *, is_server: bool) -> HostClient:
    """Connects when first used; the server waits for the host that it keeps itself."""
    from handrail.features.desktop.host_client.client import HostClient
    from handrail.features.desktop.host_client.finding import found_host

    folder, patience = os.path.realpath(project), _SERVERS_PATIENCE if is_server else 0.0
    return HostClient(folder, partial(found_host, state.path, folder, patience=patience))


def own_executor() -> str:
    """Whom the host takes this process for, so that tokens of its gate are good for this process alone."""
    from handrail.features.desktop.host.confirmation import gateway_scope
    from handrail.stores.local.peers import identify

    here, there = socketpair()
    with here, there:
        caller = identify(here)
    caller.close()
    return gateway_scope(caller.peer)


@asynccontextmanager
async def closing(house: House) -> AsyncIterator[None]:
    """At the end, the connections to the host and to apps are closed in order, and what shows scenes ends."""
    try:
        yield
    finally:
        await house.host.close()
        await house.apps.disconnect()
        await house.preview_session.close()


async def through(house: House, call: Call) -> Reply:
    """One call through the gate, for a command that ends with it."""
    async with closing(house):
        return await house.gate.run(call)


@asynccontextmanager
async def desktop_kept(house: House) -> AsyncIterator[None]:
    """While inside, a host runs beside the server, unless the settings say otherwise."""
    from handrail.features.desktop.host_client.finding import SOCKET
    from handrail.features.desktop.host_client.process import kept_host

    async with AsyncExitStack() as stack:
        if house.settings.desktop and EXTRA.is_installed:
            place = house.state.path / SOCKET, house.project.location, house.state.path
            await stack.enter_async_context(kept_host(*place))
        await stack.enter_async_context(closing(house))
        yield


def desktop_checkup(project: Path, state_dir: Path | None) -> dict[str, Any]:
    """What `desktop.doctor` says here; a host that is started for it ends at once. Offline, Disabled."""
    from handrail.features.desktop.host_client.client import HostClient
    from handrail.features.desktop.host_client.finding import found_host

    state, folder = state_path(state_dir), str(project.resolve())
    if not settings.load(state, {}).desktop:
        raise Disabled("switched off", hint="The setting `desktop` turns it on.")

    async def look() -> dict[str, Any]:
        client = HostClient(folder, partial(found_host, state, folder, unused_seconds=_CHECKUP_SECONDS))
        try:
            return await client.call("desktop.doctor", {}, timeout_ms=10_000)
        finally:
            await client.close()

    return asyncio.run(look())
