"""The port to one-time tokens, and the rules that every store follows.

A token is valid for one caller, one method and one set of parameters, until its deadline. If `consume` is cancelled, it
still waits for the result, so it is always clear whether the token was used.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol
from uuid import uuid4

from handrail.ports.errors import Declined


@dataclass(frozen=True, slots=True)
class TokenScope:
    """What a token is bound to. `params_digest` is the full digest, not the short one for wires."""

    caller: str
    method: str
    params_digest: str


class TokenStore(Protocol):
    async def issue(self, scope: TokenScope, ttl: float) -> str:
        """A new token that is valid for `ttl` seconds."""
        ...

    async def consume(self, token: str | None, scope: TokenScope, *, is_durable: bool = True) -> None:
        """Uses the token up; returns when that is on disk.

        `is_durable=False` is enough for a token that never leaves the process, because a power cut ends that too.

        Raises Declined with `details["reason"]`: missing, invalid, peer, used, expired, method or params. A refused
        token isn't used up.
        """
        ...


class OneTimeClaims(Protocol):
    """Other things that may be used only once."""

    async def claim(self, key: str) -> bool:
        """True for the first to claim a key, durably and across processes; False for all others."""
        ...


@dataclass(frozen=True, slots=True)
class StoredToken:
    """What a store saves of a token, without the token itself."""

    scope: TokenScope
    deadline: float
    is_used: bool


def new_token() -> str:
    return str(uuid4())


def hash_token(token: str) -> str:
    """The hash that is stored; the token can't be derived from it."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def check_token(ticket: StoredToken | None, scope: TokenScope, now: float) -> None:
    """Raises Declined unless the token is valid for exactly this scope. Other callers learn only `peer`."""
    if ticket is None:
        raise token_error("invalid", "This token was never issued, or long ago.")
    if ticket.scope.caller != scope.caller:
        raise token_error("peer", "This token was issued to another caller.")
    if ticket.is_used:
        raise token_error("used", "This token was used before.")
    if now >= ticket.deadline:
        raise token_error("expired", "This token has expired.")
    if ticket.scope.method != scope.method:
        raise token_error("method", f"This token was issued for another tool than {scope.method}.")
    if ticket.scope.params_digest != scope.params_digest:
        raise token_error("params", "This token was issued for other parameters.")


def token_error(reason: str, message: str) -> Declined:
    return Declined(message, hint="Ask for a new token, for exactly this call.", reason=reason)
