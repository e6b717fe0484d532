"""Servers that speak OpenAI's chat format with differences: Ollama, llama.cpp, vLLM, LM Studio, OpenRouter.

They give several tool calls the same index, put thinking into tags, or end without a reason.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Collection, Sequence
from typing import Any

import msgspec
from openai import APIError
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import (
    Choice,
    ChoiceDelta,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
)
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse
from pydantic_ai.usage import RequestUsage

from handrail.features.agent.models.event_stream import is_done
from handrail.features.agent.models.split_characters import SplitCharacters
from handrail.ports.unreadable_json import UNREADABLE_JSON

_TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|channel|>analysis<|message|>": "<|end|>",
}
_BEFORE_TEXT = ("<|start|>assistant<|channel|>final<|message|>", "<|channel|>final<|message|>")
_THINKING = ("reasoning_content", "reasoning")
_FAILED: Collection[str | None] = ("error",)
"""Reasons of an answer's end that OpenAI doesn't have."""
_SERVER_ERROR = 500


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
            self._check(chunk)
            for choice in chunk.choices or ():
                has_ended = has_ended or bool(choice.finish_reason)
                if choice.delta is not None:  # some servers send null
                    corrections.apply(choice.delta, is_last=bool(choice.finish_reason))
            yield chunk
        if not has_ended:
            end = Choice(index=0, delta=ChoiceDelta(), finish_reason="stop" if is_done(self._response.source) else None)
            corrections.apply(end.delta, is_last=True)
            yield ChatCompletionChunk(id="", choices=[end], created=0, model="", object="chat.completion.chunk")

    def _check(self, chunk: ChatCompletionChunk) -> None:
        """Raises an error that is reported as the answer's end, or in a form that OpenAI's library doesn't know."""
        extra = chunk.model_extra or {}
        words = None if chunk.choices else extra.get("message", extra.get("detail"))
        code = extra.get("code")
        if any(choice.finish_reason in _FAILED for choice in chunk.choices or ()):
            words, code = "It ended its answer with an error.", _SERVER_ERROR
        if words:
            body = {"message": str(words), "code": code}
            raise APIError(str(words), self._response.source.response.request, body=body)

    def _add_usage(self, usage: RequestUsage, *, reported: bool, cumulative: bool = False) -> None:
        """Servers that count with each chunk count all of the answer so far."""
        super()._add_usage(usage, reported=reported, cumulative=cumulative or reported)


class Corrections:
    """What is known about a reply's earlier chunks, to correct the next."""

    def __init__(self) -> None:
        self._indexes, self._tags, self._characters = ToolCallIndexes(), ThinkingTags(), SplitCharacters()

    def apply(self, delta: ChoiceDelta, *, is_last: bool) -> None:
        _use_tool_calls(delta)
        if delta.tool_calls:
            delta.tool_calls = self._indexes.correct(delta.tool_calls)
        if is_last and (unnamed := self._indexes.end()):
            delta.tool_calls = [*(delta.tool_calls or ()), *unnamed]
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
    """Gives each tool call its own index and id. Its first piece has a name; some servers repeat it later."""

    def __init__(self) -> None:
        self._newest: dict[int | None, int] = {}
        self._ids: list[str] = []
        self._arguments: list[str] = []
        self._unnamed: dict[int | None, ChoiceDeltaToolCall] = {}
        """Pieces that came before their call's name."""

    def correct(self, calls: Sequence[ChoiceDeltaToolCall]) -> list[ChoiceDeltaToolCall]:
        return [call for call in calls if self._take(call)]

    def end(self) -> list[ChoiceDeltaToolCall]:
        """The calls that never got a name, which the model is told about."""
        unnamed, self._unnamed = [call for call in self._unnamed.values() if _arguments_of(call)], {}
        for index, call in enumerate(unnamed, len(self._ids)):
            call.index = index
        return unnamed

    def _take(self, call: ChoiceDeltaToolCall) -> bool:
        """Corrects a piece of a call. Returns False if it can't be used yet, or repeats what is already there."""
        call.id = None if call.id is None else str(call.id)
        if (earlier := self._unnamed.pop(call.index, None)) is not None:
            _put_before(earlier, call)
        own, arguments = call.index, _arguments_of(call)
        if self._begins(call, own):
            if call.function is None or not call.function.name:
                self._unnamed[own] = call
                return False
            self._newest[own] = len(self._ids)
            self._ids.append(call.id or "")
            self._arguments.append("")
            if call.id and self._ids.count(call.id) > 1:
                call.id = f"{call.id}_{len(self._ids)}"
        else:
            call.id = None
            if call.function is not None:
                call.function.name = None
        call.index = self._newest.get(own, len(self._ids) - 1)
        if arguments and arguments == self._arguments[call.index] and not _is_cut_off(arguments):
            return False
        self._arguments[call.index] += arguments
        return True

    def _begins(self, call: ChoiceDeltaToolCall, index: int | None) -> bool:
        has_name = bool(call.function is not None and call.function.name)
        newest = self._newest.get(index)
        if newest is None:  # later pieces may have no index
            return has_name or index is not None or not self._ids
        if not has_name:
            return False
        if call.id and call.id != self._ids[newest]:
            return True
        if not call.id:
            return not _is_cut_off(self._arguments[newest])
        earlier, arguments = self._arguments[newest], _arguments_of(call)
        is_other = bool(earlier and arguments) and arguments != earlier
        return is_other and not _is_cut_off(earlier) and not _is_cut_off(arguments)


def _put_before(earlier: ChoiceDeltaToolCall, call: ChoiceDeltaToolCall) -> None:
    call.id = call.id or earlier.id
    if earlier.function is not None and earlier.function.arguments:
        call.function = call.function or ChoiceDeltaToolCallFunction()
        call.function.arguments = earlier.function.arguments + (call.function.arguments or "")


def _arguments_of(call: ChoiceDeltaToolCall) -> str:
    """The piece's arguments, if they are a text."""
    arguments = None if call.function is None else call.function.arguments
    return arguments if isinstance(arguments, str) else ""


def _is_cut_off(arguments: str) -> bool:
    try:
        msgspec.json.decode(arguments or "{}")
    except (UnicodeEncodeError, *UNREADABLE_JSON):  # half a character can't be encoded
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
