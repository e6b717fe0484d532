"""JSON Schema 2020-12 of a type, with as few references as possible: many clients can't follow them."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

_PREFIX = "#/$defs/"
_PYTHONS_OWN = re.compile(r"(?<!\\)(?:\\\\)*\\[AZ]|\(\?P")


def schema_of(type: Any) -> dict[str, Any]:
    """Every named type stands where it is used; only one that holds itself stays in `$defs`."""
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
    """ValueError for what only Python understands: gateways, in other languages, would refuse the descriptor."""
    waiting = list(schemas)
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            pattern = item.get("pattern")
            if isinstance(pattern, str) and _PYTHONS_OWN.search(pattern):
                raise ValueError(
                    f"the pattern {pattern!r} is Python's own; JSON Schema has ^ and $(?!\\n) for \\A and \\Z"
                )
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _named(schema: Mapping[str, Any]) -> str | None:
    reference = schema.get("$ref")
    return reference.removeprefix(_PREFIX) if isinstance(reference, str) else None


def _reached(name: str, parts: Mapping[str, Any]) -> set[str]:
    """The types that this one mentions, directly or through others."""
    return _mentioned(parts[name], parts)


def _mentioned(schema: Any, parts: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, dict):
            name = _named(item)
            if name is not None and name not in found:
                found.add(name)
                waiting.append(parts[name])
            waiting.extend(item.values())
    return found
