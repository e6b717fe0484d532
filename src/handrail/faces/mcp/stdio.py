"""MCP over stdin and stdout: one JSON text a line.

A transport of our own under the SDK's server: it bounds a line before it is parsed, reads every message with the one
strict JSON decoder, and needs no thread.
"""

import asyncio
import os
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import anyio
import msgspec
import pydantic

from handrail.faces.mcp.proxy.start import Left
from handrail.faces.mcp.refusal import refusal, rpc_error
from handrail.faces.mcp.sdk import Server, SessionMessage, types
from handrail.faces.mcp.server import CHANGES, build_server
from handrail.faces.mcp.standard_streams import Sink, Source, claimed
from handrail.kernel import strict_json
from handrail.kernel.gate import Gate
from handrail.kernel.line_framer import LineFramer, LongLine
from handrail.kernel.settings import Settings
from handrail.ports.errors import Failure, TooLarge
from handrail.ports.identity import Identity

MAX_LINE = 64 * 1024 * 1024
_MAX_DEPTH = 128
_LAST_ANSWERS_SECONDS = 5.0
_PROBE = "server/discover"
_MEMBERS = ("jsonrpc", "id", "method", "params", "result", "error")


async def serve(gate: Gate, identity: Identity, settings: Settings) -> None:
    """Until the client, whose `identity` the kernel has told, closes our stdin."""
    peer = f"uid:{os.getuid()} ppid:{os.getppid()}"
    server = build_server(gate, lambda context: (peer, identity), settings)
    async with claimed() as (source, sink):
        outgoing = Outgoing(sink, Left.answered)
        incoming = Incoming(source, outgoing, gate, Left.waiting)
        await serve_session(server, incoming, outgoing)


async def serve_session(server: Server[Any], incoming: "Incoming", outgoing: "Outgoing") -> None:
    """The SDK settles for the protocol of the first request. A client that probes for the newest one and then opens
    with an older one gets a new start.
    """
    while True:
        await server.run(incoming, outgoing, server.create_initialization_options(CHANGES))
        if not incoming.is_opened_again:
            return


class _Stream:
    """What the SDK expects of either direction."""

    async def aclose(self) -> None:
        return None

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class Outgoing(_Stream):
    """`answered` are requests whose answers the client has already."""

    def __init__(self, sink: Sink, answered: Sequence[str | int] = ()) -> None:
        self._sink = sink
        self._answered = set(answered)
        self._unanswered: set[str | int] = set()
        self._all_answered = asyncio.Event()
        self._all_answered.set()

    async def send(self, item: SessionMessage) -> None:
        message = item.message
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id in self._answered:
            self._answered.discard(message.id)
            self.settle(message.id)
            return
        fields = {name: getattr(message, name) for name in _MEMBERS if name in message.model_fields_set}
        await self._sink.write(msgspec.json.encode(fields, enc_hook=_plain) + b"\n")
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self.settle(message.id)

    async def send_raw(self, message: dict[str, Any]) -> None:
        await self._sink.write(msgspec.json.encode(message) + b"\n")

    def expect(self, request: str | int) -> None:
        self._unanswered.add(request)
        self._all_answered.clear()

    def settle(self, request: str | int | None) -> None:
        if request is not None:
            self._unanswered.discard(request)
        if not self._unanswered:
            self._all_answered.set()

    async def last_answers(self) -> None:
        """A client that writes its requests and closes the pipe still gets its answers."""
        try:
            async with asyncio.timeout(_LAST_ANSWERS_SECONDS):
                await self._all_answered.wait()
        except TimeoutError:
            return


def _plain(value: Any) -> Any:
    if isinstance(value, pydantic.BaseModel):
        return value.model_dump(by_alias=True, mode="json", exclude_none=True)
    raise TypeError(f"{type(value).__name__} has no JSON form")


class Incoming(_Stream):
    """`waiting` is what was read before."""

    def __init__(self, source: Source, outgoing: Outgoing, gate: Gate, waiting: bytes = b"") -> None:
        self._source = source
        self._framer = LineFramer(MAX_LINE)
        self._lines: deque[bytes | LongLine] = deque(self._framer.feed(waiting))
        self._outgoing = outgoing
        self._gate = gate
        self._has_probed = False
        self._opening: types.JSONRPCRequest | None = None

    @property
    def is_opened_again(self) -> bool:
        """The stream that ended was that of the probe alone."""
        return self._opening is not None

    def __aiter__(self) -> "Incoming":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def receive(self) -> SessionMessage | Exception:
        if self._opening is not None:
            opening, self._opening = self._opening, None
            self._outgoing.expect(opening.id)
            return SessionMessage(opening)
        while (line := await self._next_line()) is not None:
            if (message := await self._read(line)) is not None:
                method = message.method if isinstance(message, types.JSONRPCRequest) else None
                if isinstance(message, types.JSONRPCRequest) and method == "initialize" and self._has_probed:
                    self._has_probed, self._opening = False, message
                    self._outgoing.settle(message.id)
                    await self._outgoing.last_answers()
                    raise anyio.EndOfStream
                self._has_probed = self._has_probed or method == _PROBE
                return SessionMessage(message)
        await self._outgoing.last_answers()
        raise anyio.EndOfStream

    async def _next_line(self) -> bytes | LongLine | None:
        """None at the end of the stream."""
        while not self._lines:
            chunk = await self._source.read()
            self._lines += self._framer.feed(chunk) if chunk else self._framer.end()
            if not chunk and not self._lines:
                return None
        return self._lines.popleft()

    async def _read(self, line: bytes | LongLine) -> types.JSONRPCMessage | None:
        """The message, or None after it was refused."""
        try:
            if isinstance(line, LongLine):
                raise TooLarge(f"A message of {line.size} bytes; at most {MAX_LINE} are read.", maxBytes=MAX_LINE)
            value = strict_json.decode(line, max_bytes=MAX_LINE, max_depth=_MAX_DEPTH)
        except Failure as failure:
            await self._outgoing.send_raw(refusal(self._gate, line, failure))
            return None
        try:
            message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
        except pydantic.ValidationError:
            # The id of an answer to us is of our own numbers, not of the client's.
            known = value.get("id") if isinstance(value, dict) and "method" in value else None
            known = known if isinstance(known, str | int) and not isinstance(known, bool) else None
            await self._outgoing.send_raw(rpc_error(known, types.INVALID_REQUEST, "Not a JSON-RPC 2.0 message."))
            return None
        if isinstance(message, types.JSONRPCNotification) and "id" in value:
            await self._outgoing.send_raw(rpc_error(None, types.INVALID_REQUEST, "An id is a string or an integer."))
            return None
        if isinstance(message, types.JSONRPCRequest):
            self._outgoing.expect(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._outgoing.settle((message.params or {}).get("requestId"))
        return message
