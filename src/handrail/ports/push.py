"""The port to the Web Push subscriptions of browsers that want notifications."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol

from msgspec import Struct


class PushSubscription(Struct, frozen=True, kw_only=True):
    """A browser's subscription (RFC 8030, RFC 8291). The endpoint is a secret: whoever has it can send to it."""

    endpoint: str
    p256dh: str
    auth: str
    member: str = ""
    """The id of the team's member who subscribed; empty without a team."""
    user_agent: str = ""
    created_at: str = ""

    @property
    def id(self) -> str:
        """An id for people, with which nothing can be sent."""
        return sha256(self.endpoint.encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"PushSubscription({self.id})"


class PushSubscriptions(Protocol):
    async def add(self, subscription: PushSubscription) -> None:
        """Replaces an earlier one with the same endpoint."""
        ...

    async def all(self) -> Sequence[PushSubscription]: ...

    async def remove(self, id: str) -> bool:
        """Returns whether it existed."""
        ...
