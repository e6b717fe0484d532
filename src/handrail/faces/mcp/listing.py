"""Tools, and what they return, as MCP shows them."""

import base64
from typing import Any

from handrail.kernel.content import Audio, Image, Part, Resource, ResourceLink, Text
from handrail.kernel.tool import Tool
from handrail.ports.effect import Effect

_SCHEMAS = ("inputSchema", "outputSchema")
_LEFT_OUT = frozenset({"$id", "$schema", "oneOf", "anyOf", "allOf"})


def listed(tool: Tool[Any, Any], *, has_output: bool = True) -> dict[str, Any]:
    """Without `has_output` it says nothing of what the tool returns: models don't read it, and it is long."""
    effect = tool.strongest_effect
    shown: dict[str, Any] = {
        "name": tool.listed_name,
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
    if has_output and tool.output_schema is not None:
        shown["outputSchema"] = tool.output_schema
    return shortened(shown)


def as_content(part: Part) -> dict[str, Any]:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(data, mime):
            return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": mime}
        case Audio(data, mime):
            return {"type": "audio", "data": base64.b64encode(data).decode(), "mimeType": mime}
        case Resource():
            return {"type": "resource", "resource": as_resource(part)}
        case ResourceLink():
            said = {"title": part.title, "description": part.description, "mimeType": part.mime}
            known = {name: value for name, value in said.items() if value}
            return {"type": "resource_link", "uri": part.uri, "name": part.name, **known}


def as_resource(part: Resource) -> dict[str, Any]:
    if part.data is not None:
        return {"uri": part.uri, "mimeType": part.mime, "blob": base64.b64encode(part.data).decode()}
    return {"uri": part.uri, "mimeType": part.mime, "text": part.text}


def shortened(tool: dict[str, Any]) -> dict[str, Any]:
    """Without the keywords at a schema's root for which clients drop a tool; validation enforces them all the same."""
    return {
        name: {key: its for key, its in value.items() if key not in _LEFT_OUT} if name in _SCHEMAS else value
        for name, value in tool.items()
    }
