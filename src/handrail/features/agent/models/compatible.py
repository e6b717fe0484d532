"""Servers that speak OpenAI's chat format with differences: Ollama, llama.cpp, vLLM, LM Studio, OpenRouter.

They give several tool calls the same index, put thinking into tags, or end without a reason.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import Any

import msgspec
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import (
    Choice,
    ChoiceDelta,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
)
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse

from handrail.features.agent.models.event_stream import is_done
from handrail.features.agent.models.split_characters import SplitCharacters
from handrail.ports.unreadable_json import UNREADABLE_JSON

_TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|channel|>analysis<|message|>": "<|end|>",
}
_BEFORE_TEXT = ("<|start|>assistant<|channel|>final<|message|>", "<|channel|>final<|message|>")
_THINKING = ("reasoning_content", "reasoning")


class CompatibleModel(OpenAIChatModel):
    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _Stream


class _Stream(OpenAIStreamedResponse):
    def _validate_response(self) -> AsyncIterable[ChatCompletionChunk]:
        return self._correct()

    async def _correct(self) -> AsyncIterator[ChatCompletionChunk]:
        corrections, has_ended = Corrections(), False
        async for chunk in self._response:
            for choice in chunk.choices or ():
                has_ended = has_ended or bool(choice.finish_reason)
                if choice.delta is not None:  # some servers send null
                    corrections.apply(choice.delta, is_last=bool(choice.finish_reason))
            yield chunk
        if not has_ended:
            end = Choice(index=0, delta=ChoiceDelta(), finish_reason="stop" if is_done(self._response.source) else None)
            corrections.apply(end.delta, is_last=True)
            yield ChatCompletionChunk(id="", choices=[end], created=0, model="", object="chat.completion.chunk")


class Corrections:
    """What is known about a reply's earlier chunks, to correct the next."""

    def __init__(self) -> None:
        self._indexes, self._tags, self._characters = ToolCallIndexes(), ThinkingTags(), SplitCharacters()

    def apply(self, delta: ChoiceDelta, *, is_last: bool) -> None:
        _use_tool_calls(delta)
        self._indexes.correct(delta.tool_calls or ())
        for call in delta.tool_calls or ():
            if call.function is not None and isinstance(call.function.arguments, str):
                call.function.arguments = self._characters.join(call.index, call.function.arguments)
        extra = delta.model_extra
        assert extra is not None  # OpenAI's types allow extra members
        for name in _THINKING:
            if isinstance(thought := extra.get(name), str):
                extra[name] = self._characters.join(name, thought)
        if not delta.content and not is_last:
            return
        declared, content = _join_parts(delta.content or "")
        content = self._characters.join("content", content, is_last=is_last)
        thought, text = self._tags.feed(content, is_last=is_last)
        delta.content = text or None
        if thought := declared + thought:
            extra["reasoning_content"] = thought


def _use_tool_calls(delta: ChoiceDelta) -> None:
    """Replaces the call of the format from before tool calls."""
    function = delta.function_call
    if function is not None and (function.name or function.arguments) and not delta.tool_calls:
        called = ChoiceDeltaToolCallFunction(name=function.name, arguments=function.arguments)
        delta.tool_calls = [ChoiceDeltaToolCall(index=0, function=called, type="function")]


class ToolCallIndexes:
    """Gives each tool call its own index. The first piece of a call has a name; some servers repeat it later."""

    def __init__(self) -> None:
        self._newest: dict[int | None, int] = {}
        self._ids: list[str] = []
        self._arguments: list[str] = []

    def correct(self, calls: Any) -> None:
        for call in calls:
            if self._begins(call, call.index):
                self._newest[call.index] = len(self._ids)
                self._ids.append(call.id or "")
                self._arguments.append("")
            elif call.function is not None:
                call.function.name = None
            call.index = self._newest.get(call.index, len(self._ids) - 1)
            if call.function is not None and isinstance(call.function.arguments, str):
                self._arguments[call.index] += call.function.arguments

    def _begins(self, call: ChoiceDeltaToolCall, index: int | None) -> bool:
        has_name = bool(call.function is not None and call.function.name)
        newest = self._newest.get(index)
        if newest is None:  # later pieces may have no index
            return has_name or index is not None or not self._ids
        if not has_name:
            return False
        return call.id != self._ids[newest] if call.id else not _is_cut_off(self._arguments[newest])


def _is_cut_off(arguments: str) -> bool:
    try:
        msgspec.json.decode(arguments or "{}")
    except UNREADABLE_JSON:
        return True
    return False


class ThinkingTags:
    """Separates tagged thinking at the beginning of a reply from its text."""

    def __init__(self) -> None:
        self._buffer = ""
        self._close: str | None = None
        """The tag that ends the thinking; None outside of it."""
        self._has_begun_text = False

    def feed(self, text: str, *, is_last: bool = False) -> tuple[str, str]:
        """Returns thinking and text. What may be the beginning of a tag is held back until more of it is there."""
        if self._has_begun_text:
            return "", text
        self._buffer += text
        thought = ""
        while True:
            if self._close is None:
                self._open()
            if self._close is None:
                start = self._buffer.lstrip()
                may_be_tag = any(tag.startswith(start) for tag in (*_TAGS, *_BEFORE_TEXT))
                return thought, "" if may_be_tag and not is_last else self._flush()
            piece, tag, rest = self._buffer.partition(self._close)
            if not tag:
                held = 0 if is_last else len(self._close) - 1
                safe = max(len(self._buffer) - held, 0)
                thought, self._buffer = thought + self._buffer[:safe], self._buffer[safe:]
                return thought, ""
            thought, self._buffer, self._close = thought + piece, rest.lstrip(), None

    def _open(self) -> None:
        start = self._buffer.lstrip()
        for tag, close in _TAGS.items():
            if start.startswith(tag):
                self._buffer, self._close = start.removeprefix(tag), close
                return

    def _flush(self) -> str:
        text, self._buffer, self._has_begun_text = self._buffer, "", True
        for prefix in _BEFORE_TEXT:
            text = text.removeprefix(prefix)
        return text


def _join_parts(content: Any) -> tuple[str, str]:
    """Returns thinking and text. Mistral sends the content in parts while a model thinks."""
    if isinstance(content, str):
        return "", content
    thoughts, texts = [], []
    for part in content if isinstance(content, list) else ():
        match part:
            case {"type": "thinking", "thinking": list(inner)}:
                thoughts.append(_join_parts(inner)[1])
            case {"text": str(text)}:
                texts.append(text)
    return "".join(thoughts), "".join(texts)
