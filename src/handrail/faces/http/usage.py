"""Whether anybody uses the server: a request that is answered, a stream or a socket that is open."""

import asyncio
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send


class Usage:
    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._clock = clock
        self._open = 0
        self._last_used = clock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._open += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open -= 1
            self._last_used = self._clock()

    async def ends(self, after_seconds: float) -> None:
        """Returns once nobody has used the server for so long."""
        while True:
            idle = 0.0 if self._open else self._clock() - self._last_used
            if idle >= after_seconds:
                return
            await asyncio.sleep(after_seconds - idle)
