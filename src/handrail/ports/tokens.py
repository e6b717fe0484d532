"""The port to one-time tokens: what a person allowed, allowed once.

A token is good for one caller, one method and one set of parameters, until its deadline.
Who is cancelled while it is used up waits until it is: it never stays open whether it was.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Scope:
    """What a token is bound to. `params_digest` is the whole digest, not the short one of a wire."""

    caller: str
    method: str
    params_digest: str


class TokenStore(Protocol):
    async def issue(self, scope: Scope, ttl: float) -> str:
        """A fresh token, good for `ttl` seconds."""
        ...

    async def consume(self, token: str | None, scope: Scope) -> None:
        """Returns once, and once it is durable that this token is used up.

        Raises Declined with `details["reason"]`: missing, invalid, peer, used, expired, method or params.
        A refused token stays as it was.
        """
        ...
