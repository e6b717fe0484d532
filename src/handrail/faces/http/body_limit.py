"""Refuses request bodies that are too large."""

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.faces.http.answers import refused
from handrail.faces.http.headers import header

MAX_BODY = 32 * 1024 * 1024
_GONE: Message = {"type": "http.disconnect"}


class BodyLimit:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if _content_length(scope) > MAX_BODY:
                await _too_large()(scope, receive, send)
                return
            body = _CountedBody(scope, receive, send)
            receive, send = body.receive, body.send
        await self._app(scope, receive, send)


class _CountedBody:
    """Answers a body that gets too long; to the app it looks as if the client had disconnected."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._count = 0
        self._is_over = False
        self._has_answered = False

    async def receive(self) -> Message:
        if self._is_over:
            return _GONE
        message = await self._receive()
        self._count += len(message.get("body", b""))
        if self._count <= MAX_BODY:
            return message
        self._is_over = True
        if not self._has_answered:
            await _too_large()(self._scope, self._receive, self._send)
        return _GONE

    async def send(self, message: Message) -> None:
        if not self._is_over:
            self._has_answered = True
            await self._send(message)


def _content_length(scope: Scope) -> int:
    """The declared size. The parser has already refused a Content-Length that is repeated or not a number."""
    return int(header(scope, b"content-length") or 0)


def _too_large() -> Response:
    return refused("BAD_REQUEST", f"The body is larger than {MAX_BODY} bytes.", status=413)
