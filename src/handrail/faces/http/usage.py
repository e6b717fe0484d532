"""Counts who is using the server, so that a server that was started for agents can stop when unused."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp, Receive, Scope, Send


class Usage:
    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._clock = clock
        self._users = 0
        self._last_used = clock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.in_use():
            await self._app(scope, receive, send)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            self._last_used = self._clock()

    async def wait_until_unused(self, seconds: float) -> None:
        """Returns when the server has been unused for so many seconds."""
        while True:
            idle = 0.0 if self._users else self._clock() - self._last_used
            if idle >= seconds:
                return
            await asyncio.sleep(seconds - idle)
