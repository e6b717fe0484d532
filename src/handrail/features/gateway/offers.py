"""How other features put servers behind the gateway: a client's configuration entries, moved and accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from handrail.features.gateway.review import Difference
    from handrail.ports.identity import Caller
    from handrail.ports.stores import Stores

_SIGN_IN_SECONDS = 300


@dataclass(frozen=True, slots=True)
class MovedServer:
    """A server that is now behind the gateway. `difference` is what it offers and nobody has accepted yet."""

    name: str
    tools: tuple[str, ...]
    diff: str
    """Everything that would be accepted, readable, with nothing hidden."""
    difference: Difference

    @property
    def place(self) -> str:
        """Its command or address, in one line."""
        return self.difference.server.place

    @property
    def digest(self) -> str:
        """Identifies everything that `diff` shows."""
        return self.difference.digest

    @property
    def accepted(self) -> list[str]:
        """Everything that would be accepted: tools, prompts, resources."""
        return sorted(self.difference.unaccepted)

    @property
    def without_asking(self) -> list[str]:
        """What the server marks as read-only."""
        return sorted(key for key, each in self.difference.unaccepted.items() if each.has_read_only_hint)


async def move_entry(
    stores: Stores,
    folder: str,
    name: str,
    entry: Mapping[str, Any],
    *,
    source: str,
    by: Caller,
    show: Callable[[str], None] | None = None,
) -> MovedServer:
    """Adds the server of a client's configuration entry, stores its keys as secrets, and reads what it offers.

    `entry` is in the client's own form (`command` and `args`, or `url`; `env`, `headers`). Nothing is accepted yet, so
    no agent can use it: show `diff` to the person, then call `accept`. If the server can't be started, it is removed.
    `show` gets the sign-in address for the person's browser; without it, a server that requires a sign-in is refused.
    InvalidParams, Conflict (the name is taken), Offline, Timeout, BadAnswer, AuthRequired.
    """
    from handrail.features.gateway.servers import open_servers, server_from_entry
    from handrail.features.gateway.sign_in import sign_in
    from handrail.ports.errors import AuthRequired, Failure
    from handrail.ports.secrets import Secret

    server, values = server_from_entry(name, entry, source)
    servers = open_servers(stores, folder)
    existing = servers.file.entries().get(server.name)
    # Left by an attempt that was interrupted before anything was accepted.
    is_leftover = existing is not None and not existing.accepted and existing.server.source == source
    await servers.add(server, {key: Secret(value) for key, value in values.items()}, by, replaces=is_leftover)
    try:
        try:
            difference = await servers.inspect(server.name)
        except AuthRequired:
            if show is None or server.url is None:
                raise
            await sign_in(server, stores, show, client_id=None, timeout_seconds=_SIGN_IN_SECONDS)
            difference = await servers.inspect(server.name)
    except BaseException as failure:
        await servers.remove(server.name, by)
        if isinstance(failure, Failure):
            failure.hint = f"Its entry in {source} stays as it is."  # its log was removed with the server
        raise
    names = tuple(key for key, each in difference.unaccepted.items() if each.kind == "tool")
    return MovedServer(server.name, names, difference.diff(), difference)


async def accept(stores: Stores, folder: str, moved: MovedServer, by: Caller, *, trusts_hints: bool = True) -> None:
    """Call it after the person has seen `diff` and agreed. With `trusts_hints`, read-only tools run without asking."""
    from handrail.features.gateway.servers import open_servers

    await open_servers(stores, folder).accept(moved.difference, by, trusts_hints=trusts_hints)


async def undo_move(stores: Stores, folder: str, name: str, by: Caller) -> None:
    """Removes a server and its keys, because the person declined or wants it back in the client."""
    from handrail.features.gateway.servers import open_servers

    await open_servers(stores, folder).remove(name, by)
