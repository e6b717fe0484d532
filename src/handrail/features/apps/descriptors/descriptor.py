"""Reads a descriptor's text into the model, or lists every problem with its field.

Independent of folders: the catalogue checks whether an id matches its folder.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec

from handrail.features.apps.calls.checks import SchemaWeight
from handrail.features.apps.descriptors.connection import read_auth, read_execution
from handrail.features.apps.descriptors.parts import (
    ProblemReport,
    Text,
    are_tool_names,
    conflicting_names,
    fold_descriptor,
    is_app_id,
    is_tool_name,
    localized,
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
from handrail.ports.unreadable_json import UNREADABLE_JSON

_NOT_IN_REGISTRY = "is not present in a registry"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Some editors write it at the start."""


def schema_problem(schema: Mapping[str, Any], weight: SchemaWeight) -> tuple[tuple[str, ...], str] | None:
    """Where and why a schema is invalid or can't be used; None if it is fine."""
    import jsonschema_rs  # takes 40 ms, and listing apps doesn't need it

    if (reason := weight.refusal_reason(schema)) is not None:
        return (), reason
    try:
        Validator(schema)
    except jsonschema_rs.ValidationError as error:
        if _NOT_IN_REGISTRY in error.message:
            return (), "refers to a schema outside of the descriptor, which is never fetched"
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


def read_tool(raw: Any, field: str, report: ProblemReport) -> AppTool | None:
    part = report.convert(raw, _ToolPart, field)
    if part is None:
        return None
    if not is_tool_name(part.name):
        report.add(f"{field}.name", f"{part.name[:100]!r} isn't a valid tool name, such as send_email")
    if not part.description.strip():
        report.add(f"{field}.description", "is empty")
    _check_schemas(part, field, report)
    route, timeout = part.execution or _RoutePart(), part.timeout
    return AppTool(
        name=part.name,
        description=part.description,
        parameters=part.parameters,
        returns=part.returns,
        route=None if route.path is None else _route(route, route.path, part.parameters, field, report),
        is_idempotent=part.idempotent,
        timeout_ms=timeout_ms(timeout if timeout is not None else route.timeout, f"{field}.timeout", report),
        examples=part.examples,
    )


def _check_schemas(part: _ToolPart, field: str, report: ProblemReport) -> None:
    if part.parameters.get("type", "object") != "object":
        report.add(f"{field}.parameters.type", "must be object: parameters have names")
    for name, schema in (("parameters", part.parameters), ("returns", part.returns)):
        if schema is not None and (problem := schema_problem(schema, report.weight)) is not None:
            place, reason = problem
            report.add(".".join((f"{field}.{name}", *place)), reason)


def _route(part: _RoutePart, path: str, parameters: dict[str, Any], field: str, report: ProblemReport) -> HttpRoute:
    field += ".execution"
    method = part.method.upper()
    if method not in _METHODS:
        report.add(f"{field}.method", f"{part.method[:20]!r} is none of {', '.join(_METHODS)}")
    if "://" in path.partition("?")[0] or path.startswith("//"):
        report.add(f"{field}.path", "must be a path below base_url, not an address")
    report.check_headers(f"{field}.headers", part.headers)
    templates: dict[str, Any] = {"path": path, "headers": part.headers}
    if part.body_template is not msgspec.UNSET:
        templates["body_template"] = part.body_template
    for name, template in templates.items():
        for missing in unknown_names(template, parameters):
            report.add(f"{field}.{name}", f"${{{missing}}} isn't one of the parameters")
    valid_method = _METHODS.get(method, "POST")
    return HttpRoute(path=path, method=valid_method, headers=part.headers, body_template=part.body_template)


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
    """The members that a list needs, in their usual form; all others are skipped."""

    app: _AppPart
    tools: tuple[ListedTool, ...]


_LISTED = msgspec.json.Decoder(_ListedPart)


def read_listing(text: bytes, source: str) -> ListedApp:
    """Reads what a list shows, as cheaply as possible. BrokenDescriptor for problems that are visible already here."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    try:
        part = _LISTED.decode(text)
    except UNREADABLE_JSON:
        app = read(text, source)  # unusual names of members, or a problem that must be reported
        tools = tuple(ListedTool(tool.name, tool.description) for tool in app.tools)
        return ListedApp(app.id, app.name, app.description, tools, source)
    head = part.app
    if not is_app_id(head.id) or not are_tool_names([tool.name for tool in part.tools]):
        read(text, source)
    name, description = localized(head.name, head.default_lang), localized(head.description, head.default_lang)
    return ListedApp(head.id, name, description, part.tools, source)


def read(text: bytes, source: str, *, platform: str = sys.platform) -> App:
    """BrokenDescriptor, with every problem in its details."""
    report = ProblemReport(source)
    app = _read(text.removeprefix(_BYTE_ORDER_MARK), report, platform)
    if report.problems or app is None:
        raise broken(report.problems)
    return app


def broken(problems: list[Problem]) -> BrokenDescriptor:
    details = [{"file": each.source, "field": each.field, "reason": each.reason} for each in problems]
    return BrokenDescriptor("; ".join(map(str, problems[:5])), problems=details)


def problems_of(failure: BrokenDescriptor) -> list[Problem]:
    return [Problem(each["file"], each["field"], each["reason"]) for each in failure.details["problems"]]


def _read(text: bytes, report: ProblemReport, platform: str) -> App | None:
    try:
        root = strict_json.decode(text, max_bytes=MAX_BYTES)
    except InvalidParams as failure:
        report.add("", failure.message)
        return None
    if not isinstance(root, dict):
        report.add("", "a descriptor must be a JSON object")
        return None
    root = fold_descriptor(root)
    for field in conflicting_names(root):
        report.add(field, "appears in two forms with different values")
    _check_version(root, report)
    part = report.convert(root.get("app"), _AppPart, "app")
    if part is None:
        return None
    if not is_app_id(part.id):
        report.add("app.id", f"{part.id[:100]!r} isn't an app id, such as com.example.mail")
    name, description = localized(part.name, part.default_lang), localized(part.description, part.default_lang)
    for field, value in (("app.name", name), ("app.description", description)):
        if not value.strip():
            report.add(field, "is empty")
    execution = read_execution(root.get("execution", {"type": "ipc"}), part.id, report, platform)
    auth = read_auth(root.get("auth"), report)
    tools = tuple(_tools(root.get("tools"), report))
    if execution is None or report.problems:
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
        source=report.source,
    )


def _check_version(root: dict[str, Any], report: ProblemReport) -> None:
    version = root.get("schema_version")
    if not isinstance(version, str):
        report.add("schema_version", "is missing" if version is None else "must be a string, such as 1.0")
    elif version.partition(".")[0] not in _MAJORS:
        report.add("schema_version", f"is {version[:20]!r}; supported are 1.x and 2.x")


def _tools(raw: Any, report: ProblemReport) -> Iterator[AppTool]:
    if not isinstance(raw, list) or not 0 < len(raw) <= _MAX_TOOLS:
        report.add("tools", f"must be a list of 1 to {_MAX_TOOLS} tools")
        return
    names: set[str] = set()
    for number, item in enumerate(raw):
        tool = read_tool(item, f"tools[{number}]", report)
        if tool is None:
            continue
        if tool.name in names:
            report.add(f"tools[{number}].name", f"{tool.name!r} appears twice")
        names.add(tool.name)
        yield tool
