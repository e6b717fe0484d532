"""The head of a proxy request, parsed so strictly that it can mean only one thing."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from handrail.kernel.host_name import canonical_host
from handrail.ports.errors import InvalidParams

LONGEST_HEAD = 64 * 1024
_LINE = re.compile(rb"(?P<method>[!#$%&'*+.^_`|~0-9A-Za-z-]+) (?P<target>[!-~]+) HTTP/1\.[01]")
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:@/\[\]]+):(?P<port>[0-9]{1,5})")
_HEADER = re.compile(rb"(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(?P<value>[^\r\n\0]*?)[ \t]*")
_HOP_HEADERS = frozenset(
    {b"connection", b"proxy-connection", b"proxy-authorization", b"keep-alive", b"te", b"upgrade", b"host"}
)


@dataclass(frozen=True, slots=True)
class RequestHead:
    """`kind` is `tunnel` (CONNECT), `forward` (a full http:// address) or `own` (a path of handrail's endpoint)."""

    kind: str
    host: str = ""
    port: int = 0
    forwarded: bytes = b""
    """The head as the server gets it: without the proxy's headers, and with the checked host."""
    body_size: int = 0


def read_head(head: bytes) -> RequestHead:
    """`head` ends with an empty line. InvalidParams."""
    line, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    match = _LINE.fullmatch(line)
    if match is None:
        raise InvalidParams("This is not an HTTP request.")
    target = match["target"].decode("ascii")
    if match["method"] == b"CONNECT":
        return RequestHead("tunnel", *_authority(target))
    if target.startswith("/"):
        return RequestHead("own")
    if not target.lower().startswith("http://"):
        raise InvalidParams("The proxy forwards http:// addresses and tunnels.")
    return _forwarded(match["method"], target, rest)


def _authority(text: str) -> tuple[str, int]:
    match = _AUTHORITY.fullmatch(text)
    host = None if match is None else canonical_host(match["host"])
    if match is None or host is None or not 0 < int(match["port"]) < 65536:
        raise InvalidParams(f"{text!r} is not a host and port.")
    return host, int(match["port"])


def _forwarded(method: bytes, target: str, lines: list[bytes]) -> RequestHead:
    parts = urlsplit(target)
    host, port = _authority(parts.netloc if ":" in parts.netloc.rpartition("]")[2] else f"{parts.netloc}:80")
    headers = [_HEADER.fullmatch(line) for line in lines]
    if not all(headers):
        raise InvalidParams("A header can't be read.")
    pairs = [(each["name"].lower(), each["name"], each["value"]) for each in headers if each is not None]
    listed = b",".join(value for name, _, value in pairs if name == b"connection")
    # Without Content-Length, the body would be read as the next request, which could name any host.
    dropped = _HOP_HEADERS | {word.strip().lower() for word in listed.split(b",")} - {b"content-length"}
    sizes = {value for name, _, value in pairs if name == b"content-length"}
    if any(name == b"transfer-encoding" for name, _, _ in pairs):
        raise InvalidParams("The proxy forwards bodies with a Content-Length.")
    if len(sizes) > 1 or any(not size.isdigit() for size in sizes):
        raise InvalidParams("The size of the body is ambiguous.")
    path = parts.path or "/"
    shown_host = f"[{host}]" if ":" in host else host
    lines = [
        b"%b %b HTTP/1.1" % (method, (f"{path}?{parts.query}" if parts.query else path).encode("ascii")),
        f"Host: {shown_host}{'' if port == 80 else f':{port}'}".encode("ascii"),
        b"Connection: close",
        *(b"%b: %b" % (name, value) for lower, name, value in pairs if lower not in dropped),
    ]
    return RequestHead("forward", host, port, b"\r\n".join(lines) + b"\r\n\r\n", int(next(iter(sizes), b"0")))
