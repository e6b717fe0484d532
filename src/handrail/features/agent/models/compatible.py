"""Servers that speak OpenAI's chat format with differences: Ollama, llama.cpp, vLLM, LM Studio, OpenRouter.

They give several tool calls the same index, put thinking into tags, or ignore the request for a stream.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import TYPE_CHECKING, Any

import httpx2
import msgspec
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse

from handrail.ports.unreadable_json import UNREADABLE_JSON

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

_TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|channel|>analysis<|message|>": "<|end|>",
}
_BEFORE_TEXT = ("<|start|>assistant<|channel|>final<|message|>", "<|channel|>final<|message|>")
_CONNECT_SECONDS = 10.0
_READ_SECONDS = 600.0
"""A local model may take minutes to read a long conversation."""


class CompatibleModel(OpenAIChatModel):
    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _Stream


class _Stream(OpenAIStreamedResponse):
    def _validate_response(self) -> AsyncIterable[ChatCompletionChunk]:
        return self._correct()

    async def _correct(self) -> AsyncIterator[ChatCompletionChunk]:
        indexes, thinking = ToolCallIndexes(), ThinkingTags()
        async for chunk in self._response:
            for choice in chunk.choices or ():
                if choice.delta is not None:  # some servers send null
                    indexes.correct(choice.delta.tool_calls or ())
                    _separate_thinking(choice.delta, thinking, is_last=bool(choice.finish_reason))
            yield chunk


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


def _separate_thinking(delta: ChoiceDelta, tags: ThinkingTags, *, is_last: bool) -> None:
    if not delta.content and not is_last:
        return
    declared, content = _join_parts(delta.content or "")
    thought, text = tags.feed(content, is_last=is_last)
    delta.content = text or None
    if thought := declared + thought:
        assert delta.model_extra is not None  # OpenAI's types allow extra members
        delta.model_extra["reasoning_content"] = thought


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


def http_client() -> httpx2.AsyncClient:
    timeout = httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS)
    return httpx2.AsyncClient(transport=_StreamingTransport(httpx2.AsyncHTTPTransport()), timeout=timeout)


class _StreamingTransport(httpx2.AsyncBaseTransport):
    """Turns a complete answer into a stream of one piece, for servers that ignore `stream`."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        kind = response.headers.get("content-type", "")
        if response.status_code != 200 or not kind.startswith("application/json") or request.method != "POST":
            return response
        body = await response.aread()
        await response.aclose()
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=as_stream(body))

    async def aclose(self) -> None:
        await self._inner.aclose()


def as_stream(body: bytes) -> bytes:
    """A complete `chat.completion` or an error as server-sent events; anything else unchanged, and then unreadable."""
    try:
        completion = msgspec.json.decode(body)
        if completion.get("error"):
            return _event({"error": completion["error"]})
        (choice,) = completion["choices"]
        delta = choice["message"]
        for index, call in enumerate(delta.get("tool_calls") or ()):
            call["index"] = index
    except (KeyError, TypeError, ValueError, AttributeError, *UNREADABLE_JSON):
        return body
    chunk = {**completion, "object": "chat.completion.chunk"}
    chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": choice.get("finish_reason") or "stop"}]
    return _event(chunk) + b"data: [DONE]\n\n"


def _event(data: Any) -> bytes:
    return b"data: " + msgspec.json.encode(data) + b"\n\n"
