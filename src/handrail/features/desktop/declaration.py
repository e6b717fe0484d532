"""Declares desktop tools: the name comes from the function, the schemas from the parameter and result types."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.conditions import ElementNotFound, ModalBlocking
from handrail.features.desktop.host.params import Params
from handrail.features.desktop.messages import without_none
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

ParamsT = TypeVar("ParamsT", bound=Params)
Run = Callable[[Desktop, Call, ParamsT, Preview | None], Awaitable[Any]]
Plan = Callable[[Desktop, Call, ParamsT], Awaitable[Preview]]
Locate = Callable[[Desktop, Call, ParamsT], Awaitable[Target]]

_ERRORS = (InvalidParams, Declined, Disabled, Offline, PermissionMissing, Timeout, Aborted, BadAnswer)
# An element may come back with everything else that desktop_find returned; only the id matters to a model.
_ELEMENT_REF = {
    "type": "object",
    "properties": {"elementId": {"type": "string"}},
}
_ROUTE_WITH_MEMBERS = {"type": "object", "description": "{app: {name, pid}, window: {titlePattern, id}, focusPolicy}"}
_ROUTE = {"type": "object"}
_EXPLAINS_ROUTES = "desktop_observe"
"""The tool whose schema lists the members of a route; they are the same for every tool."""
_SELECTOR = {"type": "object", "description": "As in desktop_find"}
# Most tools have these members. desktop_find and the docs describe them in full, and the types check them.
_RECT = {"type": "object", "description": "{x, y, width, height}"}
_ABBREVIATIONS = {
    "elementRef": _ELEMENT_REF,
    "route": _ROUTE,
    "selectorExists": _SELECTOR,
    "selectorGone": _SELECTOR,
    "byRect": _RECT,
    "rect": _RECT,
    "anchor": {"type": "object", "description": "{byRole, titleContains, valueContains}"},
}
_ABBREVIATIONS_IN_TARGETS = {**_ABBREVIATIONS, "selector": _SELECTOR}
_BOUNDS = frozenset({"minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "additionalProperties"})
_EMPTY_KEYWORDS: tuple[tuple[str, Any], ...] = (("default", None), ("default", False), ("required", []))
_ELEMENT_ERRORS = (*_ERRORS, NotFound, ElementNotFound)


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
    abbreviations = _ABBREVIATIONS if "selector" in params.__struct_fields__ else _ABBREVIATIONS_IN_TARGETS
    if getattr(run, "__name__", "") == _EXPLAINS_ROUTES:
        abbreviations = {**abbreviations, "route": _ROUTE_WITH_MEMBERS}
    has_route = "route" in params.__struct_fields__
    return Tool(
        name=getattr(run, "__name__", ""),
        title=title,
        params=params,
        input_schema=_shorten(schema_of(params), abbreviations),
        output_schema=schema_of(result),
        run=run,
        effect=effect,
        errors=(*(_ELEMENT_ERRORS if has_route else _ERRORS), *([ModalBlocking] if effect.changes else [])),
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


def _shorten(schema: Any, abbreviations: dict[str, Any]) -> Any:
    """Shortens a schema for models: optional members need no `null`, and the types check bounds anyway."""
    if isinstance(schema, list):
        return [_shorten(item, abbreviations) for item in schema]
    if not isinstance(schema, dict):
        return schema
    members: dict[str, Any] = {
        name: abbreviations[name]
        if name in abbreviations and isinstance(value, dict)
        else _shorten(value, abbreviations)
        for name, value in schema.items()
        if name not in _BOUNDS and (name, value) not in _EMPTY_KEYWORDS
    }
    choices = [choice for choice in members.pop("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        return {**members, **choices[0]}
    if None in members.get("enum", ()):
        members["enum"] = [value for value in members["enum"] if value is not None]
    return {**members, "anyOf": choices} if choices else members
