"""Finds thinking at the start of a reply's text, where the server has put the opening tag into its prompt."""

from __future__ import annotations

import re
from dataclasses import replace

from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart

_UNOPENED = re.compile(r"((?:(?!<think>).)*?)(?<!`)</think>[ \t]*\n\s*", re.DOTALL)
"""Text that only mentions the tag doesn't end a line with it."""


def without_written_thinking(response: ModelResponse) -> ModelResponse:
    """The reply with such thinking as a part of its own."""
    for place, part in enumerate(response.parts):
        if isinstance(part, TextPart):
            match = _UNOPENED.match(part.content)
            if match is None:
                return response
            rest = [replace(part, content=text)] if (text := part.content[match.end() :]) else []
            parts = [*response.parts[:place], ThinkingPart(match[1].strip()), *rest, *response.parts[place + 1 :]]
            return replace(response, parts=parts)
    return response
