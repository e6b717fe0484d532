"""Opens the apps for a project, connects to an app on its first call, and checks descriptors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.apps.apps import Apps
from handrail.features.apps.backends.catalogue import Catalogue, default_folders
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import SchemaChecks
from handrail.features.apps.model import (
    App,
    AppleEventsExecution,
    DBusExecution,
    HttpExecution,
    StdioExecution,
)
from handrail.features.apps.settings import AppsSettings
from handrail.features.apps.sign_ins import open_credentials
from handrail.kernel.checks import Check, CheckContext
from handrail.kernel.web_address import place_of_page
from handrail.ports.waiting import run_in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from handrail.features.apps.app_tools import AppTools
    from handrail.features.apps.model import App, AppTransport, Credentials, Execution
    from handrail.kernel.project import Project
    from handrail.ports.stores import Stores

_MAX_PROBLEMS = 5


class Transports:
    """The transports, each imported and opened by the first call that needs it."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials
        self._open: dict[type, AppTransport] = {}

    def transport(self, execution: Execution) -> AppTransport:
        kind = type(execution)
        if kind not in self._open:
            self._open[kind] = self._open_transport(execution)
        return self._open[kind]

    async def program(self, app: App) -> str:
        """Identifies what answers for the app: `ConsentRequest.program`."""
        match app.execution:
            case StdioExecution() as stdio:
                from handrail.features.apps.backends.stdio import program_digest_of

                return await run_in_thread(lambda: program_digest_of(app, stdio))
            case DBusExecution() as dbus:
                from handrail.features.apps.backends.dbus import DBusTransport

                transport = self.transport(dbus)
                assert isinstance(transport, DBusTransport)
                return await transport.program(dbus)
            case HttpExecution(base_url=base):
                return place_of_page(base) or ""
            case _:
                return ""

    async def close(self) -> None:
        while self._open:
            _, transport = self._open.popitem()
            await transport.close()

    def _open_transport(self, execution: Execution) -> AppTransport:
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
    """Reads no descriptor yet, and connects to nothing."""
    transports, checks = Transports(open_credentials(project.stores)), SchemaChecks()
    catalogue = Catalogue(*default_folders(Path.home()))
    return Apps(catalogue, checks, AppCaller(transports.transport, checks), transports.close, transports.program)


def lists_app_tools(project: Project) -> bool:
    """Whether the setting `app_tools` is on; app tools are then listed right away."""
    return project.settings_of(AppsSettings).app_tools


def app_tools(project: Project) -> AppTools | None:
    """Each tool of each app as a tool of its own, if the setting `app_tools` is on."""
    if not project.settings_of(AppsSettings).app_tools:
        return None
    from handrail.features.apps.app_tools import AppTools

    apps: Apps = project.part("apps")
    return AppTools(apps.catalogue)


@asynccontextmanager
async def open_app_caller(stores: Stores) -> AsyncIterator[AppCaller]:
    """Uses the sign-ins of a state directory. Ends everything that it started."""
    transports = Transports(open_credentials(stores))
    try:
        yield AppCaller(transports.transport, SchemaChecks())
    finally:
        await transports.close()


def checks(context: CheckContext) -> Iterator[Check]:
    """The apps' part of `handrail doctor`: how many there are, and problems of their descriptors."""
    catalogue = Catalogue(*default_folders(Path.home()))
    problems, count = catalogue.problems(), len(catalogue.apps())
    if not problems:
        yield Check("apps", True, f"{count} found", required=False)
        return
    reasons = "; ".join(map(str, problems[:_MAX_PROBLEMS]))
    more = f"; and {len(problems) - _MAX_PROBLEMS} more" if len(problems) > _MAX_PROBLEMS else ""
    fix = "`handrail apps check FILE` reports every problem of a descriptor."
    yield Check("apps", False, f"{count} found. {reasons}{more}", fix, required=False)
