"""How other features put servers behind the gateway: entries of a client's configuration, moved and accepted."""

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
class Moved:
    """A server that is behind the gateway now. `found` is what it offers and nobody has accepted yet."""

    name: str
    tools: tuple[str, ...]
    diff: str
    """All that would be accepted, readable, with nothing hidden in it."""
    found: Difference

    @property
    def place(self) -> str:
        """Its command or address, in one line."""
        return self.found.server.place

    @property
    def digest(self) -> str:
        """Stands for all that `diff` shows."""
        return self.found.digest

    @property
    def accepted(self) -> list[str]:
        """All that would be accepted: tools, prompts, resources."""
        return sorted(self.found.wanted)

    @property
    def without_asking(self) -> list[str]:
        """What it marks as read-only."""
        return sorted(key for key, each in self.found.wanted.items() if each.is_marked_as_read)


async def move_entry(
    stores: Stores,
    folder: str,
    name: str,
    entry: Mapping[str, Any],
    *,
    source: str,
    by: Caller,
    show: Callable[[str], None] | None = None,
) -> Moved:
    """Adds the server that a client's configuration names, with its keys as secrets, and looks at what it offers.

    `entry` is as the client spells it (`command` and `args`, or `url`; `env`, `headers`). Nothing is accepted yet, so
    no agent can use it: show `diff` to the person, then call `accept`. If it can't be started, nothing is left behind.
    `show` gets the address for the person's browser where the server wants a sign-in; without it, that is refused.
    InvalidParams, Conflict (the name is taken), Offline, Timeout, BadAnswer, AuthRequired.
    """
    from handrail.features.gateway.servers import server_of_entry, servers_in
    from handrail.features.gateway.sign_in import sign_in
    from handrail.ports.errors import AuthRequired, Failure
    from handrail.ports.secrets import Secret

    server, values = server_of_entry(name, entry, source)
    servers = servers_in(stores, folder)
    known = servers.file.entries().get(server.name)
    is_left = known is not None and not known.accepted and known.server.source == source  # by a look that broke off
    await servers.add(server, {key: Secret(value) for key, value in values.items()}, by, replaces=is_left)
    try:
        try:
            found = await servers.look(server.name)
        except AuthRequired:
            if show is None or server.url is None:
                raise
            await sign_in(server, stores, show, client_id=None, patience=_SIGN_IN_SECONDS)
            found = await servers.look(server.name)
    except BaseException as failure:
        await servers.remove(server.name, by)
        if isinstance(failure, Failure):
            failure.hint = f"Its entry in {source} stays as it is."  # what it said went with it
        raise
    names = tuple(key for key, each in found.wanted.items() if each.kind == "tool")
    return Moved(server.name, names, found.diff(), found)


async def accept(stores: Stores, folder: str, moved: Moved, by: Caller, *, trusts_marks: bool = True) -> None:
    """The person has seen `diff` and said yes. With `trusts_marks`, tools that are marked read-only ask nobody."""
    from handrail.features.gateway.servers import servers_in

    await servers_in(stores, folder).accept(moved.found, by, trusts_marks=trusts_marks)


async def take_back(stores: Stores, folder: str, name: str, by: Caller) -> None:
    """Removes a server with its keys: the person said no, or wants it back in the client."""
    from handrail.features.gateway.servers import servers_in

    await servers_in(stores, folder).remove(name, by)
