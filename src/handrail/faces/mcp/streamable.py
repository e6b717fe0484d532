"""MCP over streamable HTTP, as an ASGI app. The HTTP face has already checked Host, Origin and token.

The SDK is imported with the first request, because that takes as long as the rest of a server's start.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from handrail.faces.mcp.protocol import Request
from handrail.faces.mcp.refusal import refusal
from handrail.faces.mcp.server import McpServer
from handrail.kernel import strict_json
from handrail.kernel.gate import Gate
from handrail.kernel.settings import Settings
from handrail.ports.errors import Failure, TooLarge
from handrail.ports.identity import SERVER_TOKEN, Identity

if TYPE_CHECKING:
    from handrail.faces.mcp.sdk import StreamableHTTPSessionManager

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MAX_BODY = 32 * 1024 * 1024
_MAX_DEPTH = 128
_SESSION = b"mcp-session-id"


class McpEndpoint:
    """`identity_of` returns the caller of a request. Only the identity that began a session can use it."""

    def __init__(
        self,
        gate: Gate,
        identity_of: Callable[[Message], Identity],
        settings: Settings,
        *,
        is_stateless: bool = False,
        name_of: Callable[[Message], str] | None = None,
    ) -> None:
        """With `is_stateless`, requests have no session, so that each may go to any of several servers.

        `name_of` returns the caller's name for people; by default it is what the client calls itself.
        """
        self._is_stateless = is_stateless
        self._name_of = name_of
        self._gate = gate
        self._identity_of = identity_of
        self._sessions: dict[str, str] = {}
        self._settings = settings
        self._is_needed = asyncio.Event()
        self._has_ended = asyncio.Event()
        self._manager: asyncio.Future[StreamableHTTPSessionManager]

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        self._manager = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(self._serve())
        try:
            yield
        finally:
            self._has_ended.set()
            self._is_needed.set()
            await serving

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            body = await _body(receive)
            if body is None:
                return
            try:
                _check(body)
            except Failure as failure:
                await JSONResponse(self._refusal(body, failure), status_code=400)(scope, receive, send)
                return
            receive = _replayed(body, receive)
        self._is_needed.set()
        manager = await asyncio.shield(self._manager)
        identity = self._identity_of(scope).connection
        scope["user"] = _user(identity)
        await manager.handle_request(scope, receive, self._track_session(identity, send))

    async def end_sessions(self, is_valid: Callable[[str], bool]) -> None:
        """Ends the sessions of identities that are no longer valid, and their running calls."""
        for session, identity in list(self._sessions.items()):
            if not is_valid(identity):
                del self._sessions[session]
                scope = {
                    "type": "http",
                    "method": "DELETE",
                    "path": "/mcp",
                    "query_string": b"",
                    "user": _user(identity),
                }
                scope["headers"] = [(_SESSION, session.encode())]
                await (await self._manager).handle_request(scope, _nothing_more, _unread)

    def _track_session(self, identity: str, send: Send) -> Send:
        async def send_tracked(message: Message) -> None:
            if message["type"] == "http.response.start":
                for name, value in message.get("headers", ()):
                    if name.lower() == _SESSION:
                        self._sessions[value.decode("latin-1")] = identity
            await send(message)

        return send_tracked

    async def _serve(self) -> None:
        """Runs the manager in one task, as its task group requires."""
        await self._is_needed.wait()
        if self._has_ended.is_set():
            return
        try:
            manager = await asyncio.to_thread(self._make_manager)
        except BaseException as fault:
            self._manager.set_exception(fault)
            raise
        async with manager.run():
            self._manager.set_result(manager)
            await self._has_ended.wait()

    def _make_manager(self) -> StreamableHTTPSessionManager:
        from handrail.faces.mcp.sdk import StreamableHTTPSessionManager
        from handrail.faces.mcp.sdk_server import sdk_server

        return StreamableHTTPSessionManager(
            app=sdk_server(McpServer(self._gate, self._peer, self._settings, name=self._name)),
            max_request_body_size=MAX_BODY,
            security_settings=None,
            stateless=self._is_stateless,
        )

    def _peer(self, request: Request) -> tuple[str, Identity]:
        if (http := request.source) is None:
            return "http", Identity(SERVER_TOKEN, SERVER_TOKEN)
        where = f"http:{http.client.host}" if http.client is not None else "http"
        return where, self._identity_of(http.scope)

    def _name(self, request: Request) -> str:
        if self._name_of is None or request.source is None:
            return request.client
        return self._name_of(request.source.scope)

    def _refusal(self, body: bytes, failure: Failure) -> dict[str, Any]:
        return refusal(self._gate, body, failure)


def _check(body: bytes) -> None:
    """Our decoder refuses JSON that two parsers could read differently, because the SDK parses the body again."""
    if len(body) > MAX_BODY:
        raise TooLarge(f"A message of more than {MAX_BODY} bytes.", maxBytes=MAX_BODY)
    strict_json.decode(body, max_bytes=MAX_BODY, max_depth=_MAX_DEPTH)


async def _body(receive: Receive) -> bytes | None:
    """The request body, read up to just over the limit; None if the client disconnected."""
    parts: list[bytes] = []
    size = 0
    while size <= MAX_BODY:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if not message.get("more_body", False):
            break
    return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_sent = False

    async def receive_body() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_body


def _user(identity: str) -> Any:
    """The SDK's user object, by which it knows the owner of a session."""
    from handrail.faces.mcp.sdk import AccessToken, AuthenticatedUser

    return AuthenticatedUser(AccessToken(token="", client_id=identity, scopes=[]))


async def _nothing_more() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unread(message: Message) -> None:
    """Discards an answer."""
