"""Reads the arguments of a tool call as models write them."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import msgspec

_FENCED = re.compile(r"\s*```(?:\w+)?\n(.*?)\n?```\s*", re.DOTALL)
_CLOSING = "}]` \t\r\n"
_UNREADABLE = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)
_decoder = json.JSONDecoder(strict=False)  # line breaks in a string are clear enough


def arguments_text(arguments: Any) -> str:
    """The arguments as JSON. What can't be read stays as it is, for an error that the model sees."""
    if not isinstance(arguments, str):
        return "{}" if arguments is None else msgspec.json.encode(arguments).decode()
    if _is_object(arguments):
        return arguments
    value = _value(arguments)
    return msgspec.json.encode(value).decode() if isinstance(value, dict) else arguments or "{}"


def as_object(arguments: Any) -> dict[str, Any]:
    """The arguments for a conversation: servers refuse one in which they aren't an object."""
    text = arguments_text(arguments)
    return msgspec.json.decode(text) if _is_object(text) else {"unreadable": text}


def _is_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.MsgspecError, RecursionError):
        return False


def _value(text: str) -> Any:
    """Understands JSON that is fenced, encoded twice, repeated or closed twice, and Python; otherwise None."""
    text = fenced[1] if (fenced := _FENCED.fullmatch(text)) else text.strip()
    try:
        value, end = _decoder.raw_decode(text)
        rest = text[end:]
        if rest.strip(_CLOSING) and rest.strip() != text[:end]:
            return None
    except _UNREADABLE:
        try:
            return ast.literal_eval(text)
        except _UNREADABLE:
            return None
    if isinstance(value, str) and value != text:
        return _value(value)
    return {} if value is None else value
