"""Tool calls that a model wrote into its text, because its server doesn't recognise them as calls."""

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
    """The same reply with such calls as calls. Only known tools count: other text may look like a call.

    `tools` are the parameter schemas of the tools that were offered.
    """
    if any(isinstance(part, ToolCallPart) for part in response.parts):
        return response
    parts: list[ModelResponsePart] = []
    for part in response.parts:
        if isinstance(part, TextPart):
            text, calls = _taken_out(part.content, tools)
            if calls:
                parts += [replace(part, content=text)] if text else []
                parts += calls
                continue
        parts.append(part)
    return replace(response, parts=parts)


def _taken_out(text: str, tools: Mapping[str, Mapping[str, Any]]) -> tuple[str, list[ToolCallPart]]:
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
    """Tags have no types: what the schema says is text stays text."""
    its = schema.get("properties", {}).get(name, {})
    if isinstance(its, Mapping) and its.get("type") == "string":
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
