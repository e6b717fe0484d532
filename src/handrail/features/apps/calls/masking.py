"""Values that a schema calls secret (`writeOnly`, or the format `password`) are left out of all that is kept.

A value of which the schema can't tell whether it is one is left out as well.
"""

from collections.abc import Mapping
from typing import Any

from handrail.features.apps.calls.subschemas import UNKNOWN, Subschemas, of_item, of_member
from handrail.ports.prompts import MASK

_DEEPEST = 64


def has_secrets(schema: Any) -> bool:
    """Whether any value could be masked by it; True at worst where none will."""
    if isinstance(schema, Mapping):
        return _is_secret(schema) or any(map(has_secrets, schema.values()))
    return isinstance(schema, list) and any(map(has_secrets, schema))


def masked(value: Any, schema: Any) -> Any:
    """The same value with each secret in it replaced; itself where it has none. For a schema that has some."""
    return _masked(value, [schema], Subschemas(schema), 0)


def _masked(value: Any, schemas: list[Any], subschemas: Subschemas, depth: int) -> Any:
    speaking = subschemas.speaking(schemas)
    if not speaking:
        return value
    if depth > _DEEPEST or any(_hides(schema, value) for schema in speaking):
        return MASK
    if isinstance(value, dict):
        members = {
            name: _masked(item, [one for each in speaking for one in of_member(each, name)], subschemas, depth + 1)
            for name, item in value.items()
        }
        return members if any(members[name] is not item for name, item in value.items()) else value
    if isinstance(value, list):
        items = [
            _masked(item, [one for each in speaking for one in of_item(each, index)], subschemas, depth + 1)
            for index, item in enumerate(value)
        ]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _hides(schema: Mapping[str, Any], value: Any) -> bool:
    """Of a text that is itself a document, nobody looks for what is secret in it."""
    return schema is UNKNOWN or _is_secret(schema) or (isinstance(value, str) and "contentSchema" in schema)


def _is_secret(schema: Mapping[str, Any]) -> bool:
    return schema.get("writeOnly") is True or schema.get("format") == "password"
