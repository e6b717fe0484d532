"""Finds tool calls in a reply's text, for servers that don't recognize their model's calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import msgspec
from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ToolCallPart

_JSON_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*(?:</tool_call>|$)", re.DOTALL)
_TAGGED_CALL = re.compile(r"(?:<tool_call>\s*)?<function=([\w.-]+)>(.*?)</function>(?:\s*</tool_call>)?", re.DOTALL)
_TAGGED_ARGUMENT = re.compile(r"<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)


def with_written_calls(response: ModelResponse, tools: Mapping[str, Mapping[str, Any]]) -> ModelResponse:
    """The reply with the calls in its text as tool calls. Calls of tools that aren't in `tools` stay text.

    `tools` has the schemas of the offered tools' parameters.
    """
    if any(isinstance(part, ToolCallPart) for part in response.parts):
        return response
    parts: list[ModelResponsePart] = []
    for part in response.parts:
        if isinstance(part, TextPart):
            text, calls = _extract(part.content, tools)
            if calls:
                parts += [replace(part, content=text)] if text else []
                parts += calls
                continue
        parts.append(part)
    return replace(response, parts=parts)


def _extract(text: str, tools: Mapping[str, Mapping[str, Any]]) -> tuple[str, list[ToolCallPart]]:
    calls: list[ToolCallPart] = []

    def take_json(match: re.Match[str]) -> str:
        try:
            call = msgspec.json.decode(match[1])
            name, arguments = call["name"], call.get("arguments", call.get("parameters")) or {}
        except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
            return match[0]
        return _take(match, name, arguments)

    def take_tagged(match: re.Match[str]) -> str:
        arguments = {name: _value(value, tools.get(match[1], {}), name) for name, value in _arguments(match[2])}
        return _take(match, match[1], arguments)

    def _take(match: re.Match[str], name: Any, arguments: Any) -> str:
        if name not in tools or not isinstance(arguments, dict):
            return match[0]
        calls.append(ToolCallPart(name, arguments))
        return ""

    text = _TAGGED_CALL.sub(take_tagged, _JSON_CALL.sub(take_json, text))
    return text.strip() if calls else text, calls


def _arguments(body: str) -> Collection[tuple[str, str]]:
    return _TAGGED_ARGUMENT.findall(body)


def _value(text: str, schema: Mapping[str, Any], name: str) -> Any:
    """The value of a tagged argument. Tags have no types, so the schema decides what is a string."""
    declared = schema.get("properties", {}).get(name, {})
    if isinstance(declared, Mapping) and declared.get("type") == "string":
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
