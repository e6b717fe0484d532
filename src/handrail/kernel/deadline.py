"""A call's own time. What a person needs to answer is not part of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from handrail.ports.errors import Timeout


class Deadline:
    """Without a limit it never passes: then whoever does the work bounds each of its steps."""

    def __init__(self, tool: str, limit_ms: int | None) -> None:
        self._tool = tool
        self._limit_ms = limit_ms
        self._timeout = asyncio.timeout(None if limit_ms is None else limit_ms / 1000)

    async def __aenter__(self) -> "Deadline":
        await self._timeout.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> None:
        try:
            await self._timeout.__aexit__(*exc)
        except TimeoutError:
            message = f"{self._tool} did not finish within {self._limit_ms} ms."
            raise Timeout(message, timeoutMs=self._limit_ms) from None

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """While inside, no time passes."""
        loop, until = asyncio.get_running_loop(), self._timeout.when()
        began = loop.time()
        self._timeout.reschedule(None)
        try:
            yield
        finally:
            if until is not None and not self._timeout.expired():
                self._timeout.reschedule(until + loop.time() - began)
