"""Tools, and what they return, as MCP shows them."""

import base64
from typing import Any, Protocol

from handrail.kernel.content import Audio, Image, Resource, Text
from handrail.kernel.tool import Tool
from handrail.ports.effect import Effect

_SCHEMAS = ("inputSchema", "outputSchema")
_LEFT_OUT = frozenset({"$id", "$schema", "oneOf", "anyOf", "allOf"})


class AliasTools(Protocol):
    """Further MCP tools, each another way to call the tool `calls` of ours with certain parameters."""

    calls: str

    def listed(self) -> list[dict[str, Any]]: ...

    def translated(self, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Parameters of `calls`, or None if this isn't one of these tools."""
        ...

    def has_schema(self, params: dict[str, Any]) -> bool:
        """Whether the result of a call with these parameters has a schema that was listed."""
        ...


def listed(tool: Tool[Any, Any]) -> dict[str, Any]:
    effect = tool.strongest_effect
    shown: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": effect in (Effect.READ, Effect.ASK),
            "destructiveHint": effect.changes,
            "idempotentHint": tool.is_idempotent,
            "openWorldHint": effect in (Effect.UI_CONTROL, Effect.EXECUTE),
        },
    }
    if tool.output_schema is not None:
        shown["outputSchema"] = tool.output_schema
    return shortened(shown)


def as_content(part: Text | Image | Audio | Resource) -> dict[str, Any]:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(data, mime):
            return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": mime}
        case Audio(data, mime):
            return {"type": "audio", "data": base64.b64encode(data).decode(), "mimeType": mime}
        case Resource():
            return {"type": "resource", "resource": as_resource(part)}


def as_resource(part: Resource) -> dict[str, Any]:
    return {"uri": part.uri, "mimeType": part.mime, "text": part.text}


def shortened(tool: dict[str, Any]) -> dict[str, Any]:
    """Without the keywords at a schema's root for which clients drop a tool; validation enforces them all the same."""
    return {
        name: {key: its for key, its in value.items() if key not in _LEFT_OUT} if name in _SCHEMAS else value
        for name, value in tool.items()
    }
