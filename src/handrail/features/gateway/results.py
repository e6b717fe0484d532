"""Reads a server's answers strictly and converts them to replies."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from handrail.features.gateway.definitions import Definition, text_member
from handrail.kernel.content import Audio, Image, Part, Resource, ResourceLink, Text
from handrail.kernel.json_schema import Validator
from handrail.kernel.tool import FailedReply, ListedResource, Reply
from handrail.ports.errors import BadAnswer

MAX_PARTS = 1000
_LONGEST_WORDS = 4000


def tool_reply(server: str, definition: Definition, result: Any, validator: Validator | None) -> Reply:
    """FailedReply if the tool reports a failure. BadAnswer."""
    if not isinstance(result, dict) or not isinstance(content := result.get("content", []), list):
        raise BadAnswer(f"{server} answered {definition.name} with something that isn't a tool result.")
    structured = result.get("structuredContent")
    if structured is not None and not isinstance(structured, dict):
        raise BadAnswer(f"{server} answered {definition.name} with structured content that isn't an object.")
    reply = Reply(structured, content=parts(server, content), is_whole=True)
    if result.get("isError") is True:
        text = "\n".join(part.text for part in reply.content if isinstance(part, Text))[:_LONGEST_WORDS]
        raise FailedReply(text or f"{server} reports that {definition.name} failed.", reply, code="TOOL_ERROR")
    if validator is not None and (structured is None or not validator.fits(structured)):
        raise BadAnswer(
            f"{server} answered {definition.name} with a result that doesn't fit its own schema.",
            hint="It may have been carried out.",
        )
    return reply


def prompt_reply(server: str, result: Any) -> Reply:
    """Only the contents of the messages, without their roles."""
    messages = result.get("messages") if isinstance(result, dict) else None
    if not isinstance(messages, list) or len(messages) > MAX_PARTS:
        raise BadAnswer(f"{server} answered with something that isn't a prompt.")
    contents = [each.get("content") for each in messages if isinstance(each, dict)]
    return Reply(None, content=parts(server, contents), is_whole=True)


def resource_reply(server: str, result: Any) -> Reply:
    contents = result.get("contents") if isinstance(result, dict) else None
    if not isinstance(contents, list) or len(contents) > MAX_PARTS:
        raise BadAnswer(f"{server} answered with something that isn't a resource.")
    return Reply(None, content=tuple(_resource(server, each) for each in contents), is_whole=True)


def listed_resources(server: str, page: Any) -> list[ListedResource]:
    raw = page.get("resources") if isinstance(page, dict) else None
    if not isinstance(raw, list):
        raise BadAnswer(f"{server} answered resources/list with something that isn't a list.")
    return [
        ListedResource(
            each["uri"],
            text_member(each, "name"),
            text_member(each, "title"),
            text_member(each, "description"),
            _mime(each),
        )
        for each in raw
        if isinstance(each, dict) and isinstance(each.get("uri"), str)
    ]


def parts(server: str, content: list[Any]) -> tuple[Part, ...]:
    """BadAnswer for a content type that MCP doesn't have."""
    if len(content) > MAX_PARTS:
        raise BadAnswer(f"{server} answered with more than {MAX_PARTS} parts.")
    return tuple(_part(server, each) for each in content)


def _part(server: str, raw: Any) -> Part:
    if not isinstance(raw, dict):
        raise BadAnswer(f"{server} answered with a part that isn't an object.")
    match raw.get("type"):
        case "text" if isinstance(raw.get("text"), str):
            return Text(raw["text"])
        case "image":
            return Image(_bytes(server, raw.get("data")), _mime(raw) or "image/png")
        case "audio":
            return Audio(_bytes(server, raw.get("data")), _mime(raw) or "audio/wav")
        case "resource":
            return _resource(server, raw.get("resource"))
        case "resource_link" if isinstance(raw.get("uri"), str):
            name, title, description = (text_member(raw, member) for member in ("name", "title", "description"))
            return ResourceLink(raw["uri"], name, title, description, _mime(raw))
    raise BadAnswer(f"{server} answered with a content type that MCP doesn't have.")


def _resource(server: str, raw: Any) -> Resource:
    if not isinstance(raw, dict) or not isinstance(raw.get("uri"), str):
        raise BadAnswer(f"{server} answered with a resource that has no address.")
    mime = _mime(raw)
    if isinstance(raw.get("text"), str):
        return Resource(raw["uri"], raw["text"], mime or "text/plain")
    return Resource(raw["uri"], "", mime or "application/octet-stream", _bytes(server, raw.get("blob")))


def _bytes(server: str, raw: Any) -> bytes:
    try:
        return base64.b64decode(raw if isinstance(raw, str) else "!", validate=True)
    except (binascii.Error, ValueError):
        raise BadAnswer(f"{server} answered with data that isn't base64.") from None


def _mime(raw: Mapping[str, Any]) -> str:
    mime = text_member(raw, "mimeType")
    return mime if mime.isascii() and mime.isprintable() and len(mime) <= 200 else ""
