"""Finds tool calls in a reply's text, for servers that don't recognize their model's calls."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

import msgspec
import re2
from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ThinkingPart, ToolCallPart

from handrail.features.agent.models.call_arguments import as_object
from handrail.ports.unreadable_json import UNREADABLE_JSON

_OPENING = (
    r"<tool_call>|<\|tool_call\|>|<\|python_tag\|>|\[TOOL_CALLS\]|```tool_call\n|<function=|<\|tool_call_begin\|>"
    r"|<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?|<\|(?:channel\|>commentary|start\|>assistant) to="
    r"|<tool_calls>|<function_call>|<tool_use>|<TOOLCALL>|\[TOOL_(?:CALL|REQUEST)\]|functools(?=\[)|<\|plugin\|>"
)
_AFTER_NAME = (
    r"\[ARGS\]|>|<｜tool▁sep｜>|\n```json\n|:\d{1,4}<\|tool_call_argument_begin\|>"
    r"|(?:<\|channel\|>commentary)? ?(?:<\|constrain\|>)?(?:json)?<\|message\|>"
)
_JSON_CALL = re.compile(rf"(?:{_OPENING})\s*(?:```(?:json)?\s*)?(?:(?P<name>[\w.-]+)(?:{_AFTER_NAME})?\s*)?(?=[{{\[])")
"""Arguments as JSON after the tool's name, or JSON that contains the name."""
_END = re.compile(
    r"}?\s*(?:```\s*)?(?:</tool_call>|</tool_calls>|</function_call>|</tool_use>|</TOOLCALL>|\[/TOOL_CALL\]"
    r"|\[END_TOOL_REQUEST\]|<\|action_end\|>|</function>|<\|/tool_call\|>|<\|tool_call_end\|>|(?:```)?<｜tool▁call▁end｜>|<\|call\|>|```|$)"
    r"|(?=\s|\[TOOL_CALLS\])"
)
_ENDS_OF_CALLS = ("</tool_call>", "</function>", "</invoke>", "<|tool_call_end|>", "<｜tool▁call▁end｜>", "<|call|>")
_AROUND_CALLS = re.compile(
    r"<\|tool_calls_section_(?:begin|end)\|>|<｜tool▁calls▁(?:begin|end)｜>|</?(?:minimax:tool_call|tool_call)>"
    r"|</?(?:｜DSML｜)?function_calls>|</?seed:tool_call>|<\|action_start\|>|<\|start\|>assistant$"
)
# RE2, because these would take minutes on a text that opens many calls and closes none.
_TAGGED_CALL = re2.compile(r"(?s)<function=([\w.-]+)>((?:\s*<parameter=.*?)?)\s*</function>")
_TAGGED_ARGUMENT = re2.compile(r"(?s)<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>")
_INVOKED_CALL = re2.compile(r'(?s)<(?:｜DSML｜)?invoke name="([\w.-]+)">(.*?)</(?:｜DSML｜)?invoke>')
_INVOKED_ARGUMENT = re2.compile(
    r'(?s)<(?:｜DSML｜)?parameter name="([\w.-]+)"[^>]*>\n?(.*?)\n?</(?:｜DSML｜)?parameter>'
)
_PAIRED_CALL = re2.compile(r"(?s)<tool_call>\s*([\w.-]+)\s*((?:<arg_key>.*?</arg_value>\s*)*)</tool_call>")
_PAIRED_ARGUMENT = re2.compile(r"(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>")
_TAGGED = (
    (_TAGGED_CALL, _TAGGED_ARGUMENT),
    (_INVOKED_CALL, _INVOKED_ARGUMENT),
    (_PAIRED_CALL, _PAIRED_ARGUMENT),
)
_NAME = re.compile(
    r"""["'`]?(?:.*?[.:/]|(?:mcp__)?handrail__?)?([\w-]+)["'`]?(?:\(\))?(?::\d{1,4})?(?:<\|.*)?""", re.DOTALL
)
"""A tool's name with a namespace, quotes, the number of the call, or the beginning of a mark."""
_FENCED = re.compile(r"```(?:json)?\n(.*)\n```", re.DOTALL)
_MOST_UNREADABLE = 100
_decoder = json.JSONDecoder(strict=False)  # some models write line breaks into strings
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_MARKED_PYTHON = re2.compile(r"(?s)<\|tool_call_start\|>(.*?)<\|tool_call_end\|>|```tool_code\n(.*?)\n```")
_PYTHON_CALL = re.compile(r"\[?\s*[\w.]+\(")
_MAX_PYTHON = 100_000

Tools = Mapping[str, Mapping[str, Any]]
"""The schemas of the offered tools' parameters."""


def with_written_calls(response: ModelResponse, tools: Tools) -> ModelResponse:
    """The reply with the calls in its text as tool calls. Calls of tools that aren't in `tools` stay text."""
    if any(isinstance(part, ToolCallPart) for part in response.parts):
        return replace(response, parts=[_corrected(part, tools) for part in response.parts])
    parts: list[ModelResponsePart] = []
    for part in response.parts:
        if isinstance(part, TextPart):
            text, calls = _extract(part.content, tools)
            if calls:
                parts += [replace(part, content=text)] if text else []
                parts += calls
                continue
        parts.append(part)
    return replace(response, parts=[*parts, *_calls_after_thinking(parts, tools)])


def _corrected(part: ModelResponsePart, tools: Tools) -> ModelResponsePart:
    """The call with the offered tool's own name."""
    if not isinstance(part, ToolCallPart):
        return part
    call = cast("ToolCallPart", part)
    return replace(call, tool_name=_offered(call.tool_name, tools) or call.tool_name)


def _offered(name: str, tools: Tools) -> str | None:
    """The offered tool that a model means, which may write more around its name; None if there is none."""
    name = name.strip()
    if name in tools:
        return name
    own = _NAME.fullmatch(name)
    meant = own[1].casefold().replace("-", "_") if own else ""
    return next((tool for tool in tools if tool.casefold().replace("-", "_") == meant), None)


def _calls_after_thinking(parts: list[ModelResponsePart], tools: Tools) -> list[ToolCallPart]:
    """The calls in a reply that ends with them without having closed its thinking."""
    if len(parts) != 1 or not isinstance(part := parts[0], ThinkingPart):
        return []
    return _extract(part.content, tools)[1] if part.content.rstrip().endswith(_ENDS_OF_CALLS) else []


def _extract(text: str, tools: Tools) -> tuple[str, list[ToolCallPart]]:
    if (calls := _whole_call(text.strip(), tools)) is not None:
        return "", calls
    calls = []

    def take_python(match: Any) -> str:
        found = _python_calls(match[1] or match[2], tools) or []
        calls.extend(found)
        return "" if found else str(match[0])

    text = _MARKED_PYTHON.sub(take_python, _extract_json(text, tools, calls))
    for call, argument in _TAGGED:

        def take(match: Any, argument: Any = argument) -> str:
            name = _offered(match[1], tools)
            if name is None:
                return str(match[0])
            arguments = {key: _value(value, tools[name], key) for key, value in argument.findall(match[2])}
            calls.append(ToolCallPart(name, arguments))
            return ""

        text = call.sub(take, text)
    return _AROUND_CALLS.sub("", text).strip() if calls else text, calls


def _whole_call(text: str, tools: Tools) -> list[ToolCallPart] | None:
    """The call that is the whole text, as Llama writes it; None if it is something else."""
    text = fenced[1] if (fenced := _FENCED.fullmatch(text)) else text
    if _PYTHON_CALL.match(text) and text.endswith((")", "]")):
        return _python_calls(text, tools)
    if not text.startswith(("{", "[")) or '"name"' not in text:
        return None
    try:
        value = _decoder.decode(text)
        first = value[0] if isinstance(value, list) else value
        is_call = any(name in first for name in _ARGUMENTS)
        return list(_calls_in(value, tools)) if is_call else None
    except (ValueError, LookupError, TypeError, AttributeError, *UNREADABLE_JSON):
        return None


def _python_calls(text: str, tools: Tools) -> list[ToolCallPart] | None:
    """The calls of a text that is nothing else, written as in Python; None if it isn't one of those."""
    try:
        tree = ast.parse(text[:_MAX_PYTHON].strip(), mode="eval").body
        nodes = tree.elts if isinstance(tree, ast.List) else [tree]
        return [_python_call(node, tools) for node in nodes] or None
    except (ValueError, SyntaxError, LookupError, RecursionError, MemoryError):
        return None


def _python_call(node: ast.expr, tools: Tools) -> ToolCallPart:
    """Raises ValueError if it is anything but a call of an offered tool with named literals."""
    name = _offered(ast.unparse(node.func), tools) if isinstance(node, ast.Call) and not node.args else None
    if name is None or not isinstance(node, ast.Call):
        raise ValueError(ast.dump(node))
    return ToolCallPart(
        name, {keyword.arg: ast.literal_eval(keyword.value) for keyword in node.keywords if keyword.arg}
    )


def _extract_json(text: str, tools: Tools, calls: list[ToolCallPart]) -> str:
    """The text without the calls that are written as JSON, which are added to `calls`."""
    kept, at, unreadable = "", 0, 0
    while unreadable < _MOST_UNREADABLE and (start := _JSON_CALL.search(text, at)) is not None:
        try:
            value, end = _decoded(text, start.end())
            named = value if start["name"] is None else {"name": start["name"], "arguments": value}
            found = list(_calls_in(named, tools))
        except (ValueError, KeyError, TypeError, AttributeError, *UNREADABLE_JSON):
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


def _decoded(text: str, start: int) -> tuple[Any, int]:
    """The JSON at `start` and its end. Small models leave out the last brace before the closing tag."""
    try:
        return _decoder.raw_decode(text, start)
    except ValueError:
        end = text.find(_ENDS_OF_CALLS[0], start)
        if end < 0:
            raise
        return _decoder.decode(f"{text[start:end].rstrip()}}}"), end


def _calls_in(value: Any, tools: Tools) -> Iterator[ToolCallPart]:
    """Raises KeyError if one of them isn't a call of an offered tool."""
    for call in value if isinstance(value, list) else [value]:
        call = call.get("function", call)
        arguments = next((call[name] for name in _ARGUMENTS if name in call), None) or {}
        if isinstance(arguments, str):
            arguments = as_object(arguments)
        name = _offered(call["name"], tools)
        if name is None or not isinstance(arguments, dict):
            raise KeyError(call["name"])
        yield ToolCallPart(name, arguments)


def _value(text: str, schema: Mapping[str, Any], name: str) -> Any:
    """The value of a tagged argument. Tags have no types, so the schema decides what is a string."""
    declared = schema.get("properties", {}).get(name, {})
    if isinstance(declared, Mapping) and declared.get("type") == "string":
        return text
    try:
        return msgspec.json.decode(text)
    except UNREADABLE_JSON:
        return text
