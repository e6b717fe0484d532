"""What a tool, a prompt or a shelf hands back beside its result, as MCP spells it."""

import base64
from typing import Any

from handrail.kernel.content import Audio, Image, Resource, Text


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
