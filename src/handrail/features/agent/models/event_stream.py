"""Reads a server's answer as a stream of events, whatever its content type says.

Some servers ignore `stream`, and some begin with a byte order mark, which hides the first event.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import httpx2
import msgspec

from handrail.ports.unreadable_json import UNREADABLE_JSON

if TYPE_CHECKING:
    from openai import AsyncStream

_CONNECT_SECONDS = 10.0
_READ_SECONDS = 600.0
"""A local model may take minutes to read a long conversation."""
_DONE = re.compile(rb"[\r\n]data: ?\[DONE\]")
_DONE_LENGTH = len(b"\ndata: [DONE]")
_ANSWER = "handrail.answer"
_OTHER_LENGTH = ("content-encoding", "content-length", "transfer-encoding")


def http_client() -> httpx2.AsyncClient:
    timeout = httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS)
    return httpx2.AsyncClient(transport=_StreamingTransport(httpx2.AsyncHTTPTransport()), timeout=timeout)


def is_done(stream: AsyncStream[Any]) -> bool:
    """Whether the server has said that the answer is complete, which its library drops."""
    answer = stream.response.extensions.get(_ANSWER)
    return isinstance(answer, _Answer) and answer.is_done


class _StreamingTransport(httpx2.AsyncBaseTransport):
    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        if response.status_code != 200 or request.method != "POST":
            return response
        answer = _Answer(response)
        headers = [(name, value) for name, value in response.headers.items() if name not in _OTHER_LENGTH]
        return httpx2.Response(200, headers=headers, stream=answer, extensions={**response.extensions, _ANSWER: answer})

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Answer(httpx2.AsyncByteStream):
    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.is_done = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        before = b"\n"
        async for piece in self._events():
            before += piece
            self.is_done = self.is_done or _DONE.search(before) is not None
            before = before[-_DONE_LENGTH:]
            yield piece

    async def _events(self) -> AsyncIterator[bytes]:
        pieces, start = readable(self._response.aiter_bytes()), b""
        async for piece in pieces:
            start += piece
            if start.removeprefix(codecs.BOM_UTF8).strip() and not codecs.BOM_UTF8.startswith(start):
                break
        start = start.removeprefix(codecs.BOM_UTF8).lstrip()
        if start.startswith(b"{"):
            yield as_stream(start + b"".join([piece async for piece in pieces]))
            return
        yield start
        async for piece in pieces:
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


async def readable(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Replaces bytes that aren't UTF-8, so that one doesn't make the whole answer unreadable."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    async for piece in pieces:
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", final=True).encode()


def as_stream(body: bytes) -> bytes:
    """A complete `chat.completion` or an error as server-sent events; anything else unchanged, and then unreadable."""
    try:
        completion = msgspec.json.decode(body)
        if completion.get("error"):
            return _event({"error": completion["error"]})
        if "choices" not in completion and (completion.get("message") or completion.get("detail")):
            return _event(completion)
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
