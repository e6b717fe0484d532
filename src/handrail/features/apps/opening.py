"""Opens the apps for a project, connects to an app with its first call, and checks descriptors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.apps.apps import Apps
from handrail.features.apps.backends.catalogue import Catalogue, usual_places
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import Checks
from handrail.features.apps.model import (
    App,
    AppleEventsExecution,
    DBusExecution,
    HttpExecution,
    StdioExecution,
)
from handrail.features.apps.settings import AppsSettings
from handrail.features.apps.sign_ins import credentials_in
from handrail.kernel.checks import Check, CheckContext
from handrail.kernel.web_address import place_of_page
from handrail.ports.waiting import run_in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from handrail.features.apps.app_tools import AppTools
    from handrail.features.apps.model import App, AppTransport, Credentials, Execution
    from handrail.kernel.project import Project
    from handrail.ports.stores import Stores

_MOST_PROBLEMS = 5


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

    async def program(self, app: App) -> str:
        """What answers for the app: `ConsentRequest.program`."""
        match app.execution:
            case StdioExecution() as started:
                from handrail.features.apps.backends.stdio import program_of

                return await run_in_thread(lambda: program_of(app, started))
            case DBusExecution() as execution:
                from handrail.features.apps.backends.dbus import DBusTransport

                transport = self.transport(execution)
                assert isinstance(transport, DBusTransport)
                return await transport.program(execution)
            case HttpExecution(base_url=base):
                return place_of_page(base) or ""
            case _:
                return ""

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


def open_apps(project: Project) -> Apps:
    """Reads no descriptor yet; connects with the first call."""
    connections, checks = Connections(credentials_in(project.stores)), Checks()
    catalogue = Catalogue(*usual_places(Path.home()))
    return Apps(catalogue, checks, AppCaller(connections.transport, checks), connections.close, connections.program)


def lists_app_tools(project: Project) -> bool:
    """Whoever wants each tool of each app wants it in the list."""
    return project.settings_of(AppsSettings).app_tools


def offered_tools(project: Project) -> AppTools | None:
    """If the setting `app_tools` is on: each tool of each app as a tool of its own."""
    if not project.settings_of(AppsSettings).app_tools:
        return None
    from handrail.features.apps.app_tools import AppTools

    apps: Apps = project.part("apps")
    return AppTools(apps.catalogue)


@asynccontextmanager
async def open_app_caller(stores: Stores) -> AsyncIterator[AppCaller]:
    """With the sign-ins of a state directory. Ends everything that it has started."""
    connections = Connections(credentials_in(stores))
    try:
        yield AppCaller(connections.transport, Checks())
    finally:
        await connections.close()


def checks(context: CheckContext) -> Iterator[Check]:
    """Which apps there are, and what is wrong with their descriptors."""
    catalogue = Catalogue(*usual_places(Path.home()))
    problems, count = catalogue.problems(), len(catalogue.apps())
    if not problems:
        yield Check("apps", True, f"{count} found", required=False)
        return
    told = "; ".join(map(str, problems[:_MOST_PROBLEMS]))
    more = f"; and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
    fix = "`handrail apps check FILE` tells everything about a descriptor."
    yield Check("apps", False, f"{count} found. {told}{more}", fix, required=False)
