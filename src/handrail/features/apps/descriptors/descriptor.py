"""A descriptor's text read into the one model, or every reason why not, each with its field.

Knows no folder: whether an id fits the place where its descriptor lies is the catalogue's matter.
"""

import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from handrail.features.apps.descriptors.connection import read_auth, read_execution
from handrail.features.apps.descriptors.parts import Findings, Text, are_tool_names, in_words, is_app_id
from handrail.features.apps.descriptors.spelling import folded_descriptor, spelled_twice
from handrail.features.apps.descriptors.tool_part import read_tool
from handrail.features.apps.model import App, AppTool, BrokenDescriptor, ListedApp, ListedTool, Problem
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams

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
    """What a list needs of the usual spelling; everything else is skipped unread."""

    app: _AppPart
    tools: tuple[ListedTool, ...]


_LISTED = msgspec.json.Decoder(_ListedPart)


def listed(text: bytes, source: str) -> ListedApp:
    """What a list shows, as cheaply as can be told. BrokenDescriptor for what stands out already here."""
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
    app = _read(text, found, platform)
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
        found.add("app.id", f"{part.id[:100]!r} is no app id, such as com.example.mail")
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
            found.add(f"tools[{number}].name", f"{tool.name!r} stands twice")
        seen.add(tool.name)
        yield tool
