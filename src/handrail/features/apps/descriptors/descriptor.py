"""Reads a descriptor's text into the model, or lists every problem with its field.

Knows no folder: the catalogue checks whether an id fits its folder.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec

from handrail.features.apps.calls.checks import SchemaWeight
from handrail.features.apps.descriptors.connection import read_auth, read_execution
from handrail.features.apps.descriptors.parts import (
    Findings,
    Text,
    are_tool_names,
    folded_descriptor,
    in_words,
    is_app_id,
    is_tool_name,
    spelled_twice,
    timeout_ms,
)
from handrail.features.apps.descriptors.templates import unknown_names
from handrail.features.apps.model import (
    App,
    AppTool,
    BrokenDescriptor,
    Example,
    HttpRoute,
    ListedApp,
    ListedTool,
    Method,
    Problem,
)
from handrail.kernel import strict_json
from handrail.kernel.json_schema import Validator
from handrail.ports.errors import InvalidParams

_FETCHED = "is not present in a registry"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Some editors put it first."""


def wrong_schema(schema: Mapping[str, Any], weight: SchemaWeight) -> tuple[tuple[str, ...], str] | None:
    """Where and why a schema is invalid or can't be used; None if it is fine."""
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
        found.add(f"{field}.name", f"{part.name[:100]!r} isn't a valid name of a tool, such as send_email")
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


MAX_BYTES = 4 * 1024 * 1024
_MAX_TOOLS = 2_000
_MAJORS = ("1", "2")


class _AppPart(msgspec.Struct, kw_only=True):
    id: str
    name: Text
    description: Text
    version: str | None = None
    default_lang: str | None = None


class _ListedPart(msgspec.Struct):
    """The members that a list needs, in the usual spelling; all others are skipped."""

    app: _AppPart
    tools: tuple[ListedTool, ...]


_LISTED = msgspec.json.Decoder(_ListedPart)


def listed(text: bytes, source: str) -> ListedApp:
    """What a list shows, read as cheaply as possible. BrokenDescriptor for mistakes that are seen already here."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    try:
        part = _LISTED.decode(text)
    except (msgspec.DecodeError, RecursionError):
        app = read(text, source)  # another spelling, or a mistake that has to be told
        tools = tuple(ListedTool(tool.name, tool.description) for tool in app.tools)
        return ListedApp(app.id, app.name, app.description, tools, source)
    head = part.app
    if not is_app_id(head.id) or not are_tool_names([tool.name for tool in part.tools]):
        read(text, source)
    name, description = in_words(head.name, head.default_lang), in_words(head.description, head.default_lang)
    return ListedApp(head.id, name, description, part.tools, source)


def read(text: bytes, source: str, *, platform: str = sys.platform) -> App:
    """BrokenDescriptor, with every problem in its details."""
    found = Findings(source)
    app = _read(text.removeprefix(_BYTE_ORDER_MARK), found, platform)
    if found.problems or app is None:
        raise broken(found.problems)
    return app


def broken(problems: list[Problem]) -> BrokenDescriptor:
    shown = [{"file": each.source, "field": each.field, "reason": each.reason} for each in problems]
    return BrokenDescriptor("; ".join(map(str, problems[:5])), problems=shown)


def problems_of(failure: BrokenDescriptor) -> list[Problem]:
    return [Problem(each["file"], each["field"], each["reason"]) for each in failure.details["problems"]]


def _read(text: bytes, found: Findings, platform: str) -> App | None:
    try:
        root = strict_json.decode(text, max_bytes=MAX_BYTES)
    except InvalidParams as wrong:
        found.add("", wrong.message)
        return None
    if not isinstance(root, dict):
        found.add("", "a descriptor is a JSON object")
        return None
    root = folded_descriptor(root)
    for field in spelled_twice(root):
        found.add(field, "stands in two spellings that say different things")
    _check_version(root, found)
    part = found.converted(root.get("app"), _AppPart, "app")
    if part is None:
        return None
    if not is_app_id(part.id):
        found.add("app.id", f"{part.id[:100]!r} isn't an app id, such as com.example.mail")
    name, description = in_words(part.name, part.default_lang), in_words(part.description, part.default_lang)
    for field, words in (("app.name", name), ("app.description", description)):
        if not words.strip():
            found.add(field, "is empty")
    execution = read_execution(root.get("execution", {"type": "ipc"}), part.id, found, platform)
    auth = read_auth(root.get("auth"), found)
    tools = tuple(_tools(root.get("tools"), found))
    if execution is None or found.problems:
        return None
    return App(
        id=part.id,
        name=name,
        description=description,
        version=part.version,
        execution=execution.kind,
        timeout_ms=execution.timeout_ms,
        max_concurrent=execution.max_concurrent,
        tools=tools,
        auth=auth,
        source=found.source,
    )


def _check_version(root: dict[str, Any], found: Findings) -> None:
    version = root.get("schema_version")
    if not isinstance(version, str):
        found.add("schema_version", "is missing" if version is None else "must be a string, such as 1.0")
    elif version.partition(".")[0] not in _MAJORS:
        found.add("schema_version", f"is {version[:20]!r}; known are 1.x and 2.x")


def _tools(raw: Any, found: Findings) -> Iterator[AppTool]:
    if not isinstance(raw, list) or not 0 < len(raw) <= _MAX_TOOLS:
        found.add("tools", f"must be a list of 1 to {_MAX_TOOLS} tools")
        return
    seen: set[str] = set()
    for number, item in enumerate(raw):
        tool = read_tool(item, f"tools[{number}]", found)
        if tool is None:
            continue
        if tool.name in seen:
            found.add(f"tools[{number}].name", f"{tool.name!r} appears twice")
        seen.add(tool.name)
        yield tool
