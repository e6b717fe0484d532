"""Every tool with its schemas, effect and deadline: what `handrail tools --json` and `GET /api/tools` show."""

from typing import Any

from handrail.kernel.registry import Registered, Registry


def catalogue(registry: Registry) -> dict[str, Any]:
    return {"tools": [_entry(entry) for entry in registry]}


def _entry(entry: Registered) -> dict[str, Any]:
    tool = entry.tool
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "surface": entry.surface.name,
        "effect": tool.strongest_effect.value,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "deadlineMs": tool.deadline_ms,
        "idempotent": tool.is_idempotent,
    }
