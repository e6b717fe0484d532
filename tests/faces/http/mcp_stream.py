"""A stream on which an MCP client listens, as bytes: everything except the answers to its own calls."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from tests.faces.http.running import Running

_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


@contextmanager
def mcp_stream(server: Running) -> Iterator[socket.socket]:
    session = server.request(
        "POST",
        "/mcp",
        headers={**server.bearer, "accept": "application/json, text/event-stream"},
        json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _HELLO},
    ).headers["mcp-session-id"]
    own = f"Host: localhost:{server.port}\r\nAuthorization: Bearer {server.token}\r\nMcp-Session-Id: {session}\r\n"
    with server.connect() as stream:
        stream.sendall(f"GET /mcp HTTP/1.1\r\n{own}Accept: text/event-stream\r\n\r\n".encode())
        assert stream.recv(12) == b"HTTP/1.1 200"
        yield stream
