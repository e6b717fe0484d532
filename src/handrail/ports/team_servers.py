"""The port to the other servers of a team: each is reached by what it holds, such as a browser."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

PeerHandler = Callable[[str, str, Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]
"""What a server says about something that it holds: its key, the verb, and what was said. None: nothing."""


class Peers(Protocol):
    @property
    def server(self) -> str:
        """This one, to the others."""
        ...

    def listen(self, answer: PeerHandler, moved: Callable[[str], None]) -> None:
        """`moved` is told of what another server holds from now on. For the running event loop."""
        ...

    async def hold(self, key: str) -> None:
        """From now on, what others ask about it comes here."""
        ...

    async def release(self, key: str) -> None: ...

    async def ask(self, key: str, verb: str, said: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        """Offline: no server holds it, which is known at once. InputOutput: no answer within so many seconds."""
        ...
