"""What is built on to this server and lives in a face of its own: more routes, and what happens on the sockets."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from starlette.routing import BaseRoute
from starlette.types import Scope

from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.socketio.rooms import Rooms, SocketBus


class Annex(Protocol):
    @property
    def bus(self) -> SocketBus: ...

    def routes(self, person: str, key: ConsoleKey) -> Sequence[BaseRoute]:
        """`person` is who comes with the cookie; `key` is what that person's own programs show beside the token."""
        ...

    def is_open(self, scope: Scope) -> bool:
        """What needs no credential, or one that it checks itself."""
        ...

    def is_for_plugins(self, scope: Scope) -> bool:
        """What a plugin's own token opens."""
        ...

    def is_paired(self, token: str) -> bool: ...

    def run(self, address: str, rooms: Rooms) -> AbstractAsyncContextManager[None]:
        """Alive as long as it may be called."""
        ...
