"""One HTTP request as it comes in: its head alone, because nothing that we serve has a body to be sent."""

import asyncio
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

_LARGEST_HEAD = 32 * 1024
_METHODS = ("GET", "HEAD")


class BadRequest(Exception):
    """Not to be answered otherwise than by 400 and the end of the connection."""


@dataclass(frozen=True, slots=True)
class Request:
    """`path` is decoded and begins with `/`; `headers` have lower-case names. `raw` is the head as it came."""

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
    """None: the other side has hung up. BadRequest."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError:
        raise BadRequest from None
    if len(raw) > _LARGEST_HEAD:
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


def wanted_range(header: str | None, size: int) -> tuple[int, int] | None:
    """First byte and the one after the last; None: the whole file. ValueError: nothing of it is there."""
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
