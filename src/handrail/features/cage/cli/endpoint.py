"""handrail's own endpoint inside the cage: its MCP server, and the model APIs with the key added."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Mapping, Sequence
from urllib.parse import parse_qsl, urlencode

import httpcore2
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from handrail.features.cage.models import Upstream

_MOST_CONNECTIONS = 32
_NOT_PASSED_ON = frozenset(
    {b"host", b"connection", b"authorization", b"x-api-key", b"x-goog-api-key", b"content-length", b"accept-encoding",
     b"transfer-encoding", b"proxy-authorization", b"proxy-connection", b"keep-alive", b"te", b"upgrade", b"cookie",
     b"x-http-method-override", b"x-http-method", b"x-method-override", b"expect", b"trailer"}
)  # fmt: skip
_NOT_PASSED_BACK = frozenset({b"connection", b"transfer-encoding", b"keep-alive", b"set-cookie"})
_MODEL_SECONDS = 600.0


class Endpoint:
    """`upstreams` are the model APIs that a key was found for; `mcp` is handrail's server and requires the token."""

    def __init__(self, mcp: ASGIApp, token: str, upstreams: Sequence[Upstream]) -> None:
        self._mcp = mcp
        self._token = f"Bearer {token}".encode()
        self._upstreams: Mapping[str, Upstream] = {one.api.name: one for one in upstreams}
        self._pool = httpcore2.AsyncConnectionPool(max_connections=_MOST_CONNECTIONS)
        self._config = Config(self, lifespan="off", log_config=None, access_log=False, server_header=False)
        self._state = ServerState()

    def protocol(self) -> asyncio.Protocol:
        """Returns the HTTP protocol for one connection."""
        return H11Protocol(self._config, self._state, {})

    async def close(self) -> None:
        await self._pool.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        api_name, _, rest = scope["path"].lstrip("/").partition("/")
        if scope["path"] == "/mcp":
            if hmac.compare_digest(headers.get(b"authorization", b""), self._token):
                await self._mcp(scope, receive, send)
            else:
                await _error(401, "This needs the cage's token.")(scope, receive, send)
        elif api_name in self._upstreams and scope["path"].isascii() and ".." not in scope["path"]:
            await self._relay(self._upstreams[api_name], f"/{rest}", scope, receive, send)
        else:
            await _error(404, "There is nothing here.")(scope, receive, send)

    async def _relay(self, upstream: Upstream, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        if not upstream.api.allows(scope["method"], path):
            message = (
                f"Through the cage, {upstream.api.title}'s key opens only its models, not {scope['method']} {path}."
            )
            await _error(403, message)(scope, receive, send)
            return
        query = [pair for pair in parse_qsl(scope["query_string"].decode("latin-1")) if pair[0] != "key"]
        address = f"{upstream.base}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = [(name, value) for name, value in scope["headers"] if name.lower() not in _NOT_PASSED_ON]
        value = f"{upstream.api.scheme}{upstream.key.reveal()}"
        headers.append((upstream.api.header.encode(), value.encode()))
        sizes = [pair for pair in scope["headers"] if pair[0].lower() == b"content-length"]
        timeout = {"connect": 30.0, "read": _MODEL_SECONDS, "write": 60.0, "pool": 60.0}
        body = _body(receive) if scope["method"] == "POST" else None
        try:
            async with self._pool.stream(
                scope["method"], address, headers=[*headers, *sizes], content=body, extensions={"timeout": timeout}
            ) as response:
                response_headers = [
                    (name, value) for name, value in response.headers if name.lower() not in _NOT_PASSED_BACK
                ]
                await send({"type": "http.response.start", "status": response.status, "headers": response_headers})
                async for piece in response.aiter_stream():
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                await send({"type": "http.response.body", "body": b""})
        except (httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError) as error:
            message = f"{upstream.api.title} can't be reached: {str(error) or type(error).__name__}."
            await _error(502, message)(scope, receive, send)


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": {"type": "handrail", "message": f"handrail: {message}"}}, status_code=status)
