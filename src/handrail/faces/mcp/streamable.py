"""MCP over streamable HTTP, as an ASGI app. Host, Origin and token are the HTTP face's to check."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from handrail.core.gate import Gate
from handrail.faces.mcp.sdk import ServerRequestContext, StreamableHTTPSessionManager
from handrail.faces.mcp.server import build_server

MAX_BODY = 32 * 1024 * 1024


class McpEndpoint:
    def __init__(self, gate: Gate) -> None:
        self._manager = StreamableHTTPSessionManager(
            app=build_server(gate, _peer), max_request_body_size=MAX_BODY, security_settings=None
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        async with self._manager.run():
            yield

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._manager.handle_request(scope, receive, send)


def _peer(context: ServerRequestContext[Any, Any]) -> str:
    client = context.request.client if context.request is not None else None
    return f"http:{client.host}" if client is not None else "http"
