"""Moves a client's other MCP servers behind handrail's gate, and back into the client."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.clients.client import Client
from handrail.features.clients.setup import ClientSetup
from handrail.ports.errors import NotFound

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

    async def look(self, client: Client, name: str) -> "Moved":
        """Adds the server; until `accept`, no agent can use it. NotFound, and what its start raises."""
        from handrail.features.gateway.offers import move_entry

        entries = await asyncio.to_thread(self._setup.other_servers, client)
        entry = entries.get(name)
        if entry is None:
            raise NotFound(f"{client.title} has no server {name!r}.", hint=f"It has: {', '.join(entries) or 'none'}.")
        return await move_entry(self._stores, self._folder, name, entry, source=client.title, by=self._by)

    async def accept(self, client: Client, moved: "Moved") -> None:
        """The person has seen what it offers and said yes: now the client's own entry goes."""
        from handrail.features.gateway.offers import accept

        await accept(self._stores, self._folder, moved, self._by)
        await asyncio.to_thread(self._setup.take_out, client, moved.name)

    async def refuse(self, moved: "Moved") -> None:
        await self._take_back(moved.name)

    async def disconnect(self, client: Client) -> list[str]:
        """Everything that was written for the client is undone, and its servers are its own again."""
        names = await asyncio.to_thread(self._setup.taken_out, client)
        left = await asyncio.to_thread(self._setup.disconnect, client)
        for name in names:
            try:
                await self._take_back(name)
            except NotFound:
                continue  # a person has removed it meanwhile
        return left

    async def _take_back(self, name: str) -> None:
        from handrail.features.gateway.offers import take_back

        await take_back(self._stores, self._folder, name, self._by)
