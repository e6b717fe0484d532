"""Declares a tool of the desktop: its name follows from the method, its schemas from its types."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.conditions import ElementNotFound, ModalBlocking
from handrail.features.desktop.messages import DesktopParams, without_none
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import (
    Aborted,
    BadAnswer,
    Declined,
    Disabled,
    InvalidParams,
    NotFound,
    Offline,
    PermissionMissing,
    Timeout,
)

ParamsT = TypeVar("ParamsT", bound=DesktopParams)
Run = Callable[[Desktop, Call, ParamsT, Preview | None], Awaitable[Any]]
Plan = Callable[[Desktop, Call, ParamsT], Awaitable[Preview]]
Locate = Callable[[Desktop, Call, ParamsT], Awaitable[Target]]

_READING = (InvalidParams, Declined, Disabled, Offline, PermissionMissing, Timeout, Aborted, BadAnswer)
# What else desktop_find tells of an element may come back with it, and says nothing.
_ELEMENT_REF = {
    "type": "object",
    "properties": {"elementId": {"type": "string"}},
}
_WHOLE_ROUTE = {"type": "object", "description": "{app: {name, pid}, window: {titlePattern, id}, focusPolicy}"}
_ROUTE = {"type": "object"}
_FIRST = "desktop_observe"
"""Where a route is explained, which is the same everywhere."""
_SELECTOR = {"type": "object", "description": "As in desktop_find"}
# Every tool has them. What more they may hold, desktop_find and the docs tell, and the types check.
_RECT = {"type": "object", "description": "{x, y, width, height}"}
_SHORT = {
    "elementRef": _ELEMENT_REF,
    "route": _ROUTE,
    "selectorExists": _SELECTOR,
    "selectorGone": _SELECTOR,
    "byRect": _RECT,
    "rect": _RECT,
    "anchor": {"type": "object", "description": "{byRole, titleContains, valueContains}"},
}
_SHORT_IN_TARGETS = {**_SHORT, "selector": _SELECTOR}
_BOUNDS = frozenset({"minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "additionalProperties"})
_SAYING_NOTHING: tuple[tuple[str, Any], ...] = (("default", None), ("default", False), ("required", []))
_LOOKING = (*_READING, NotFound, ElementNotFound)


def desktop_tool(
    run: Run[ParamsT],
    params: type[ParamsT],
    result: type[msgspec.Struct],
    title: str,
    *,
    effect: Effect = Effect.READ,
    deadline_ms: int = 30_000,
    preview: Plan[ParamsT] | None = None,
    locate: Locate[ParamsT] | None = None,
) -> Tool[Desktop, ParamsT]:
    short = _SHORT if "selector" in params.__struct_fields__ else _SHORT_IN_TARGETS
    if getattr(run, "__name__", "") == _FIRST:
        short = {**short, "route": _WHOLE_ROUTE}
    is_about_elements = "route" in params.__struct_fields__
    return Tool(
        name=getattr(run, "__name__", ""),
        title=title,
        params=params,
        input_schema=_brief(schema_of(params), short),
        output_schema=schema_of(result),
        run=run,
        effect=effect,
        errors=(*(_LOOKING if is_about_elements else _READING), *([ModalBlocking] if effect.changes else [])),
        deadline_ms=deadline_ms,
        has_own_timeouts=True,
        is_idempotent=effect is Effect.READ,
        preview=preview,
        locate=locate,
        normalize=without_none,
    )


def method_of(tool: str) -> str:
    """`desktop_type_text` → `desktop.typeText`"""
    surface, first, *rest = tool.split("_")
    return f"{surface}.{first}{''.join(word.capitalize() for word in rest)}"


def _brief(schema: Any, short: dict[str, Any]) -> Any:
    """Shortens a schema for models: optional members need no `null`, and bounds are checked by the types."""
    if isinstance(schema, list):
        return [_brief(item, short) for item in schema]
    if not isinstance(schema, dict):
        return schema
    told: dict[str, Any] = {
        name: short[name] if name in short and isinstance(value, dict) else _brief(value, short)
        for name, value in schema.items()
        if name not in _BOUNDS and (name, value) not in _SAYING_NOTHING
    }
    choices = [choice for choice in told.pop("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        return {**told, **choices[0]}
    if None in told.get("enum", ()):
        told["enum"] = [value for value in told["enum"] if value is not None]
    return {**told, "anyOf": choices} if choices else told
