"""Values that were delivered to a waiter, by the digest of their answer."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from handrail.ports.prompts import NOTHING_MASKED

_DELIVERY_SECONDS = 2.0


class Mailbox:
    """Must be created on the event loop of the waiter."""

    def __init__(self, masked: Mapping[str, str] = NOTHING_MASKED) -> None:
        self.masked = masked
        self._loop = asyncio.get_running_loop()
        self._delivered: dict[str, dict[str, str]] = {}
        self._arrival = asyncio.Event()

    def put(self, digest: str, values: dict[str, str]) -> None:
        """From any thread."""
        self._delivered[digest] = values
        self._loop.call_soon_threadsafe(self._arrival.set)

    async def take(self, digest: str) -> Mapping[str, str]:
        """The values for an answer; empty if none were delivered, because secrets are sent before their answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_DELIVERY_SECONDS):
                while digest not in self._delivered:
                    self._arrival.clear()
                    await self._arrival.wait()
        return self._delivered.get(digest, {})
