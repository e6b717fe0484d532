"""Browsers that asked to be notified: the port to where their Web Push subscriptions are kept."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol

from msgspec import Struct


class PushSubscription(Struct, frozen=True, kw_only=True):
    """What a browser gave out (RFC 8030, RFC 8291). Who has the endpoint can send to it: treat it as a secret."""

    endpoint: str
    p256dh: str
    auth: str
    member: str = ""
    """The id of the team's member who subscribed; empty where there is one person alone."""
    user_agent: str = ""
    created_at: str = ""

    @property
    def id(self) -> str:
        """For people to name it by: it sends nothing."""
        return sha256(self.endpoint.encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"PushSubscription({self.id})"


class PushSubscriptions(Protocol):
    async def add(self, subscription: PushSubscription) -> None:
        """Replaces an earlier one with the same endpoint."""
        ...

    async def all(self) -> Sequence[PushSubscription]: ...

    async def remove(self, id: str) -> bool:
        """Whether it was there."""
        ...
