"""Opens the apps for a project, connects to an app with its first call, and checks descriptors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.features.apps.apps import Apps
from handrail.features.apps.backends.catalogue import Catalogue, usual_places
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import Checks
from handrail.features.apps.model import (
    App,
    AppleEventsExecution,
    AppTool,
    DBusExecution,
    HttpExecution,
    StdioExecution,
)
from handrail.features.apps.settings import AppsSettings
from handrail.features.apps.sign_ins import credentials_in
from handrail.kernel.checks import Check, CheckContext
from handrail.kernel.web_address import place_of_page
from handrail.ports.errors import Failure
from handrail.ports.waiting import settled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

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
        """What answers for the app: `ConsentTo.program`."""
        match app.execution:
            case StdioExecution() as started:
                from handrail.features.apps.backends.stdio import program_of

                return await settled(lambda: program_of(app, started))
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


def offered_tools(project: Project) -> AppTools | None:
    """If the setting `app_tools` is on: each tool of each app as a tool of its own."""
    is_on = any(entry.surface.name == "apps" for entry in project.registry)
    apps: Apps = project.part("apps")
    return AppTools(apps.catalogue) if project.settings_of(AppsSettings).app_tools and is_on else None


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


_LONGEST_NAME = 64
_DIGEST_DIGITS = 8


class AppTools:
    calls = "apps_call"

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._shortened: dict[str, tuple[str, str]] = {}

    def listed(self) -> list[dict[str, Any]]:
        return [
            _listed_app_tool(app, tool, self._name(app.id, tool.name)) for app in self._apps() for tool in app.tools
        ]

    def translated(self, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Parameters of apps_call, or None if the name isn't that of an app's tool."""
        app, _, tool = name.rpartition("-")
        if len(name) == _LONGEST_NAME:
            if name not in self._shortened:
                self.listed()  # a client may know it from before our start
            app, tool = self._shortened.get(name, (app, tool))
        return {"app": app.replace("-", "."), "tool": tool, "params": arguments} if app else None

    def has_schema(self, params: dict[str, Any]) -> bool:
        try:
            its = self._catalogue.find(params["app"]).tool(params["tool"])
        except Failure:
            return False
        return its is not None and _has_object_result(its)

    def _apps(self) -> Iterator[App]:
        for known in self._catalogue.apps():
            try:
                yield self._catalogue.find(known.id)
            except Failure:
                continue  # broken, as a closer look has shown: hidden, as everywhere

    def _name(self, app: str, tool: str) -> str:
        """An id has no hyphen, so the tool begins after the last one. A name that is too long ends in a digest."""
        name = f"{app.replace('.', '-')}-{tool}"
        if len(name) > _LONGEST_NAME:
            digest = sha256(name.encode()).hexdigest()[:_DIGEST_DIGITS]
            name = f"{name[: _LONGEST_NAME - _DIGEST_DIGITS - 1]}_{digest}"
            self._shortened[name] = app, tool
        return name


def _listed_app_tool(app: App, tool: AppTool, name: str) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": name,
        "title": f"{app.name}: {tool.name}",
        "description": tool.description,
        "inputSchema": {**tool.parameters, "type": "object"},
        "annotations": {"idempotentHint": tool.is_idempotent, "openWorldHint": True},
    }
    if tool.returns is not None and _has_object_result(tool):
        shown["outputSchema"] = tool.returns
    return shown


def _has_object_result(tool: AppTool) -> bool:
    """MCP takes only results whose schema's root is an object."""
    return tool.returns is not None and tool.returns.get("type") == "object"
