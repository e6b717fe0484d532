"""MCP on a stream of lines, one JSON text each: stdio and the local socket.

We don't use the SDK's session here. Ours limits a line before it is parsed, reads every message with the strict
JSON decoder, validates once, and serves clients that probe for the newest protocol and then open with an older one.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from handrail.faces.mcp.line_request import LineRequest, envelope_of
from handrail.faces.mcp.protocol import (
    COMPLETE,
    FRESH,
    HANDSHAKE_VERSIONS,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    SERVER_KEY,
    STATELESS_VERSIONS,
    SUBSCRIPTION_KEY,
    RpcError,
    client_name,
)
from handrail.faces.mcp.refusal import refusal, rpc_error
from handrail.faces.mcp.server import SERVER_INFO, McpServer
from handrail.faces.mcp.standard_streams import Sink, Source
from handrail.kernel import strict_json
from handrail.kernel.line_framer import LineFramer, LongLine
from handrail.kernel.unexpected_error import unexpected_error
from handrail.ports.errors import Failure, TooLarge

MAX_LINE = 64 * 1024 * 1024
_MAX_DEPTH = 128
_LAST_ANSWERS_SECONDS = 5.0
_LOOK_EVERY_SECONDS = 0.1
_AT_ONCE = ("initialize", "server/discover")
"""Answered before the next message is read: what follows depends on them."""
_NO_BATCHES = "Batches aren't supported: send each message on a line of its own."
_LISTEN = "subscriptions/listen"
_TOOLS_CHANGED = "notifications/tools/list_changed"
_ONLY_STATELESS = (*COMPLETE, *FRESH)


class Opening(msgspec.Struct, frozen=True, rename="camel"):
    """Parameters of `initialize`."""

    protocol_version: str
    capabilities: dict[str, Any]
    client_info: dict[str, Any]


class LineSession:
    """`origin` is what handlers know about the client. `unread` was read from the stream before.

    The client already has the answers to the requests `answered`.
    """

    def __init__(
        self,
        server: McpServer,
        source: Source,
        sink: Sink,
        *,
        origin: Any = None,
        unread: bytes = b"",
        answered: Collection[str | int] = (),
    ) -> None:
        self._server = server
        self._source = source
        self._sink = sink
        self.origin = origin
        self._framer = LineFramer(MAX_LINE)
        self._lines: deque[bytes | LongLine] = deque(self._framer.feed(unread))
        self._answered = set(answered)
        self._running: dict[str | int, asyncio.Task[None]] = {}
        self._listening: set[str | int] = set()
        """Running requests that only end when they are cancelled."""
        self._own_requests: dict[int, asyncio.Future[Mapping[str, Any] | None]] = {}
        self._count = secrets.randbits(32)  # a late answer to an earlier server's question fits none of ours
        self._opening: Opening | None = None
        self._notifying: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Serves until the client closes its side and has its last answers."""
        try:
            while (line := await self._next_line()) is not None:
                await self._take(line)
            await self._last_answers()
        finally:
            self._server.tools_followers.discard(self._notify_of_tools)
            unfinished = [*self._running.values(), *self._notifying]
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        await self._send(message if params is None else {**message, "params": params})

    async def ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Sends a request to the client; None if it answers with an error. When cancelled, notifies the client."""
        self._count += 1
        id = self._count
        answer: asyncio.Future[Mapping[str, Any] | None] = asyncio.get_running_loop().create_future()
        self._own_requests[id] = answer
        try:
            await self._send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            return await answer
        except asyncio.CancelledError:
            cancelled = {"requestId": id, "reason": "No longer needed."}
            await asyncio.shield(asyncio.ensure_future(self.notify("notifications/cancelled", cancelled)))
            raise
        finally:
            del self._own_requests[id]

    def follow_tools(self) -> None:
        self._server.tools_followers.add(self._notify_of_tools)

    def _notify_of_tools(self) -> None:
        task = asyncio.get_running_loop().create_task(self.notify(_TOOLS_CHANGED))
        self._notifying.add(task)
        task.add_done_callback(self._notifying.discard)

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._sink.write(msgspec.json.encode(message) + b"\n")

    async def _next_line(self) -> bytes | LongLine | None:
        """None at the end of the stream."""
        while not self._lines:
            chunk = await self._source.read()
            self._lines += self._framer.feed(chunk) if chunk else self._framer.end()
            if not chunk and not self._lines:
                return None
        return self._lines.popleft()

    async def _last_answers(self) -> None:
        """Waits for answers, so that a client that writes its requests and closes the pipe still gets them.

        A client that was killed reads none.
        """
        pending = {task for id, task in self._running.items() if id not in self._listening}
        loop = asyncio.get_running_loop()
        end = loop.time() + _LAST_ANSWERS_SECONDS
        while pending and not self._sink.is_gone and loop.time() < end:
            _, pending = await asyncio.wait(pending, timeout=_LOOK_EVERY_SECONDS)

    async def _take(self, line: bytes | LongLine) -> None:
        try:
            if isinstance(line, LongLine):
                raise TooLarge(f"A message of {line.size} bytes; at most {MAX_LINE} are read.", maxBytes=MAX_LINE)
            message = strict_json.decode(line, max_bytes=MAX_LINE, max_depth=_MAX_DEPTH)
        except Failure as failure:
            await self._send(refusal(self._server.gate, line, failure))
            return
        if isinstance(message, list) and message:
            await self._refuse_batch(message)
        elif not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            await self._refuse(message, "Not a JSON-RPC 2.0 message.")
        elif "method" not in message:
            await self._take_answer(message)
        elif not isinstance(message["method"], str) or not isinstance(message.get("params", {}), dict):
            await self._refuse(message, "Not a JSON-RPC 2.0 message.")
        elif "id" not in message:
            self._take_notification(message["method"], message.get("params", {}))
        elif not _is_id(message["id"]):
            await self._send(rpc_error(None, INVALID_REQUEST, "An id is a string or an integer."))
        elif message["method"] in _AT_ONCE:
            await self._answer(message["id"], message["method"], message.get("params", {}))
        else:
            self._begin(message["id"], message["method"], message.get("params", {}))

    async def _refuse(self, message: Any, why: str) -> None:
        # The id in an answer to us is one of our own numbers.
        id = message.get("id") if isinstance(message, dict) and "method" in message else None
        await self._send(rpc_error(id if _is_id(id) else None, INVALID_REQUEST, why))

    async def _refuse_batch(self, messages: list[Any]) -> None:
        """Answers each request, because its client waits for an answer with its id."""
        requests = [message for message in messages if isinstance(message, dict) and "method" in message]
        ids = [message["id"] for message in requests if _is_id(message.get("id"))]
        for id in ids or [None]:
            await self._send(rpc_error(id, INVALID_REQUEST, _NO_BATCHES))

    def _begin(self, id: str | int, method: str, params: dict[str, Any]) -> None:
        task = asyncio.get_running_loop().create_task(self._answer(id, method, params))
        self._running[id] = task
        task.add_done_callback(lambda task: self._running.get(id) is task and self._running.pop(id))

    async def _take_answer(self, message: dict[str, Any]) -> None:
        future = self._own_requests.get(message["id"]) if _is_id(message.get("id")) else None
        if future is None:
            if "result" not in message and "error" not in message:
                await self._refuse(message, "Not a JSON-RPC 2.0 message.")
        elif not future.done():
            result = message.get("result")
            future.set_result(result if isinstance(result, dict) and "error" not in message else None)

    def _take_notification(self, method: str, params: dict[str, Any]) -> None:
        id = params.get("requestId", "")
        if method == "notifications/cancelled" and _is_id(id) and id in self._running:
            self._running[id].cancel()

    async def _answer(self, id: str | int, method: str, params: dict[str, Any]) -> None:
        """A request that the client cancels gets no answer."""
        try:
            answer = {"result": await self._result(id, method, params)}
        except RpcError as error:
            answer = {"error": error.encoded()}
        except Exception as fault:  # noqa: BLE001 - logged
            answer = {"error": RpcError(INTERNAL_ERROR, unexpected_error(method, fault).message).encoded()}
        if id in self._answered:
            self._answered.discard(id)
        else:
            await self._send({"jsonrpc": "2.0", "id": id, **answer})

    async def _result(self, id: str | int, method: str, params: dict[str, Any]) -> Mapping[str, Any]:
        if method == "initialize":
            return self._open(params)
        if (envelope := envelope_of(params)) is not None:
            request = LineRequest(self, id, params, envelope.version, envelope.client, envelope.capabilities)
            result = await self._stateless(request, method, params)
            return {**result, "_meta": {SERVER_KEY: SERVER_INFO, **result.get("_meta", {})}}
        if method == "ping":
            return {}
        if self._opening is None:
            if method in self._server.methods:
                raise RpcError(INVALID_PARAMS, "Send `initialize` first.", method)
            raise RpcError(METHOD_NOT_FOUND, "Method not found", method)
        version = _negotiated(self._opening.protocol_version)
        client = client_name(self._opening.client_info)
        request = LineRequest(self, id, params, version, client, self._opening.capabilities)
        result = await self._server.answer(request, method, params)
        return {name: value for name, value in result.items() if name not in _ONLY_STATELESS}

    def _open(self, params: dict[str, Any]) -> dict[str, Any]:
        try:
            self._opening = msgspec.convert(params, Opening)
        except msgspec.ValidationError as error:
            raise RpcError(INVALID_PARAMS, f"Invalid parameters: {error}") from None
        version = _negotiated(self._opening.protocol_version)
        return {
            "protocolVersion": version,
            "capabilities": self._server.capabilities(version),
            "serverInfo": SERVER_INFO,
            "instructions": self._server.instructions,
        }

    async def _stateless(self, request: LineRequest, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "server/discover":
            return {
                "supportedVersions": list(STATELESS_VERSIONS),
                "capabilities": self._server.capabilities(request.version),
                "instructions": self._server.instructions,
                **FRESH,
                **COMPLETE,
            }
        if method == _LISTEN:
            return await self._listen(request, params)
        return await self._server.answer(request, method, params)

    async def _listen(self, request: LineRequest, params: dict[str, Any]) -> dict[str, Any]:
        """Notifies of changed tools until the client cancels it or disconnects."""
        subscribed = params.get("notifications")
        if not isinstance(subscribed, dict):
            raise RpcError(INVALID_PARAMS, "`notifications` is missing.")
        meta = {"_meta": {SUBSCRIPTION_KEY: request.id}}
        changed = asyncio.Event()
        if follows_tools := subscribed.get("toolsListChanged") is True:
            self._server.tools_followers.add(changed.set)
            self._server.tool_watch.start()
        self._listening.add(request.id)
        try:
            honored = {"toolsListChanged": True} if follows_tools else {}
            await self.notify("notifications/subscriptions/acknowledged", {"notifications": honored, **meta})
            while True:
                await changed.wait()
                changed.clear()
                await self.notify(_TOOLS_CHANGED, meta)
        finally:
            self._listening.discard(request.id)
            self._server.tools_followers.discard(changed.set)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _negotiated(version: str) -> str:
    return version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
