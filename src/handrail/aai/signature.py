"""Derives JSON Schema and descriptions from a function's types and docstring."""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

_PREFIX = "#/$defs/"
_PYTHONS_OWN = re.compile(r"(?<!\\)(?:\\\\)*\\[AZ]|\(\?P")


def schema_of(type: Any) -> dict[str, Any]:
    """Named types are inlined; only a recursive one stays in `$defs`."""
    (top,), parts = msgspec.json.schema_components([type], ref_template=f"{_PREFIX}{{name}}")
    endless = {name for name in parts if name in _reached(name, parts)}
    schema: dict[str, Any] = _inlined(top, parts, endless, is_top=True)
    _check_patterns([schema, *parts.values()])
    kept = sorted(endless & _mentioned(top, parts))
    if kept:
        schema["$defs"] = {name: _inlined(parts[name], parts, endless) for name in kept}
    return schema


def _inlined(schema: Any, parts: Mapping[str, Any], endless: set[str], *, is_top: bool = False) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, parts, endless) for item in schema]
    if not isinstance(schema, dict):
        return schema
    name = _named(schema)
    if name is not None and name not in endless:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        part = {key: value for key, value in parts[name].items() if key != "title"}  # a Python class's name
        return {**_inlined(part, parts, endless), **beside}
    if name is not None and is_top:
        return {**_inlined(parts[name], parts, endless)}
    return {key: _inlined(value, parts, endless) for key, value in schema.items()}


def _check_patterns(schemas: list[Any]) -> None:
    """Raises ValueError for patterns that only Python supports; gateways in other languages would refuse them."""
    pending = list(schemas)
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pattern = item.get("pattern")
            if isinstance(pattern, str) and _PYTHONS_OWN.search(pattern):
                raise ValueError(
                    f"the pattern {pattern!r} is Python's own; JSON Schema has ^ and $(?!\\n) for \\A and \\Z"
                )
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)


def _named(schema: Mapping[str, Any]) -> str | None:
    reference = schema.get("$ref")
    return reference.removeprefix(_PREFIX) if isinstance(reference, str) else None


def _reached(name: str, parts: Mapping[str, Any]) -> set[str]:
    """The types that this one mentions, directly or through others."""
    return _mentioned(parts[name], parts)


def _mentioned(schema: Any, parts: Mapping[str, Any]) -> set[str]:
    names: set[str] = set()
    pending = [schema]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, dict):
            name = _named(item)
            if name is not None and name not in names:
                names.add(name)
                pending.append(parts[name])
            pending.extend(item.values())
    return names


_SECTIONS = ("args", "arguments", "parameters", "returns", "return", "raises", "yields", "example", "examples", "note")
_SECTION = re.compile(rf"({'|'.join(_SECTIONS)}):\s*", re.IGNORECASE)
_ITEM = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)")
_FIELD = re.compile(r":(param|parameter|arg|returns?)(?:\s+[^:]*?(\w+))?:\s*(.*)")


@dataclass(frozen=True)
class Docstring:
    summary: str
    params: dict[str, str]
    returns: str


def read_docstring(text: str | None) -> Docstring:
    summary: list[str] = []
    params: dict[str, str] = {}
    returns: list[str] = []
    for section, lines in _sections(inspect.cleandoc(text or "").splitlines()):
        if section == "":
            summary += lines
        elif section in ("args", "arguments", "parameters"):
            params |= _items(lines)
        elif section in ("returns", "return"):
            returns += lines
    rest: list[str] = []
    for name, said in _fields(summary, rest):
        if name:
            params[name] = said
        else:
            returns.append(said)
    return Docstring(_joined("\n".join(rest)), params, " ".join(line.strip() for line in returns).strip())


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The text before the first heading under "", then each section under its heading."""
    name, found = "", list[str]()
    for line in lines:
        if heading := _SECTION.fullmatch(line):
            yield name, found
            name, found = heading[1].lower(), []
        elif name and line and not line[0].isspace():
            yield name, found
            name, found = "", [line]
        else:
            found.append(line)
    yield name, found


def _items(lines: list[str]) -> dict[str, str]:
    """Parses `name: text` or `name (type): text`; deeper indented lines continue the text."""
    items: dict[str, str] = {}
    depth, current = None, ""
    for line in lines:
        indent = len(line) - len(line.lstrip())
        item = _ITEM.fullmatch(line.strip())
        if item and (depth is None or indent <= depth):
            depth, current = indent, item[1]
            items[current] = item[2]
        elif current and line.strip():
            items[current] = f"{items[current]} {line.strip()}".strip()
    return items


def _fields(lines: list[str], rest: list[str]) -> Iterator[tuple[str, str]]:
    """Parses `:param name: text` and `:returns: text`; every other line goes to `rest`."""
    name, said = "", None
    for line in lines:
        field = _FIELD.fullmatch(line.strip())
        if field or (said is not None and not line[:1].isspace()):
            if said is not None:
                yield name, said
            said = None
        if field:
            name, said = ("" if field[1].startswith("return") else field[2] or ""), field[3]
        elif said is not None:
            said = f"{said} {line.strip()}"
        elif not line.startswith(":"):
            rest.append(line)
    if said is not None:
        yield name, said


def _joined(text: str) -> str:
    """Paragraphs without the source's line breaks."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
