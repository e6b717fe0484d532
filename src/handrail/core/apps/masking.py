"""Values that a schema calls secret (`writeOnly`, or the format `password`) are left out of all that is kept."""

from collections.abc import Mapping
from typing import Any

from handrail.contract.prompts import MASK

_DEEPEST = 64


def masked(value: Any, schema: Any, depth: int = 0) -> Any:
    """The same value with each secret in it replaced; itself where it has none."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return value
    if schema.get("writeOnly") is True or schema.get("format") == "password":
        return MASK
    if isinstance(value, dict):
        parts, rest = schema.get("properties"), schema.get("additionalProperties")
        known = parts if isinstance(parts, Mapping) else {}
        inside = {name: masked(item, known.get(name, rest), depth + 1) for name, item in value.items()}
        value = inside if any(inside[name] is not item for name, item in value.items()) else value
    elif isinstance(value, list):
        items = [masked(item, schema.get("items"), depth + 1) for item in value]
        value = items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    for name in ("allOf", "anyOf", "oneOf"):
        choices = schema.get(name)
        for choice in choices if isinstance(choices, list) else ():
            value = masked(value, choice, depth + 1)
    return value
