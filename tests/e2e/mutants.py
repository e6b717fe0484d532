"""Structure-aware mutation: values that a JSON schema allows, and the same with a mistake in one place."""

import json
import random
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

Path = tuple[str | int, ...]

_TEXTS = ("", "a.txt", ".", "x", "a b", "路径", "../etc/passwd", "/", "C:\\x", "-1", "null", "${x}", "%2e%2e", "\u202e")
_ODD_TEXTS = ("\x00", "a\x00b", "\ud800", "\n", "\u2028", "x" * 5_000, "\U0010ffff", "{}", "\x1b[2J", "e\u0301", "*")
_NUMBERS = (0, 1, -1, 2, 50, 10**3, 0.5, -0.0, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 1e308, 10**400)
_OTHERS: tuple[Any, ...] = (None, True, False, 0, -1, 1.5, "", "x", [], {}, [[]], {"": None}, [None], {"a": {"b": []}})
_DAMAGE = (b"\xff", b"\x00", b"\\", b'"', b"\\ud800", b"NaN", b"]", b"}", b",", b"\xef\xbb\xbf", b"1e999", b"//")


class Mutants:
    """`deepest` is the maximal nesting of a value, for clients that can't send more."""

    def __init__(self, by: random.Random, deepest: int = 200) -> None:
        self._by = by
        self._deepest = deepest

    def sample(self, schema: Mapping[str, Any] | bool, depth: int = 0) -> Any:
        """Returns a value of the schema with respect to types, names and choices, but not patterns and formats."""
        by = self._by
        if isinstance(schema, bool):
            return deepcopy(by.choice(_OTHERS))
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return by.choice(schema["enum"])
        for key in ("oneOf", "anyOf"):
            if key in schema and "properties" not in schema:
                return self.sample(by.choice(schema[key]), depth)
        type = schema.get("type", "object" if "properties" in schema else "string")
        samples: dict[str, Callable[[], Any]] = {
            "object": lambda: self._object(schema, depth),
            "array": lambda: self._array(schema, depth),
            "string": lambda: by.choice(_TEXTS),
            "integer": lambda: by.choice([number for number in _NUMBERS if isinstance(number, int)]),
            "number": lambda: by.choice(_NUMBERS),
            "boolean": lambda: by.random() < 0.5,
            "null": lambda: None,
        }
        return samples[by.choice(type) if isinstance(type, list) else type]()

    def mutant(self, value: Any) -> Any:
        """Returns a copy with one to three changes."""
        mutant = json.loads(json.dumps(value))
        for _ in range(self._by.randint(1, 3)):
            mutant = self._changed(mutant)
        return mutant

    def damaged(self, text: bytes) -> bytes:
        """Returns invalid or different JSON; never nothing, which needs no answer."""
        at = self._by.randint(1, len(text))
        ways = (
            lambda: text[:at],
            lambda: text[:at] + self._by.choice(_DAMAGE) + text[at:],
            lambda: text[:at] + text[at + self._by.randint(1, 8) :],
            lambda: text[:at] + text[at:] * 2,
        )
        return self._by.choice(ways)().replace(b"\n", b"").replace(b"\r", b"")

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        properties: Mapping[str, Any] = schema.get("properties", {})
        chance = 0.5 if depth < 3 else 0.0
        expected = {name: one for name, one in properties.items() if name in required or self._by.random() < chance}
        return {name: self.sample(one, depth + 1) for name, one in expected.items()}

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        items = schema.get("items", {})
        return [self.sample(items, depth + 1) for _ in range(self._by.choice((0, 1, 1, 2, 5)) if depth < 4 else 0)]

    def _changed(self, value: Any) -> Any:
        place = self._by.choice(_places(value))
        if not place:
            return self._other(value)
        *way, last = place
        parent = value
        for step in way:
            parent = parent[step]
        self._change(parent, last)
        return value

    def _change(self, parent: Any, last: Any) -> None:
        by, value = self._by, parent[last]
        kind = by.choice(("other", "other", "remove", "repeat", "add", "rename"))
        if kind == "remove":
            del parent[last]
        elif kind == "repeat" and isinstance(value, list):
            parent[last] = (value or [0]) * by.choice((2, 100))
        elif kind == "add" and isinstance(value, dict):
            value[by.choice((*_TEXTS, *_ODD_TEXTS))] = deepcopy(by.choice(_OTHERS))
        elif kind == "rename" and isinstance(parent, dict):
            parent[by.choice((last.upper(), f"{last} ", last[:-1], *_ODD_TEXTS))] = parent.pop(last)
        else:
            parent[last] = self._other(value)

    def _other(self, value: Any) -> Any:
        """Returns a value of another type, or at the limit of its own."""
        same = {str: _ODD_TEXTS + _TEXTS, int: _NUMBERS, float: _NUMBERS}.get(type(value), _OTHERS)
        choice = self._by.choice((same, _OTHERS, _ODD_TEXTS))
        if self._by.random() < 0.02:
            return _nested(self._by.choice((20, self._deepest)), value)
        return deepcopy(self._by.choice(choice))


def _places(value: Any, at: Path = ()) -> list[Path]:
    """Returns the places to change, including the whole value. Deeply nested parts are not changed."""
    inner: list[tuple[str | int, Any]] = []
    if len(at) > 8:
        pass
    elif isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value[:10]))
    return [at, *(place for key, one in inner for place in _places(one, (*at, key)))]


def _nested(depth: int, value: Any) -> Any:
    for _ in range(depth):
        value = [value]
    return value
