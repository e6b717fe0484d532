"""Apps as the rest of the program sees them: found when they are asked for, connected to when they are called."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.apps.app_tools import AppTools
from handrail.features.apps.apps import Apps
from handrail.features.apps.backends.catalogue import Catalogue, usual_places
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import Checks
from handrail.features.apps.model import AppleEventsExecution, DBusExecution, HttpExecution, Problem, StdioExecution
from handrail.stores.local.state import state_path
from handrail.wiring.sign_ins import credentials_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from handrail.features.apps.model import AppTransport, Credentials, Execution
    from handrail.wiring.house import House


class Connections:
    """The transports, each imported and opened with the first call that needs it."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials
        self._open: dict[type, AppTransport] = {}

    def transport(self, execution: Execution) -> AppTransport:
        kind = type(execution)
        if kind not in self._open:
            self._open[kind] = self._opened(execution)
        return self._open[kind]

    async def close(self) -> None:
        while self._open:
            _, transport = self._open.popitem()
            await transport.close()

    def _opened(self, execution: Execution) -> AppTransport:
        match execution:
            case DBusExecution():
                from handrail.features.apps.backends.dbus import DBusTransport

                return DBusTransport(os.getuid())
            case StdioExecution():
                from handrail.features.apps.backends.stdio import StdioTransport

                return StdioTransport()
            case HttpExecution():
                from handrail.features.apps.backends.http import HttpTransport

                return HttpTransport(self._credentials)
            case AppleEventsExecution():
                from handrail.features.apps.backends.apple_events import AppleEventsTransport

                return AppleEventsTransport()


@dataclass(frozen=True, slots=True)
class OpenApps:
    """What the house holds of them: the surface's port, and what must be closed."""

    port: Apps
    catalogue: Catalogue
    connections: Connections

    async def disconnect(self) -> None:
        await self.connections.close()


def open_apps(credentials: Credentials) -> OpenApps:
    """Reads no descriptor yet."""
    catalogue = Catalogue(*usual_places(Path.home()))
    connections = Connections(credentials)
    checks = Checks()
    port = Apps(catalogue, checks, AppCaller(connections.transport, checks))
    return OpenApps(port, catalogue, connections)


def offered_tools(house: House) -> AppTools | None:
    """Each of the apps' tools as a tool of its own, if the settings say so and the apps are switched on."""
    is_on = any(entry.surface.name == "apps" for entry in house.registry)
    return AppTools(house.apps.catalogue) if house.settings.app_tools and is_on else None


def descriptor_problems() -> tuple[int, Sequence[Problem]]:
    """How many apps there are, and what is wrong with descriptors: for `handrail doctor`."""
    catalogue = Catalogue(*usual_places(Path.home()))
    problems = catalogue.problems()
    return len(catalogue.apps()), problems


@asynccontextmanager
async def open_app_caller(state: Path | None) -> AsyncIterator[AppCaller]:
    """With the sign-ins of a state directory; everything that was started ends with it."""
    connections = Connections(credentials_in(state_path(state)))
    try:
        yield AppCaller(connections.transport, Checks())
    finally:
        await connections.close()
