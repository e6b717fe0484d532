"""A JSON schema as lines for a person: one for each parameter with its description, and everything else as JSON."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_DIALECTS = frozenset(
    {
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    }
)


def schema_lines(word: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """`word` says what is described, such as "takes". Nothing that an agent could read is left out."""
    rest = {key: value for key, value in schema.items() if not _is_formal(key, value)}
    properties, required = rest.get("properties"), rest.get("required", [])
    if isinstance(properties, dict) and isinstance(required, list) and all(each in properties for each in required):
        rest.pop("properties")
        rest.pop("required", None)
        for name, value in sorted(properties.items()):
            yield from _parameter_lines(word, name, value, is_required=name in required)
    if rest:
        yield f"  {word} also {compact_json(rest)}"


def compact_json(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _parameter_lines(word: str, name: str, value: Any, *, is_required: bool) -> Iterator[str]:
    line = f"  {word} {name if _PLAIN_NAME.fullmatch(name) else compact_json(name)}"
    if not isinstance(value, dict):
        yield f"{line}{': required' * is_required} {compact_json(value)}"
        return
    rest = dict(value)
    facts = [rest.pop("type")] if isinstance(rest.get("type"), str) and rest["type"] in _TYPES else []
    facts += ["required"] * is_required
    description = rest.pop("description") if isinstance(rest.get("description"), str) else ""
    line += f": {', '.join(facts)}" if facts else ""
    yield line + (f" {compact_json(rest)}" if rest else "")
    yield from (f"    │ {each}" for each in description.split("\n") if description)


def _is_formal(key: str, value: object) -> bool:
    """Whether it is the same in nearly all schemas and has no words of the server's."""
    return (
        (key == "type" and value == "object")
        or (key == "additionalProperties" and isinstance(value, bool))
        or (key == "$schema" and value in _DIALECTS)
    )
