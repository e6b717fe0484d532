"""A tool as MCP shows it."""

from typing import Any

from handrail.kernel.tool import Schema, Tool
from handrail.ports.effect import Effect

_LEFT_OUT = frozenset({"$id", "$schema", "oneOf", "anyOf", "allOf"})


def listed(tool: Tool[Any, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": for_clients(tool.input_schema),
        "annotations": _hints(tool),
    }
    if tool.output_schema is not None:
        shown["outputSchema"] = for_clients(tool.output_schema)
    return shown


def for_clients(schema: Schema) -> dict[str, Any]:
    """Clients drop tools whose root has these; they are enforced at validation all the same."""
    return {key: value for key, value in schema.items() if key not in _LEFT_OUT}


def _hints(tool: Tool[Any, Any]) -> dict[str, Any]:
    effect = tool.strongest_effect
    return {
        "title": tool.title,
        "readOnlyHint": effect in (Effect.READ, Effect.ASK),
        "destructiveHint": effect.changes,
        "idempotentHint": tool.is_idempotent,
        "openWorldHint": effect in (Effect.UI_CONTROL, Effect.EXECUTE),
    }
