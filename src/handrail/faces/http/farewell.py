"""A request that the server's stop cuts off still gets its end: 503 if nothing was said yet, else the stream's end."""

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.faces.http.answers import refused


class Farewell:
    """The outermost frame of a request: what it does not pass on, nobody misses."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_started = False

        async def noting(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            if not has_started:
                await refused("UNAVAILABLE", "handrail is stopping; the call was stopped.")(scope, receive, send)
            else:
                with suppress(RuntimeError):  # an answer that announced its length can't be ended early
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
