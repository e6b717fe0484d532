"""The port to a team's other servers: each is addressed by what it owns, such as a browser."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

PeerHandler = Callable[[str, str, Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]
"""Handles a request about something that this server owns: its key, the verb, and the message. None: no answer."""


class Peers(Protocol):
    @property
    def server(self) -> str:
        """This server's name."""
        ...

    def listen(self, answer: PeerHandler, moved: Callable[[str], None]) -> None:
        """`moved` gets keys that another server owns from now on. Runs on the current event loop."""
        ...

    async def hold(self, key: str) -> None:
        """Makes this server the owner, which gets requests about the key."""
        ...

    async def release(self, key: str) -> None: ...

    async def ask(self, key: str, verb: str, said: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        """Sends a request to the key's owner. Offline: it has no owner. InputOutput: no answer in time."""
        ...
