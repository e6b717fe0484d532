"""The port to things that may be used a single time."""

from typing import Protocol


class Once(Protocol):
    async def claim(self, key: str) -> bool:
        """True for the first to claim a key, durably and across processes; False for all others."""
        ...
