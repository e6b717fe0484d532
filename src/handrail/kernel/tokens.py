"""When a one-time token may be used, and what to say when not. Where tokens are kept is a store's business."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from uuid import uuid4

from handrail.ports.errors import Declined
from handrail.ports.tokens import Scope


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a store remembers of a token; the token itself it forgets."""

    scope: Scope
    deadline: float
    is_used: bool


def new_token() -> str:
    return str(uuid4())


def fingerprint(token: str) -> str:
    """What stands in the store: who reads it can't use it."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def check(ticket: Ticket | None, scope: Scope, now: float) -> None:
    """Raises Declined unless the ticket is good for exactly this. Strangers learn no more than `peer`."""
    if ticket is None:
        raise refusal("invalid", "This token was never issued, or long ago.")
    if ticket.scope.caller != scope.caller:
        raise refusal("peer", "This token was issued to another caller.")
    if ticket.is_used:
        raise refusal("used", "This token was used before.")
    if now >= ticket.deadline:
        raise refusal("expired", "This token has expired.")
    if ticket.scope.method != scope.method:
        raise refusal("method", f"This token was issued for another tool than {scope.method}.")
    if ticket.scope.params_digest != scope.params_digest:
        raise refusal("params", "This token was issued for other parameters.")


def refusal(reason: str, message: str) -> Declined:
    return Declined(message, hint="Ask for a new token, for exactly this call.", reason=reason)


class OwnTokens:
    """A `TokenStore` for tokens that never leave this process: they end with it, so no disk need know of them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tickets: dict[str, Ticket] = {}

    async def issue(self, scope: Scope, ttl: float) -> str:
        token, now = new_token(), self._clock()
        for key in [key for key, ticket in self._tickets.items() if ticket.deadline <= now]:
            del self._tickets[key]
        self._tickets[fingerprint(token)] = Ticket(scope, now + ttl, is_used=False)
        return token

    async def consume(self, token: str | None, scope: Scope) -> None:
        if not token:
            raise refusal("missing", "This call needs a one-time token.")
        key = fingerprint(token)
        check(self._tickets.get(key), scope, self._clock())
        self._tickets[key] = replace(self._tickets[key], is_used=True)
