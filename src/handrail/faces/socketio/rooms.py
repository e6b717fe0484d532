"""The rooms of the namespace and their members: how the bus and the sockets reach each other."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Protocol

import socketio

from handrail.ports.agents import Agent
from handrail.ports.errors import Unsupported


class SocketBus(Protocol):
    """Receives what clients of the namespace send. A Failure refuses a message."""

    @property
    def events(self) -> Collection[str]:
        """The names of accepted events; all others are refused."""
        ...

    def is_own_token(self, auth: Mapping[str, Any]) -> bool:
        """Whether this is a plugin with the token that it was paired with."""
        ...

    async def join_plugin(self, sid: str, auth: Mapping[str, Any]) -> None: ...

    async def join_frontend(
        self,
        sid: str,
        auth: Mapping[str, Any],
        *,
        person: str | None,
        agent: Agent | None,
        may_write: Callable[[], bool],
    ) -> None:
        """`person`, with the console's cookie, may be empty if there is only one; `agent` comes with a token.

        `may_write` is asked with each message to the agent, because a person's role may change.
        """
        ...

    async def leave(self, sid: str) -> None: ...

    async def receive(self, sid: str, event: str, data: tuple[Any, ...]) -> dict[str, Any]:
        """Returns the sender's acknowledgement."""
        ...


class NoBus:
    """Used if no feature has sockets: pages may listen, but no client can send."""

    events: Collection[str] = ()

    def is_own_token(self, auth: Mapping[str, Any]) -> bool:
        return False

    async def join_plugin(self, sid: str, auth: Mapping[str, Any]) -> None:
        raise Unsupported("Browsers can't connect: the feature is not installed.")

    async def join_frontend(
        self,
        sid: str,
        auth: Mapping[str, Any],
        *,
        person: str | None,
        agent: Agent | None,
        may_write: Callable[[], bool],
    ) -> None:
        return

    async def leave(self, sid: str) -> None:
        return

    async def receive(self, sid: str, event: str, data: tuple[Any, ...]) -> dict[str, Any]:
        raise Unsupported(f"Unknown event {event!r}.")


class Rooms:
    def __init__(self, server: socketio.AsyncServer, namespace: str, drop: Callable[[str], Awaitable[None]]) -> None:
        self._server = server
        self._namespace = namespace
        self._drop = drop

    def is_empty(self, room: str) -> bool:
        return room not in self._server.manager.rooms.get(self._namespace, ())

    def is_connected(self, sid: str) -> bool:
        return bool(self._server.manager.is_connected(sid, self._namespace))

    async def enter(self, sid: str, room: str) -> None:
        await self._server.enter_room(sid, room, namespace=self._namespace)

    async def emit(self, room: str, event: str, data: Mapping[str, Any]) -> None:
        await self._server.emit(event, data, room=room, namespace=self._namespace)

    async def ask(self, sid: str, event: str, data: Mapping[str, Any], on_ack: Callable[..., None]) -> None:
        """Emits an event to one client; `on_ack` gets its answer, if one comes."""
        await self._server.emit(event, data, room=sid, namespace=self._namespace, callback=on_ack)

    async def drop(self, sid: str) -> None:
        """Closes the connection; the client may reconnect."""
        engine_sid = self._server.manager.eio_sid_from_sid(sid, self._namespace)
        if engine_sid is not None:
            await self._drop(engine_sid)
