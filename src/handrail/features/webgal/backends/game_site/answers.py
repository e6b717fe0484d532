"""What goes back over a connection: heads, small bodies, and files piece by piece through the project's sandbox."""

import asyncio
from http import HTTPStatus

from handrail.features.webgal.backends.game_site.content_types import content_type
from handrail.features.webgal.backends.game_site.requests import Request, wanted_range
from handrail.ports.files import Folder, Stamp

_PIECE = 1 << 20
# A game loads what is its own; only pages of this machine may show it in a frame. Engines compile shaders and styles.
# A cluster of its own gets a process of its own: to a browser, all ports of a host are one site.
_ALWAYS = (
    "content-security-policy: default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self' http://127.0.0.1:* http://localhost:*\r\n"
    "x-content-type-options: nosniff\r\n"
    "origin-agent-cluster: ?1\r\n"
    "referrer-policy: no-referrer\r\n"
    "cache-control: no-store\r\n"
)


async def send_text(writer: asyncio.StreamWriter, request: Request, body: bytes, type: str) -> None:
    writer.write(_head(HTTPStatus.OK, len(body), type) + (b"" if request.method == "HEAD" else body))
    await writer.drain()


async def send_refusal(writer: asyncio.StreamWriter, status: HTTPStatus) -> None:
    body = f"{status.phrase}\n".encode()
    writer.write(_head(status, len(body), "text/plain; charset=utf-8") + body)
    await writer.drain()


async def send_file(writer: asyncio.StreamWriter, request: Request, folder: Folder, path: str, stamp: Stamp) -> None:
    """OSError and Failure after the head has gone end the connection: the browser sees that something is missing."""
    try:
        part = wanted_range(request.headers.get("range"), stamp.size)
    except ValueError:
        extra = f"content-range: bytes */{stamp.size}\r\n"
        writer.write(_head(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, 0, "text/plain", extra))
        await writer.drain()
        return
    begin, end = part or (0, stamp.size)
    status = HTTPStatus.OK if part is None else HTTPStatus.PARTIAL_CONTENT
    extra = "accept-ranges: bytes\r\n"
    extra += "" if part is None else f"content-range: bytes {begin}-{end - 1}/{stamp.size}\r\n"
    writer.write(_head(status, end - begin, content_type(path), extra))
    while request.method != "HEAD" and begin < end:
        piece = await asyncio.to_thread(folder.read_at, path, begin, min(_PIECE, end - begin))
        if not piece:
            raise OSError("the file has become shorter")
        writer.write(piece)
        await writer.drain()
        begin += len(piece)


def _head(status: HTTPStatus, length: int, type: str, extra: str = "") -> bytes:
    return (
        f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {type}\r\ncontent-length: {length}\r\n"
        f"{_ALWAYS}{extra}\r\n"
    ).encode("latin-1")
