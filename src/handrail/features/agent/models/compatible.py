"""Servers that speak OpenAI's chat format with differences: Ollama, llama.cpp, vLLM, LM Studio, OpenRouter.

They give several tool calls one index, put thinking into tags, or ignore that a stream was asked for.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import TYPE_CHECKING, Any

import httpx2
import msgspec
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

_OPEN, _CLOSE = "<think>", "</think>"
_CONNECT_SECONDS = 10.0
_SILENT_SECONDS = 600.0
"""A local model may take minutes to read a long conversation."""


class CompatibleModel(OpenAIChatModel):
    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _Stream


class _Stream(OpenAIStreamedResponse):
    def _validate_response(self) -> AsyncIterable[ChatCompletionChunk]:
        return self._corrected()

    async def _corrected(self) -> AsyncIterator[ChatCompletionChunk]:
        indexes, thinking = ToolCallIndexes(), ThinkingTags()
        async for chunk in self._response:
            for choice in chunk.choices or ():
                if choice.delta is not None:  # some servers send null
                    indexes.correct(choice.delta.tool_calls or ())
                    _separate_thinking(choice.delta, thinking, is_last=bool(choice.finish_reason))
            yield chunk


class ToolCallIndexes:
    """Gives each tool call its own index. A call begins with a name; its other pieces have none."""

    def __init__(self) -> None:
        self._count = 0
        self._newest: dict[int | None, int] = {}
        self._ids: dict[int, str] = {}

    def correct(self, calls: Any) -> None:
        for call in calls:
            given = call.index
            if self._begins(call):
                self._newest[given] = self._count
                self._ids[self._count] = call.id or ""
                self._count += 1
            call.index = self._newest.get(given, 0)

    def _begins(self, call: ChoiceDeltaToolCall) -> bool:
        known = self._newest.get(call.index)
        if known is None:
            return True
        has_name = bool(call.function is not None and call.function.name)
        # A server that repeats the id with each piece may repeat the name as well.
        return has_name and not (call.id and call.id == self._ids[known])


class ThinkingTags:
    """Takes `<think>…</think>` at the beginning of a reply apart from its text."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "before"

    def feed(self, text: str, *, is_last: bool = False) -> tuple[str, str]:
        """Thinking and text. What may be the beginning of a tag is held back until it is known."""
        if self._state == "after":
            return "", text
        self._held += text
        if self._state == "before":
            begun = self._held.lstrip()
            if not begun.startswith(_OPEN):
                if _OPEN.startswith(begun) and not is_last:
                    return "", ""
                return "", self._pass_on()
            self._held, self._state = begun.removeprefix(_OPEN), "within"
        thought, tag, rest = self._held.partition(_CLOSE)
        if tag:
            self._held = rest.lstrip()
            return thought, self._pass_on()
        if is_last:
            self._held = ""
            return thought, ""
        safe = len(self._held) - len(_CLOSE) + 1
        thought, self._held = self._held[: max(safe, 0)], self._held[max(safe, 0) :]
        return thought, ""

    def _pass_on(self) -> str:
        text, self._held, self._state = self._held, "", "after"
        return text


def _separate_thinking(delta: ChoiceDelta, tags: ThinkingTags, *, is_last: bool) -> None:
    if not delta.content and not is_last:
        return
    thought, text = tags.feed(delta.content or "", is_last=is_last)
    delta.content = text or None
    if thought:
        assert delta.model_extra is not None  # OpenAI's types allow more members than they name
        delta.model_extra["reasoning_content"] = thought


def http_client() -> httpx2.AsyncClient:
    timeout = httpx2.Timeout(_SILENT_SECONDS, connect=_CONNECT_SECONDS)
    return httpx2.AsyncClient(transport=_StreamingTransport(httpx2.AsyncHTTPTransport()), timeout=timeout)


class _StreamingTransport(httpx2.AsyncBaseTransport):
    """Turns a whole answer into a stream of one piece, for servers that ignore `stream`."""

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
    """A whole `chat.completion` as server-sent events; anything else as it is, so that it is reported as wrong."""
    try:
        whole = msgspec.json.decode(body)
        (choice,) = whole["choices"]
        delta = choice["message"]
        for index, call in enumerate(delta.get("tool_calls") or ()):
            call["index"] = index
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, AttributeError):
        return body
    chunk = {**whole, "object": "chat.completion.chunk"}
    chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": choice.get("finish_reason") or "stop"}]
    return b"data: " + msgspec.json.encode(chunk) + b"\n\ndata: [DONE]\n\n"
