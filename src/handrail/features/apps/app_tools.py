"""Each tool of each app as a tool of its own, for MCP clients: another way to call apps_call. (Setting `app_tools`.)"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from handrail.features.apps.backends.catalogue import Catalogue
from handrail.features.apps.model import App, AppTool
from handrail.ports.errors import Failure

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
