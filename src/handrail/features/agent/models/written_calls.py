"""Finds tool calls in a reply's text, for servers that don't recognize their model's calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec
import re2
from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ToolCallPart

from handrail.ports.unreadable_json import UNREADABLE_JSON

_JSON_CALL = re.compile(r"(?:<tool_call>|\[TOOL_CALLS\])\s*(?=[{\[])")
_END = re.compile(r"\s*(?:</tool_call>|$)|(?=\s)")
# RE2, because these would take minutes on a text that opens many calls and closes none.
_TAGGED_CALL = re2.compile(r"(?s)(?:<tool_call>\s*)?<function=([\w.-]+)>(.*?)</function>(?:\s*</tool_call>)?")
_TAGGED_ARGUMENT = re2.compile(r"(?s)<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>")
_PAIRED_CALL = re2.compile(r"(?s)<tool_call>\s*([\w.-]+)\s*((?:<arg_key>.*?</arg_value>\s*)*)</tool_call>")
_PAIRED_ARGUMENT = re2.compile(r"(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>")
_MOST_UNREADABLE = 100
_decoder = json.JSONDecoder()

Tools = Mapping[str, Mapping[str, Any]]
"""The schemas of the offered tools' parameters."""


def with_written_calls(response: ModelResponse, tools: Tools) -> ModelResponse:
    """The reply with the calls in its text as tool calls. Calls of tools that aren't in `tools` stay text."""
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


def _extract(text: str, tools: Tools) -> tuple[str, list[ToolCallPart]]:
    calls: list[ToolCallPart] = []
    text = _extract_json(text, tools, calls)
    for call, argument in ((_TAGGED_CALL, _TAGGED_ARGUMENT), (_PAIRED_CALL, _PAIRED_ARGUMENT)):

        def take(match: Any, argument: Any = argument) -> str:
            schema = tools.get(match[1])
            if schema is None:
                return str(match[0])
            arguments = {name: _value(value, schema, name) for name, value in argument.findall(match[2])}
            calls.append(ToolCallPart(match[1], arguments))
            return ""

        text = call.sub(take, text)
    return text.strip() if calls else text, calls


def _extract_json(text: str, tools: Tools, calls: list[ToolCallPart]) -> str:
    """The text without the calls that are written as JSON, which are added to `calls`."""
    kept, at, unreadable = "", 0, 0
    while unreadable < _MOST_UNREADABLE and (start := _JSON_CALL.search(text, at)) is not None:
        try:
            value, end = _decoder.raw_decode(text, start.end())
            found = list(_calls_in(value, tools))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            found, end = [], start.end()
        closing = _END.match(text, end)
        if found and closing is not None:
            calls += found
            kept += text[at : start.start()]
            end = closing.end()
        else:
            unreadable += 1
            kept += text[at:end]
        at = end
    return kept + text[at:]


def _calls_in(value: Any, tools: Tools) -> Iterator[ToolCallPart]:
    """Raises KeyError if one of them isn't a call of an offered tool."""
    for call in value if isinstance(value, list) else [value]:
        call = call.get("function", call)
        arguments = call.get("arguments", call.get("parameters")) or {}
        if isinstance(arguments, str):
            arguments = msgspec.json.decode(arguments)
        if call["name"] not in tools or not isinstance(arguments, dict):
            raise KeyError(call["name"])
        yield ToolCallPart(call["name"], arguments)


def _value(text: str, schema: Mapping[str, Any], name: str) -> Any:
    """The value of a tagged argument. Tags have no types, so the schema decides what is a string."""
    declared = schema.get("properties", {}).get(name, {})
    if isinstance(declared, Mapping) and declared.get("type") == "string":
        return text
    try:
        return msgspec.json.decode(text)
    except UNREADABLE_JSON:
        return text
