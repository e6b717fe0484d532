"""Masks values that a schema calls secret (`writeOnly`, or the format `password`) in everything that is stored.

Values that may be secret according to their schema are masked as well. A reference that can't be resolved leads to
`UNKNOWN`.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from handrail.kernel.json_schema import Validator
from handrail.ports.prompts import MASK

UNKNOWN: dict[str, Any] = {}
"""Known by being this very object."""

_ALONE = ("if", "then", "else", "not")
_LISTED = ("allOf", "anyOf", "oneOf")
_NAMED = ("dependentSchemas", "dependencies")
BY_SCOPE = ("$dynamicRef", "$recursiveRef")


class Subschemas:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._is_rebased = any(map(_names_itself, root.values())) if isinstance(root, Mapping) else False

    def speaking(self, schemas: list[Any]) -> list[Mapping[str, Any]]:
        """All schemas that apply to the same value, each once, following references."""
        found: dict[int, Mapping[str, Any]] = {}
        waiting = list(schemas)
        while waiting:
            schema = waiting.pop()
            if isinstance(schema, Mapping) and id(schema) not in found:
                found[id(schema)] = schema
                waiting += self._beside(schema)
        return list(found.values())

    def _beside(self, schema: Mapping[str, Any]) -> Iterator[Any]:
        if isinstance(reference := schema.get("$ref"), str):
            yield self.resolved(reference)
        if any(name in schema for name in BY_SCOPE):
            yield UNKNOWN
        for name in _ALONE:
            yield schema.get(name)
        for name in _LISTED:
            yield from _items(schema.get(name))
        for name in _NAMED:
            yield from _members(schema.get(name)).values()

    def resolved(self, reference: str) -> Any:
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


def of_member(schema: Mapping[str, Any], name: str) -> Iterator[Any]:
    known, patterns = _members(schema.get("properties")), _members(schema.get("patternProperties"))
    matching = [inner for pattern, inner in patterns.items() if _matches(pattern, name)]
    yield from matching
    if name in known:
        yield known[name]
    elif not matching:
        yield schema.get("additionalProperties")
        yield schema.get("unevaluatedProperties")


def of_item(schema: Mapping[str, Any], index: int) -> Iterator[Any]:
    """Also by the older spelling, where `items` is a list."""
    items, first = schema.get("items"), _items(schema.get("prefixItems")) or _items(schema.get("items"))
    yield schema.get("contains")
    if index < len(first):
        yield first[index]
    else:
        yield items if not isinstance(items, list) else schema.get("additionalItems")
        yield schema.get("unevaluatedItems")


@lru_cache(maxsize=256)
def _matches(pattern: str, name: str) -> bool:
    """With the engine that validates values: another one may read a pattern differently or take too long."""
    return not Validator({"pattern": pattern}).faults(name)


def _names_itself(schema: Any) -> bool:
    """Below an `$id`, a reference counts from there."""
    if isinstance(schema, Mapping):
        return isinstance(schema.get("$id"), str) or any(map(_names_itself, schema.values()))
    return isinstance(schema, list) and any(map(_names_itself, schema))


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _members(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


_DEEPEST = 64


def has_secrets(schema: Any) -> bool:
    """Whether any value could be masked; may be True where none will be."""
    if isinstance(schema, Mapping):
        return _is_secret(schema) or any(map(has_secrets, schema.values()))
    return isinstance(schema, list) and any(map(has_secrets, schema))


def masked(value: Any, schema: Any) -> Any:
    """The value with each secret replaced; the same object if it contains none."""
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
    """A text that is itself a document is not searched for secrets."""
    return schema is UNKNOWN or _is_secret(schema) or (isinstance(value, str) and "contentSchema" in schema)


def _is_secret(schema: Mapping[str, Any]) -> bool:
    return schema.get("writeOnly") is True or schema.get("format") == "password"
