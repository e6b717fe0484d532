"""Masks values that a schema marks as secret (`writeOnly`, or the format `password`) in everything that is stored.

Values that may be secret according to their schema are masked too. A reference that can't be resolved yields
`UNKNOWN`.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from handrail.kernel.json_schema import Validator
from handrail.ports.prompts import MASK

UNKNOWN: dict[str, Any] = {}
"""A marker, compared by identity."""

_SINGLE = ("if", "then", "else", "not")
_LISTS = ("allOf", "anyOf", "oneOf")
_MAPS = ("dependentSchemas", "dependencies")
DYNAMIC_REFERENCES = ("$dynamicRef", "$recursiveRef")


class Subschemas:
    """Finds the schemas that apply to a value, within one root schema."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._is_rebased = any(map(_has_id, root.values())) if isinstance(root, Mapping) else False

    def applicable(self, schemas: list[Any]) -> list[Mapping[str, Any]]:
        """All schemas that apply to the same value, each once, with references followed."""
        schemas_by_id: dict[int, Mapping[str, Any]] = {}
        stack = list(schemas)
        while stack:
            schema = stack.pop()
            if isinstance(schema, Mapping) and id(schema) not in schemas_by_id:
                schemas_by_id[id(schema)] = schema
                stack += self._subschemas_of(schema)
        return list(schemas_by_id.values())

    def _subschemas_of(self, schema: Mapping[str, Any]) -> Iterator[Any]:
        if isinstance(reference := schema.get("$ref"), str):
            yield self.resolve(reference)
        if any(name in schema for name in DYNAMIC_REFERENCES):
            yield UNKNOWN
        for name in _SINGLE:
            yield schema.get(name)
        for name in _LISTS:
            yield from _items(schema.get(name))
        for name in _MAPS:
            yield from _members(schema.get(name)).values()

    def resolve(self, reference: str) -> Any:
        if self._is_rebased or not (reference == "#" or reference.startswith("#/")):
            return UNKNOWN
        place = self._root
        for step in unquote(reference[1:]).split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(place, Mapping) and step in place:
                place = place[step]
            elif isinstance(place, list) and step.isdecimal() and int(step) < len(place):
                place = place[int(step)]
            else:
                return UNKNOWN
        return place


def member_schemas(schema: Mapping[str, Any], name: str) -> Iterator[Any]:
    properties, patterns = _members(schema.get("properties")), _members(schema.get("patternProperties"))
    matching = [inner for pattern, inner in patterns.items() if _matches(pattern, name)]
    yield from matching
    if name in properties:
        yield properties[name]
    elif not matching:
        yield schema.get("additionalProperties")
        yield schema.get("unevaluatedProperties")


def item_schemas(schema: Mapping[str, Any], index: int) -> Iterator[Any]:
    """Also supports the older form, where `items` is a list."""
    items, first = schema.get("items"), _items(schema.get("prefixItems")) or _items(schema.get("items"))
    yield schema.get("contains")
    if index < len(first):
        yield first[index]
    else:
        yield items if not isinstance(items, list) else schema.get("additionalItems")
        yield schema.get("unevaluatedItems")


@lru_cache(maxsize=256)
def _matches(pattern: str, name: str) -> bool:
    """Uses the engine that validates values: another one might read a pattern differently or take too long."""
    return not Validator({"pattern": pattern}).faults(name)


def _has_id(schema: Any) -> bool:
    """References below an `$id` are relative to it."""
    if isinstance(schema, Mapping):
        return isinstance(schema.get("$id"), str) or any(map(_has_id, schema.values()))
    return isinstance(schema, list) and any(map(_has_id, schema))


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _members(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


_DEEPEST = 64


def has_secrets(schema: Any) -> bool:
    """Whether any value could be masked; may be True although none will be."""
    if isinstance(schema, Mapping):
        return _is_secret(schema) or any(map(has_secrets, schema.values()))
    return isinstance(schema, list) and any(map(has_secrets, schema))


def mask(value: Any, schema: Any) -> Any:
    """Returns the value with each secret replaced; the same object if it contains none."""
    return _mask(value, [schema], Subschemas(schema), 0)


def _mask(value: Any, schemas: list[Any], subschemas: Subschemas, depth: int) -> Any:
    applicable = subschemas.applicable(schemas)
    if not applicable:
        return value
    if depth > _DEEPEST or any(_hides(schema, value) for schema in applicable):
        return MASK
    if isinstance(value, dict):
        members = {
            name: _mask(item, [one for each in applicable for one in member_schemas(each, name)], subschemas, depth + 1)
            for name, item in value.items()
        }
        return members if any(members[name] is not item for name, item in value.items()) else value
    if isinstance(value, list):
        items = [
            _mask(item, [one for each in applicable for one in item_schemas(each, index)], subschemas, depth + 1)
            for index, item in enumerate(value)
        ]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _hides(schema: Mapping[str, Any], value: Any) -> bool:
    """Text that contains a document itself isn't searched for secrets but masked as a whole."""
    return schema is UNKNOWN or _is_secret(schema) or (isinstance(value, str) and "contentSchema" in schema)


def _is_secret(schema: Mapping[str, Any]) -> bool:
    return schema.get("writeOnly") is True or schema.get("format") == "password"
