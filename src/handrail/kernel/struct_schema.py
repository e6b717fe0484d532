"""The JSON Schema of a type, in one piece: many clients can't follow references."""

from collections.abc import Mapping
from typing import Any

import msgspec


def schema_of(type: type[msgspec.Struct]) -> dict[str, Any]:
    (top,), parts = msgspec.json.schema_components([type], ref_template="{name}")
    inlined: dict[str, Any] = _inlined(top, parts)
    return inlined


def _inlined(schema: Any, parts: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:  # a type's name and docstring are for us
        named = parts[schema["$ref"]]
        return _inlined({key: value for key, value in named.items() if key not in ("title", "description")}, parts)
    return {name: _inlined(value, parts) for name, value in schema.items()}
