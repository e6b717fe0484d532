"""Moves a client's other MCP servers behind handrail's gate, and back into the client."""

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.clients.client import Client
from handrail.features.clients.setup import ClientSetup
from handrail.ports.errors import NotFound
from handrail.ports.secrets import Place, Secret

if TYPE_CHECKING:
    from handrail.features.gateway.offers import Moved
    from handrail.ports.identity import Caller
    from handrail.ports.stores import Stores


class ServerMoves:
    """`by` is the person; a server is started in `folder` to be looked at."""

    def __init__(self, setup: ClientSetup, stores: "Stores", folder: Path, by: "Caller") -> None:
        self._setup = setup
        self._stores = stores
        self._folder = str(folder)
        self._by = by

    async def look(self, client: Client, name: str, show: Callable[[str], None] | None = None) -> "Moved":
        """Adds the server; until `accept`, no agent can use it. NotFound, and what its start raises.

        `show` gets the address of its sign-in, if it wants one.
        """
        from handrail.features.gateway.offers import move_entry

        entries = await asyncio.to_thread(self._setup.other_servers, client)
        entry = entries.get(name)
        if entry is None:
            raise NotFound(f"{client.title} has no server {name!r}.", hint=f"It has: {', '.join(entries) or 'none'}.")
        return await move_entry(self._stores, self._folder, name, entry, source=client.title, by=self._by, show=show)

    async def accept(self, client: Client, name: str, moved: "Moved", *, trusts_marks: bool = True) -> Place:
        """The person has seen what it offers and said yes: now the client's own entry goes. Where its keys are now."""
        from handrail.features.gateway.offers import accept

        entry = (await asyncio.to_thread(self._setup.other_servers, client))[name]
        await accept(self._stores, self._folder, moved, self._by, trusts_marks=trusts_marks)
        kept = await self._stores.secrets.put(_secret_of(client, name), Secret(json.dumps(entry)))
        await asyncio.to_thread(self._setup.take_out, client, name, moved.name)
        return kept.place

    async def refuse(self, moved: "Moved") -> None:
        await self._take_back(moved.name)

    async def disconnect(self, client: Client) -> list[str]:
        """Everything that was written for the client is undone, and its servers are its own again."""
        names = await asyncio.to_thread(self._setup.taken_out, client)
        kept = {name: await self._stores.secrets.get(_secret_of(client, name)) for name in names}
        entries = {name: json.loads(secret.reveal()) for name, secret in kept.items() if secret is not None}
        left = await asyncio.to_thread(self._setup.disconnect, client, entries)
        for name, server in names.items():
            await self._stores.secrets.forget(_secret_of(client, name))
            with suppress(NotFound):  # a person has removed it meanwhile
                await self._take_back(server)
        return left

    async def places(self, client: Client) -> dict[str, Place]:
        """Where the entries of its moved servers are kept, with their keys, until it is disconnected."""
        names = await asyncio.to_thread(self._setup.taken_out, client)
        kept = {each.name: each.place for each in await self._stores.secrets.kept()} if names else {}
        return {name: kept[_secret_of(client, name)] for name in names if _secret_of(client, name) in kept}

    async def _take_back(self, name: str) -> None:
        from handrail.features.gateway.offers import take_back

        await take_back(self._stores, self._folder, name, self._by)


def _secret_of(client: Client, name: str) -> str:
    """Names of secrets have few characters; two servers stay two."""
    plain = re.sub(r"[^a-z0-9._-]", "-", name.lower())[:64]
    return f"client:{client.name}:{plain}.{sha256(name.encode()).hexdigest()[:8]}"
