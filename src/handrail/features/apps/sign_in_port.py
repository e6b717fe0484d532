"""How a person signs in to an app: the ports to the browser's way back and to the app's token endpoint."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

TokenEndpoint = Callable[[str, str], Awaitable[tuple[int, bytes]]]
"""Posts a form to an address: the status and the body of what it answers. Offline, BadAnswer."""


class Return(Protocol):
    """Where the browser comes back to. Only the one that brings `state` counts, and only once."""

    address: str

    async def query(self, state: str) -> str:
        """What stands behind the ? of the address that the browser came back to."""
        ...


Returning = Callable[[], AbstractAsyncContextManager[Return]]


@dataclass(frozen=True, slots=True)
class SignInState:
    """What can be told of a sign-in without telling a secret. `expires_at` is in seconds since 1970."""

    kind: Literal["none", "api_key", "oauth2"]
    is_signed_in: bool
    source: Literal["environment", "store"] | None = None
    expires_at: float | None = None
    reason: str | None = None
    """Why a sign-in that is there does not count."""
