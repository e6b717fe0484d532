"""JSON Schemas: makes them from types, and validates values against them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from handrail.ports.errors import InvalidParams

_MAX_REPORTED = 20
_MAX_BACKTRACKING = 100_000
_MAX_PATTERN_BYTES = 8_000_000
_MAX_AUTOMATON_BYTES = 1_000_000


def schema_of(type: type[msgspec.Struct]) -> dict[str, Any]:
    """The schema of a type, without references, because many clients can't follow them."""
    (top,), parts = msgspec.json.schema_components([type], ref_template="{name}")
    inlined: dict[str, Any] = _inlined(top, parts)
    return inlined


def _inlined(schema: Any, parts: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:  # drops the type's name and docstring, which are for developers
        named = parts[schema["$ref"]]
        return _inlined({key: value for key, value in named.items() if key not in ("title", "description")}, parts)
    return {name: _inlined(value, parts) for name, value in _portable(schema).items()}


def _portable(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Describes an array of equal items without `prefixItems` and `items: false`, which some clients reject."""
    first, *others = schema.get("prefixItems") or [None]
    if first is None or any(other != first for other in others):
        return schema
    return {**{name: value for name, value in schema.items() if name != "prefixItems"}, "items": first}


class Validator:
    """Checks parameters against the published schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        import jsonschema_rs  # takes 40 ms to import, and `handrail --help` doesn't need it

        # A schema from outside must not make us fetch anything or search without end.
        patience = jsonschema_rs.FancyRegexOptions(_MAX_BACKTRACKING, _MAX_PATTERN_BYTES, _MAX_AUTOMATON_BYTES)
        self._compiled = jsonschema_rs.validator_for(dict(schema), offline=True, pattern_options=patience)

    def check(self, value: Any) -> None:
        if wrong := self.faults(value):
            summary = "; ".join(
                f"{item['field']}: {item['message']}" if item["field"] else item["message"] for item in wrong
            )
            raise InvalidParams(f"The parameters are not valid: {summary}", fieldErrors=wrong)

    def fits(self, value: Any) -> bool:
        return self._compiled.is_valid(value)

    def faults(self, value: Any) -> list[dict[str, str]]:
        """Each wrong `field` with a `message`; empty if the value is valid."""
        if self.fits(value):
            return []
        wrong: list[dict[str, str]] = []
        for error in self._compiled.iter_errors(value):
            field = ".".join(str(step) for step in (*error.instance_path, *_member(error.kind)))
            wrong.append({"field": _shortened(field), "message": _shortened(error.message)})
            if len(wrong) == _MAX_REPORTED:
                break
        return wrong


def _member(kind: Any) -> list[str]:
    """The name of a missing or unknown member; the error's path ends at the object around it."""
    if kind.name == "required":
        return [kind.property]
    return list(kind.unexpected[:1]) if kind.name == "additionalProperties" else []


def _shortened(message: str, limit: int = 300) -> str:
    """Messages quote the invalid value, which may be a whole file."""
    return message if len(message) <= limit else f"{message[: limit // 2]} … {message[-limit // 2 :]}"
