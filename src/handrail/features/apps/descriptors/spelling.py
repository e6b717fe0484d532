"""Brings descriptors of every generation, also mixed ones, to one spelling: snake_case, one place for each member.

Only names are changed. Schemas, headers and templates, whose names vendors choose, are left alone.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_TYPES = {"apiKey": "api_key", "apikey": "api_key", "apple_events": "apple-events", "appleEvents": "apple-events"}


class Folded(dict[str, Any]):
    """An object with its names folded; `twice` are names in two spellings with different values."""

    twice: list[str]


def folded(written: Mapping[str, Any]) -> Folded:
    found = Folded()
    found.twice = []
    for name, value in written.items():
        plain = _CAPITAL.sub(r"_\1", name).lower()
        if plain in found and found[plain] != value:
            found.twice.append(name)
        found[plain] = value
    return found


def folded_descriptor(root: Mapping[str, Any]) -> Folded:
    """The root, with `app`, `execution`, `auth` and each of `tools` folded as well."""
    found = folded(root)
    if "app" not in found and ("app_id" in found or "id" in found):
        names = ("name", "description", "version", "default_lang")
        found["app"] = {"id": found.get("app_id", found.get("id")), **{n: found[n] for n in names if n in found}}
    for name in ("app", "execution", "auth"):
        if isinstance(found.get(name), dict):
            found[name] = _typed(found[name])
    if isinstance(found.get("tools"), list):
        found["tools"] = [_tool(tool) if isinstance(tool, dict) else tool for tool in found["tools"]]
    return found


def spelled_twice(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, Folded):
        yield from (f"{path}{name}" for name in value.twice)
        for name, inner in value.items():
            yield from spelled_twice(inner, f"{path}{name}.")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from spelled_twice(item, f"{path.removesuffix('.')}[{number}].")


def _typed(written: dict[str, Any]) -> Folded:
    """`{"type": "dbus", "dbus": {…}}` means the same as `{"type": "dbus", …}`."""
    found = folded(written)
    if isinstance(kind := found.get("type"), str):
        found["type"] = kind = _TYPES.get(kind, kind)
        name = kind.replace("-", "_")
        if isinstance(inner := found.pop(name, None), dict):
            nested = folded(inner)
            found.twice += [f"{name}.{each}" for each in nested.twice]
            found.update(nested)
            found["type"] = kind
    return found


def _tool(written: dict[str, Any]) -> Folded:
    found = folded(written)
    for old, new in (("input_schema", "parameters"), ("output_schema", "returns")):
        if old in found:
            found.setdefault(new, found[old])
    if isinstance(found.get("execution"), dict):
        found["execution"] = folded(found["execution"])
    if isinstance(notes := found.get("annotations"), dict) and "idempotentHint" in notes:
        found.setdefault("idempotent", notes["idempotentHint"])
    return found
