"""Checks parameters and results against a descriptor's schemas, and limits the cost of these checks.

A few kilobytes with references or patterns can expand to more schemas than can be checked in reasonable time.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from handrail.features.apps.calls.masking import DYNAMIC_REFERENCES, UNKNOWN, Subschemas
from handrail.features.apps.model import App, AppTool
from handrail.kernel.json_schema import Validator
from handrail.ports.errors import BadAnswer, InvalidParams

_MAX_SCHEMAS = 50_000
_MAX_PATTERNS = 1000
_LONGEST_PATTERN = 2000
_MAX_PATTERN_WEIGHT = 200_000
_PROPERTY_WEIGHT = 200
"""The weight of a character class by Unicode property, in characters."""

_TOKEN = re.compile(
    r"(?P<property>\\[pP]\{[^}]*\})|(?P<atom>\\.|\[(?:\\.|[^\]\\])*\]|[^(){}\\])|(?P<open>\()|(?P<close>\))"
    r"|\{(?P<least>\d{1,9})(?:,(?P<most>\d{0,9}))?\}|(?P<other>.)",
    re.DOTALL,
)


class SchemaWeight:
    """Adds up the cost of all schemas of one descriptor."""

    def __init__(self) -> None:
        self._patterns = 0
        self._pattern_weight = 0

    def refusal_reason(self, schema: Mapping[str, Any]) -> str | None:
        """Why a schema must not be compiled; None if it may."""
        for pattern in _patterns(schema):
            self._patterns += 1
            self._pattern_weight += pattern_weight(pattern) if len(pattern) <= _LONGEST_PATTERN else 0
            if len(pattern) > _LONGEST_PATTERN:
                return f"has a pattern of more than {_LONGEST_PATTERN} characters"
            if self._patterns > _MAX_PATTERNS or self._pattern_weight > _MAX_PATTERN_WEIGHT:
                return "is one of schemas with too many patterns, or with patterns that repeat too much"
        if expand(schema).schemas > _MAX_SCHEMAS:
            return f"expands to more than {_MAX_SCHEMAS} schemas when its references are replaced"
        return None


class Expansion(NamedTuple):
    """The size of a schema with every reference expanded, except references to itself."""

    schemas: int
    returns: int
    """How many references lead back to an enclosing schema, which is then applied again at each level of a value."""


def expand(root: Mapping[str, Any]) -> Expansion:
    subschemas = Subschemas(root)
    expansions: dict[int, Expansion] = {}
    open_ids: set[int] = set()
    stack: list[Any] = [root]
    while stack:
        schema = stack[-1]
        parts = [*_parts(schema, subschemas)]
        if id(schema) not in expansions and id(schema) not in open_ids:
            open_ids.add(id(schema))
            stack += (part for part in parts if id(part) not in expansions and id(part) not in open_ids)
            continue
        stack.pop()
        if id(schema) in open_ids:
            inner = [expansions[id(part)] for part in parts if id(part) not in open_ids]
            returns = sum(part is UNKNOWN or id(part) in open_ids for part in parts)
            open_ids.remove(id(schema))
            expansions[id(schema)] = Expansion(
                1 + sum(each.schemas for each in inner), returns + sum(each.returns for each in inner)
            )
    return expansions[id(root)]


def pattern_weight(pattern: str) -> int:
    """The length of a pattern with all counted repetitions expanded."""
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
            last = _PROPERTY_WEIGHT if token["property"] else 1
            open_groups[-1] += last
    return sum(open_groups)


def _parts(schema: Any, subschemas: Subschemas) -> Iterator[Any]:
    """All objects and lists in a schema, and the targets of its references."""
    if isinstance(schema, dict):
        yield from (value for value in schema.values() if isinstance(value, dict | list))
        if isinstance(reference := schema.get("$ref"), str):
            yield subschemas.resolve(reference)
        yield from (UNKNOWN for name in DYNAMIC_REFERENCES if name in schema)
    elif isinstance(schema, list):
        yield from (value for value in schema if isinstance(value, dict | list))


def _patterns(root: Mapping[str, Any]) -> Iterator[str]:
    stack: list[Any] = [root]
    while stack:
        schema = stack.pop()
        if isinstance(schema, dict):
            if isinstance(pattern := schema.get("pattern"), str):
                yield pattern
            if isinstance(by_pattern := schema.get("patternProperties"), dict):
                yield from by_pattern
            stack += schema.values()
        elif isinstance(schema, list):
            stack += schema


_MAX_APPLIED = 100_000
"""A schema with several references to itself is applied that many times more at each level of a value."""


class SchemaChecks:
    """Compiles schemas when they are first needed, and again when the descriptor has changed."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, str], _ToolSchemaChecks] = {}

    def check_params(self, app: App, tool: AppTool, params: dict[str, Any]) -> None:
        """InvalidParams, naming each field that has a fault."""
        faults = self._of(app, tool).params.faults(params)
        if faults:
            raise InvalidParams(
                f"The parameters of {tool.name} are not valid: {_describe(faults)}",
                hint=f"apps_describe with app {app.id} and tool {tool.name} shows their schema.",
                fieldErrors=faults,
            )

    def check_result(self, app: App, tool: AppTool, result: Any) -> None:
        """BadAnswer."""
        returns = self._of(app, tool).returns
        faults = returns.faults(result) if returns is not None else []
        if faults:
            # The message is recorded, and an app's result may be confidential, so nothing of it is quoted.
            fields = ", ".join(item["field"] or "the whole" for item in faults)
            raise BadAnswer(
                f"What {tool.name} returned doesn't match the schema that {app.id} declares: {fields}",
                fieldErrors=faults,
            )

    def _of(self, app: App, tool: AppTool) -> "_ToolSchemaChecks":
        checks = self._compiled.get((app.id, tool.name))
        if checks is None or checks.tool is not tool:
            checks = self._compiled[app.id, tool.name] = _ToolSchemaChecks(tool)
        return checks


class _ToolSchemaChecks:
    def __init__(self, tool: AppTool) -> None:
        self.tool = tool
        self.params = _SchemaCheck({**tool.parameters, "type": "object"})
        self.returns = None if tool.returns is None else _SchemaCheck(tool.returns)


class _SchemaCheck:
    """Always decides whether a value is valid; explains the faults only if that is quick."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._validator = Validator(schema)
        self._expansion = expand(schema)

    def faults(self, value: Any) -> list[dict[str, str]]:
        if self._validator.fits(value):
            return []
        schemas, returns = self._expansion
        if returns > 1 and schemas * returns ** _depth(value) > _MAX_APPLIED:
            return [{"field": "", "message": "doesn't match its schema, which is too complex to show where"}]
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


def _describe(faults: list[dict[str, str]]) -> str:
    return "; ".join(f"{item['field']}: {item['message']}" if item["field"] else item["message"] for item in faults)
