"""Checks parameters and results against the schemas of a descriptor, and limits the cost of these checks.

A few kilobytes with references or patterns can expand to more schemas than there is time to check.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from handrail.features.apps.calls.masking import BY_SCOPE, UNKNOWN, Subschemas
from handrail.features.apps.model import App, AppTool
from handrail.kernel.json_schema import Validator
from handrail.ports.errors import BadAnswer, InvalidParams

_HEAVIEST = 50_000
_MOST_PATTERNS = 1000
_LONGEST_PATTERN = 2000
_HEAVIEST_PATTERNS = 200_000
_BY_PROPERTY = 200
"""What a class of characters by property weighs, in characters."""

_TOKEN = re.compile(
    r"(?P<property>\\[pP]\{[^}]*\})|(?P<atom>\\.|\[(?:\\.|[^\]\\])*\]|[^(){}\\])|(?P<open>\()|(?P<close>\))"
    r"|\{(?P<least>\d{1,9})(?:,(?P<most>\d{0,9}))?\}|(?P<other>.)",
    re.DOTALL,
)


class SchemaWeight:
    """Of all schemas of one descriptor together."""

    def __init__(self) -> None:
        self._patterns = 0
        self._pattern_weight = 0

    def too_heavy(self, schema: Mapping[str, Any]) -> str | None:
        """Why a schema must not be compiled; None if it may."""
        for pattern in _patterns(schema):
            self._patterns += 1
            self._pattern_weight += pattern_weight(pattern) if len(pattern) <= _LONGEST_PATTERN else 0
            if len(pattern) > _LONGEST_PATTERN:
                return f"has a pattern of more than {_LONGEST_PATTERN} characters"
            if self._patterns > _MOST_PATTERNS or self._pattern_weight > _HEAVIEST_PATTERNS:
                return "is one of schemas with too many patterns, or with patterns that repeat too much"
        if expanded(schema).schemas > _HEAVIEST:
            return f"stands for more than {_HEAVIEST} schemas, once what it refers to is put in its place"
        return None


class Expansion(NamedTuple):
    """The size of a schema with every reference expanded, except references to itself."""

    schemas: int
    returns: int
    """How many references lead back to a schema around them, which is applied again at each level of a value."""


def expanded(root: Mapping[str, Any]) -> Expansion:
    subschemas = Subschemas(root)
    known: dict[int, Expansion] = {}
    is_open: set[int] = set()
    waiting: list[Any] = [root]
    while waiting:
        schema = waiting[-1]
        parts = [*_parts(schema, subschemas)]
        if id(schema) not in known and id(schema) not in is_open:
            is_open.add(id(schema))
            waiting += (part for part in parts if id(part) not in known and id(part) not in is_open)
            continue
        waiting.pop()
        if id(schema) in is_open:
            inner = [known[id(part)] for part in parts if id(part) not in is_open]
            returns = sum(part is UNKNOWN or id(part) in is_open for part in parts)
            is_open.remove(id(schema))
            known[id(schema)] = Expansion(
                1 + sum(each.schemas for each in inner), returns + sum(each.returns for each in inner)
            )
    return known[id(root)]


def pattern_weight(pattern: str) -> int:
    """Its length with all counted repetitions expanded."""
    open_groups, last = [0], 0
    for token in _TOKEN.finditer(pattern):
        if token["open"]:
            open_groups.append(0)
        elif token["close"] and len(open_groups) > 1:
            last = open_groups.pop()
            open_groups[-1] += last
        elif token["least"]:
            times = max(int(token["least"]), int(token["most"] or 0), 1)
            open_groups[-1] += last * (times - 1)
            last *= times
        else:
            last = _BY_PROPERTY if token["property"] else 1
            open_groups[-1] += last
    return sum(open_groups)


def _parts(schema: Any, subschemas: Subschemas) -> Iterator[Any]:
    """All objects and lists in it, and what it refers to."""
    if isinstance(schema, dict):
        yield from (value for value in schema.values() if isinstance(value, dict | list))
        if isinstance(reference := schema.get("$ref"), str):
            yield subschemas.resolved(reference)
        yield from (UNKNOWN for name in BY_SCOPE if name in schema)
    elif isinstance(schema, list):
        yield from (value for value in schema if isinstance(value, dict | list))


def _patterns(root: Mapping[str, Any]) -> Iterator[str]:
    waiting: list[Any] = [root]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict):
            if isinstance(pattern := schema.get("pattern"), str):
                yield pattern
            if isinstance(named := schema.get("patternProperties"), dict):
                yield from named
            waiting += schema.values()
        elif isinstance(schema, list):
            waiting += schema


_MOST_APPLIED = 100_000
"""A schema with several references to itself is applied that many times more with each level of a value."""


class Checks:
    """Schemas are compiled when they are first needed, and again when the descriptor has changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _ToolChecks] = {}

    def check_params(self, app: App, tool: AppTool, params: dict[str, Any]) -> None:
        """InvalidParams, naming each wrong field."""
        wrong = self._of(app, tool).params.faults(params)
        if wrong:
            raise InvalidParams(
                f"The parameters of {tool.name} are not valid: {_in_words(wrong)}",
                hint=f"apps_describe with app {app.id} and tool {tool.name} shows their schema.",
                fieldErrors=wrong,
            )

    def check_result(self, app: App, tool: AppTool, result: Any) -> None:
        """BadAnswer."""
        returns = self._of(app, tool).returns
        wrong = returns.faults(result) if returns is not None else []
        if wrong:
            # The message is on record, and what an app gives back is not for everybody: so it quotes nothing.
            fields = ", ".join(item["field"] or "the whole" for item in wrong)
            raise BadAnswer(
                f"What {tool.name} returned doesn't match the schema that {app.id} declares: {fields}",
                fieldErrors=wrong,
            )

    def _of(self, app: App, tool: AppTool) -> "_ToolChecks":
        known = self._known.get((app.id, tool.name))
        if known is None or known.tool is not tool:
            known = self._known[app.id, tool.name] = _ToolChecks(tool)
        return known


class _ToolChecks:
    def __init__(self, tool: AppTool) -> None:
        self.tool = tool
        self.params = _Check({**tool.parameters, "type": "object"})
        self.returns = None if tool.returns is None else _Check(tool.returns)


class _Check:
    """Always says whether a value is valid; says what is wrong only if that is quick."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._validator = Validator(schema)
        self._expansion = expanded(schema)

    def faults(self, value: Any) -> list[dict[str, str]]:
        if self._validator.fits(value):
            return []
        schemas, returns = self._expansion
        if returns > 1 and schemas * returns ** _depth(value) > _MOST_APPLIED:
            return [{"field": "", "message": "does not fit its schema, which is too involved to tell where"}]
        return self._validator.faults(value)


def _depth(value: Any) -> int:
    levels, level = 0, [value]
    while level := [part for each in level for part in _inside(each)]:
        levels += 1
    return levels


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _in_words(wrong: list[dict[str, str]]) -> str:
    return "; ".join(f"{item['field']}: {item['message']}" if item["field"] else item["message"] for item in wrong)
