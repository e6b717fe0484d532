"""Offers each tool of each app as a tool of its own: another way to call apps_call."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from handrail.features.apps.backends.catalogue import Catalogue
from handrail.features.apps.dialect import DIALECT
from handrail.features.apps.model import App, AppTool
from handrail.features.apps.tools import apps_call
from handrail.kernel.tool import ResourceKind, Surface, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Failure

_LONGEST_NAME = 64
_DIGEST_DIGITS = 8
_CALL_TOOL = apps_call.TOOL.name


class AppTools:
    """`DynamicTools`. Descriptors are read on every access, so there are no changes to announce."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._shortened: dict[str, tuple[str, str]] = {}
        self.surface = Surface("apps", DIALECT, None, ())

    def tools(self) -> Sequence[Tool[Any, Any]]:
        return [_as_tool(app, tool, self._name(app.id, tool.name)) for app in self._apps() for tool in app.tools]

    def prompts(self) -> Sequence[Tool[Any, Any]]:
        return ()

    def resources(self) -> Sequence[ResourceKind]:
        return ()

    def find(self, name: str) -> Tool[Any, Any] | None:
        """Also finds tools of an app that is gone; apps_call then reports that."""
        app, _, tool = name.rpartition("-")
        if len(name) == _LONGEST_NAME:
            if name not in self._shortened:
                self.tools()  # a client may know the name from before our start
            app, tool = self._shortened.get(name, (app, tool))
        app = app.replace("-", ".")
        if not app:
            return None
        try:
            declared_app = self._catalogue.find(app)
        except Failure:
            return _as_missing_tool(app, tool, name)
        app_tool = declared_app.tool(tool)
        return _as_missing_tool(app, tool, name) if app_tool is None else _as_tool(declared_app, app_tool, name)

    def on_change(self, changed: Callable[[], None]) -> None:
        """Changes are never announced."""

    def _apps(self) -> Iterator[App]:
        for listed in self._catalogue.apps():
            try:
                yield self._catalogue.find(listed.id)
            except Failure:
                continue  # broken, which a full check has just shown, so hidden here too

    def _name(self, app: str, tool: str) -> str:
        """App ids have no hyphen, so a tool's name starts after the last one. Names that are too long get a digest."""
        name = f"{app.replace('.', '-')}-{tool}"
        if len(name) > _LONGEST_NAME:
            digest = sha256(name.encode()).hexdigest()[:_DIGEST_DIGITS]
            name = f"{name[: _LONGEST_NAME - _DIGEST_DIGITS - 1]}_{digest}"
            self._shortened[name] = app, tool
        return name


def _as_tool(app: App, tool: AppTool, name: str) -> Tool[Any, Any]:
    return Tool(
        name=name,
        title=f"{app.name}: {tool.name}",
        params=apps_call.Params,
        input_schema={**tool.parameters, "type": "object"},
        output_schema=tool.returns if _has_object_result(tool) else None,
        run=apps_call.apps_call,
        effect=Effect.EXECUTE,
        is_idempotent=tool.is_idempotent,
        words=tool.description,
        forwards_to=partial(_as_apps_call, app.id, tool.name),
    )


def _as_missing_tool(app: str, tool: str, name: str) -> Tool[Any, Any]:
    return Tool(name, name, apps_call.Params, {}, apps_call.apps_call, forwards_to=partial(_as_apps_call, app, tool))


def _as_apps_call(app: str, tool: str, port: Any, arguments: Any) -> tuple[str, Any]:
    return _CALL_TOOL, {"app": app, "tool": tool, "params": arguments}


def _has_object_result(tool: AppTool) -> bool:
    """MCP accepts only output schemas whose root is an object."""
    return tool.returns is not None and tool.returns.get("type") == "object"
