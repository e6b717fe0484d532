"""One of a descriptor's `tools`: its schemas and, for an HTTP app, its route."""

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from handrail.features.apps.calls.checks import SchemaWeight
from handrail.features.apps.descriptors.parts import Findings, is_tool_name, timeout_ms
from handrail.features.apps.descriptors.templates import unknown_names
from handrail.features.apps.model import AppTool, Example, HttpRoute, Method
from handrail.kernel.json_schema import Validator

_FETCHED = "is not present in a registry"


def wrong_schema(schema: Mapping[str, Any], weight: SchemaWeight) -> tuple[tuple[str, ...], str] | None:
    """Where and why a schema is none, or none to be used; None where all is well."""
    import jsonschema_rs  # 40 ms, and a list of apps needs none of it

    if (reason := weight.too_heavy(schema)) is not None:
        return (), reason
    try:
        Validator(schema)
    except jsonschema_rs.ValidationError as error:
        if _FETCHED in error.message:
            return (), "refers to a schema outside of the descriptor, and nothing is fetched"
        return tuple(str(step) for step in error.instance_path), error.message[:300]
    except (jsonschema_rs.ReferencingError, ValueError) as error:
        return (), str(error).partition("\n")[0][:300]
    return None


_METHODS: dict[str, Method] = {name: name for name in get_args(Method)}


class _RoutePart(msgspec.Struct, kw_only=True):
    path: str | None = None
    method: str = "POST"
    headers: dict[str, str] = {}
    body_template: Any = msgspec.UNSET
    timeout: float | None = None


class _ToolPart(msgspec.Struct, kw_only=True):
    name: str
    description: str
    parameters: dict[str, Any]
    returns: dict[str, Any] | None = None
    execution: _RoutePart | None = None
    idempotent: bool = False
    timeout: float | None = None
    examples: tuple[Example, ...] = ()


def read_tool(raw: Any, field: str, found: Findings) -> AppTool | None:
    part = found.converted(raw, _ToolPart, field)
    if part is None:
        return None
    if not is_tool_name(part.name):
        found.add(f"{field}.name", f"{part.name[:100]!r} is no name of a tool, such as send_email")
    if not part.description.strip():
        found.add(f"{field}.description", "is empty")
    _check_schemas(part, field, found)
    route, timeout = part.execution or _RoutePart(), part.timeout
    return AppTool(
        name=part.name,
        description=part.description,
        parameters=part.parameters,
        returns=part.returns,
        route=None if route.path is None else _route(route, route.path, part.parameters, field, found),
        is_idempotent=part.idempotent,
        timeout_ms=timeout_ms(timeout if timeout is not None else route.timeout, f"{field}.timeout", found),
        examples=part.examples,
    )


def _check_schemas(part: _ToolPart, field: str, found: Findings) -> None:
    if part.parameters.get("type", "object") != "object":
        found.add(f"{field}.parameters.type", "must be object: parameters have names")
    for name, schema in (("parameters", part.parameters), ("returns", part.returns)):
        if schema is not None and (wrong := wrong_schema(schema, found.weight)) is not None:
            place, reason = wrong
            found.add(".".join((f"{field}.{name}", *place)), reason)


def _route(part: _RoutePart, path: str, parameters: dict[str, Any], field: str, found: Findings) -> HttpRoute:
    field += ".execution"
    method = part.method.upper()
    if method not in _METHODS:
        found.add(f"{field}.method", f"{part.method[:20]!r} is none of {', '.join(_METHODS)}")
    if "://" in path.partition("?")[0] or path.startswith("//"):
        found.add(f"{field}.path", "must be a path below base_url, not an address")
    found.check_headers(f"{field}.headers", part.headers)
    templates: dict[str, Any] = {"path": path, "headers": part.headers}
    if part.body_template is not msgspec.UNSET:
        templates["body_template"] = part.body_template
    for name, template in templates.items():
        for missing in unknown_names(template, parameters):
            found.add(f"{field}.{name}", f"${{{missing}}} is not among the parameters")
    known = _METHODS.get(method, "POST")
    return HttpRoute(path=path, method=known, headers=part.headers, body_template=part.body_template)
