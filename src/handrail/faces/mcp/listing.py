"""Encodes tools and their results for MCP."""

import base64
from typing import Any

from handrail.kernel.content import Audio, Image, Part, Resource, ResourceLink, Text
from handrail.kernel.tool import Tool
from handrail.ports.effect import Effect

_SCHEMAS = ("inputSchema", "outputSchema")
_LEFT_OUT = frozenset({"$id", "$schema", "oneOf", "anyOf", "allOf"})


def tool_listing(tool: Tool[Any, Any], *, has_output: bool = True) -> dict[str, Any]:
    """Without `has_output`, the output schema is left out: it is long, and models don't read it."""
    effect = tool.strongest_effect
    listing: dict[str, Any] = {
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
        listing["outputSchema"] = tool.output_schema
    return simplify_schemas(listing)


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
            optional = {"title": part.title, "description": part.description, "mimeType": part.mime}
            present = {name: value for name, value in optional.items() if value}
            return {"type": "resource_link", "uri": part.uri, "name": part.name, **present}


def as_resource(part: Resource) -> dict[str, Any]:
    if part.data is not None:
        return {"uri": part.uri, "mimeType": part.mime, "blob": base64.b64encode(part.data).decode()}
    return {"uri": part.uri, "mimeType": part.mime, "text": part.text}


def simplify_schemas(tool: dict[str, Any]) -> dict[str, Any]:
    """Removes the keywords at a schema's root for which clients drop a tool; calls are still validated with them."""
    return {
        name: {key: part for key, part in value.items() if key not in _LEFT_OUT} if name in _SCHEMAS else value
        for name, value in tool.items()
    }
