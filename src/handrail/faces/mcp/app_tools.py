"""Each tool of each app as an MCP tool of its own, for clients of people who want that: another spelling of apps_call.

A name has at most 64 characters: of a longer one the beginning and a digest.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from handrail.faces.mcp.listing import for_clients
from handrail.features.apps.model import App, AppCatalogue, AppTool
from handrail.ports.errors import Failure

_LONGEST = 64
_DIGITS = 8


class AppTools:
    def __init__(self, catalogue: AppCatalogue) -> None:
        self._catalogue = catalogue
        self._shortened: dict[str, tuple[str, str]] = {}

    def listed(self) -> list[dict[str, Any]]:
        return [_listed(app, tool, self._name(app.id, tool.name)) for app in self._apps() for tool in app.tools]

    def translated(self, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Parameters of apps_call; None where the name is none of an app's tool."""
        app, _, tool = name.rpartition("-")
        if len(name) == _LONGEST:
            if name not in self._shortened:
                self.listed()  # a client may know it from before our start
            app, tool = self._shortened.get(name, (app, tool))
        return {"app": app.replace("-", "."), "tool": tool, "params": arguments} if app else None

    def has_schema(self, app: str, tool: str) -> bool:
        try:
            found = self._catalogue.find(app).tool(tool)
        except Failure:
            return False
        return found is not None and _has_structure(found)

    def _apps(self) -> Iterator[App]:
        for listed in self._catalogue.apps():
            try:
                yield self._catalogue.find(listed.id)
            except Failure:
                continue  # a closer look has shown that it is broken: then it is hidden, as everywhere

    def _name(self, app: str, tool: str) -> str:
        """An id has no hyphen, so the last one tells where the tool begins; no tool of ours has any."""
        name = f"{app.replace('.', '-')}-{tool}"
        if len(name) > _LONGEST:
            name = f"{name[: _LONGEST - _DIGITS - 1]}_{sha256(name.encode()).hexdigest()[:_DIGITS]}"
            self._shortened[name] = app, tool
        return name


def _listed(app: App, tool: AppTool, name: str) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": name,
        "title": f"{app.name}: {tool.name}",
        "description": tool.description,
        "inputSchema": for_clients({**tool.parameters, "type": "object"}),
        "annotations": {"idempotentHint": tool.is_idempotent, "openWorldHint": True},
    }
    if _has_structure(tool):
        assert tool.returns is not None
        shown["outputSchema"] = for_clients(tool.returns)
    return shown


def _has_structure(tool: AppTool) -> bool:
    """MCP takes results of objects alone, and of schemas whose root says so."""
    return tool.returns is not None and tool.returns.get("type") == "object"
