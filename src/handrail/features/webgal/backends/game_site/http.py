"""The game site's HTTP: request heads, small bodies, and files sent in pieces from the project's sandbox."""

import asyncio
import posixpath
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from urllib.parse import unquote_to_bytes

from handrail.features.webgal.script.media import MEDIA_TYPES
from handrail.ports.files import Folder, Stamp

_MAX_REQUEST_HEAD = 32 * 1024
_METHODS = ("GET", "HEAD")


class BadRequest(Exception):
    """Answered with 400; the connection is closed afterwards."""


@dataclass(frozen=True, slots=True)
class Request:
    """`path` is decoded and starts with `/`; `headers` have lower-case names. `raw` is the head as received."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    raw: bytes

    @property
    def wants_socket(self) -> bool:
        return self.headers.get("upgrade", "").lower() == "websocket"

    @property
    def keeps_connection(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


async def next_request(reader: asyncio.StreamReader) -> Request | None:
    """Returns None if the client has closed the connection. Raises BadRequest."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError:
        raise BadRequest from None
    if len(raw) > _MAX_REQUEST_HEAD:
        raise BadRequest
    first, *lines = raw[:-4].decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[0] not in _METHODS or not words[1].startswith("/") or words[2] != "HTTP/1.1":
        raise BadRequest
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip() or name.lower() in ("content-length", "transfer-encoding"):
            raise BadRequest
        if name.lower() == "host" and "host" in headers:
            raise BadRequest
        headers[name.lower()] = value.strip()
    target, _, query = words[1].partition("?")
    try:
        path = unquote_to_bytes(target).decode()
    except UnicodeDecodeError:
        raise BadRequest from None
    return Request(words[0], path, query, headers, raw)


def parse_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Returns the first byte and the one after the last; None for the whole file.

    Raises ValueError if the file has no byte of the range.
    """
    if header is None or not header.startswith("bytes=") or "," in header:
        return None
    first, dash, last = header[6:].partition("-")
    if not dash or not (first + last).isascii() or not (first + last).isdigit():
        return None
    if not first:
        begin, end = max(size - int(last), 0), size
    else:
        begin, end = int(first), min(int(last) + 1, size) if last else size
    if begin >= end:
        raise ValueError
    return begin, end


_TYPES = {
    **MEDIA_TYPES,
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".scss": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".ico": "image/x-icon",
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".webm": "video/webm",
    ".mkv": "video/x-matroska",
    ".ogv": "video/ogg",
    ".mov": "video/quicktime",
    ".ttf": "font/ttf",
    ".otf": "font/otf",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}


def content_type(path: str) -> str:
    return _TYPES.get(posixpath.splitext(path)[1].lower(), "application/octet-stream")


_PIECE = 1 << 20
# A game loads only its own files; only pages of this machine and VS Code may show it in a frame.
# Engines compile shaders and styles, which needs unsafe-eval and unsafe-inline.
# Browsers treat all ports of a host as one site; `origin-agent-cluster` requests a separate process.
_COMMON_HEADERS = (
    "content-security-policy: default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self' http://127.0.0.1:* http://localhost:* vscode-webview: vscode-file:\r\n"
    "x-content-type-options: nosniff\r\n"
    "origin-agent-cluster: ?1\r\n"
    "referrer-policy: no-referrer\r\n"
    "cache-control: no-store\r\n"
)


async def send_text(writer: asyncio.StreamWriter, request: Request, body: bytes, type: str) -> None:
    writer.write(_response_head(HTTPStatus.OK, len(body), type) + (b"" if request.method == "HEAD" else body))
    await writer.drain()


async def send_refusal(writer: asyncio.StreamWriter, status: HTTPStatus, *, is_last: bool = False) -> None:
    """`is_last` closes the connection and tells the client so; otherwise it might send its next request."""
    body = f"{status.phrase}\n".encode()
    extra = "connection: close\r\n" if is_last else ""
    writer.write(_response_head(status, len(body), "text/plain; charset=utf-8", extra) + body)
    await writer.drain()


async def send_file(writer: asyncio.StreamWriter, request: Request, folder: Folder, path: str, stamp: Stamp) -> None:
    """An error after the head was sent closes the connection, so the browser notices that the file is incomplete."""
    try:
        part = parse_range(request.headers.get("range"), stamp.size)
    except ValueError:
        extra = f"content-range: bytes */{stamp.size}\r\n"
        writer.write(_response_head(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, 0, "text/plain", extra))
        await writer.drain()
        return
    begin, end = part or (0, stamp.size)
    status = HTTPStatus.OK if part is None else HTTPStatus.PARTIAL_CONTENT
    extra = "accept-ranges: bytes\r\n"
    extra += "" if part is None else f"content-range: bytes {begin}-{end - 1}/{stamp.size}\r\n"
    writer.write(_response_head(status, end - begin, content_type(path), extra))
    while request.method != "HEAD" and begin < end:
        piece = await asyncio.to_thread(folder.read_at, path, begin, min(_PIECE, end - begin))
        if not piece:
            raise OSError("the file has become shorter")
        writer.write(piece)
        await writer.drain()
        begin += len(piece)


def _response_head(status: HTTPStatus, length: int, type: str, extra: str = "") -> bytes:
    return (
        f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {type}\r\ncontent-length: {length}\r\n"
        f"{_COMMON_HEADERS}{extra}\r\n"
    ).encode("latin-1")


SCRIPT_NAME = "handrail-preview.js"
_SCRIPTS = ("stage_size.js", "preview.js")
_TAG = f'<script src="./{SCRIPT_NAME}"></script>'.encode()


@cache
def script() -> bytes:
    return b"".join(files(__package__).joinpath(name).read_bytes() for name in _SCRIPTS)


def insert_script(page: bytes) -> bytes:
    """Inserts a script before everything else in the page's head, or at its start if it has none."""
    at = page.lower().find(b"<head")
    at = page.find(b">", at) + 1 if at >= 0 else 0
    return page[:at] + _TAG + page[at:]
