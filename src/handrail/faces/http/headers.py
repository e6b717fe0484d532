"""Reads request headers and adds the headers that every answer has."""

import re

from starlette.types import Message, Scope, Send

CONTENT_SECURITY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ALWAYS = [
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"vary", b"origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]
_UNLESS_GIVEN = {
    b"cache-control": b"no-store",
    b"content-security-policy": CONTENT_SECURITY.encode(),
    b"referrer-policy": b"no-referrer",
}
_STARTS = frozenset({"http.response.start", "websocket.http.response.start"})
_VISIBLE = re.compile(r"[!-~]{1,128}")

Pairs = list[tuple[bytes, bytes]]


def header(scope: Scope, name: bytes) -> str | None:
    """The only header of that name; None when it is missing, "" when it was sent twice."""
    values = [value for key, value in scope["headers"] if key == name]
    if not values:
        return None
    return values[0].decode("latin-1") if len(values) == 1 else ""


def is_visible(text: str) -> bool:
    """Whether the text is safe in logs, records and headers: visible ASCII, at most 128 characters."""
    return _VISIBLE.fullmatch(text) is not None


def trace_id(scope: Scope) -> str | None:
    """The caller's X-Trace-Id. An invalid one is dropped, so that tracing never breaks a call."""
    value = header(scope, b"x-trace-id")
    return value if value and is_visible(value) else None


def with_headers(send: Send, extra: Pairs) -> Send:
    """Wraps `send` so that it adds the headers of every answer and `extra`."""

    async def send_more(message: Message) -> None:
        if message["type"] in _STARTS:
            headers: Pairs = list(message.get("headers", ()))
            present = {name.lower() for name, _ in headers}
            headers += [pair for pair in _UNLESS_GIVEN.items() if pair[0] not in present]
            message["headers"] = [*headers, *_ALWAYS, *extra]
        await send(message)

    return send_more
