"""One-time tokens that never leave this process."""

import time
from collections.abc import Callable
from dataclasses import replace

from handrail.ports.tokens import StoredToken, TokenScope, check_token, hash_token, new_token, token_error


class MemoryTokens:
    """A `TokenStore` in memory: its tokens end with the process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tickets: dict[str, StoredToken] = {}

    async def issue(self, scope: TokenScope, ttl: float) -> str:
        token, now = new_token(), self._clock()
        for key in [key for key, ticket in self._tickets.items() if ticket.deadline <= now]:
            del self._tickets[key]
        self._tickets[hash_token(token)] = StoredToken(scope, now + ttl, is_used=False)
        return token

    async def consume(self, token: str | None, scope: TokenScope, *, is_durable: bool = True) -> None:
        if not token:
            raise token_error("missing", "This call needs a one-time token.")
        key = hash_token(token)
        check_token(self._tickets.get(key), scope, self._clock())
        self._tickets[key] = replace(self._tickets[key], is_used=True)
