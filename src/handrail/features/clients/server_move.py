"""Moves a client's other MCP servers behind handrail's gate, and back to the client."""

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
    from handrail.features.gateway.offers import MovedServer
    from handrail.ports.identity import Caller
    from handrail.ports.stores import Stores


class ServerMover:
    """`by` is the person; servers are started in `folder` to inspect them."""

    def __init__(self, setup: ClientSetup, stores: "Stores", folder: Path, by: "Caller") -> None:
        self._setup = setup
        self._stores = stores
        self._folder = str(folder)
        self._by = by

    async def look(self, client: Client, name: str, show: Callable[[str], None] | None = None) -> "MovedServer":
        """Adds the server, which no agent can use before `accept`. NotFound, and whatever its start raises.

        `show` gets the address of its sign-in, if it needs one.
        """
        from handrail.features.gateway.offers import move_entry

        entries = await asyncio.to_thread(self._setup.other_servers, client)
        entry = entries.get(name)
        if entry is None:
            raise NotFound(f"{client.title} has no server {name!r}.", hint=f"It has: {', '.join(entries) or 'none'}.")
        return await move_entry(self._stores, self._folder, name, entry, source=client.title, by=self._by, show=show)

    async def accept(self, client: Client, name: str, moved: "MovedServer", *, trusts_hints: bool = True) -> Place:
        """Removes the client's own entry, after the person accepted the offer. Returns where its keys are kept."""
        from handrail.features.gateway.offers import accept

        entry = (await asyncio.to_thread(self._setup.other_servers, client))[name]
        await accept(self._stores, self._folder, moved, self._by, trusts_hints=trusts_hints)
        stored = await self._stores.secrets.put(_secret_name(client, name), Secret(json.dumps(entry)))
        await asyncio.to_thread(self._setup.remove_entry, client, name, moved.name)
        return stored.place

    async def refuse(self, moved: "MovedServer") -> None:
        await self._remove_server(moved.name)

    async def disconnect(self, client: Client) -> list[str]:
        """Undoes everything that was written for the client, and gives its servers back to it."""
        names = await asyncio.to_thread(self._setup.moved_servers, client)
        secrets = {name: await self._stores.secrets.get(_secret_name(client, name)) for name in names}
        entries = {name: json.loads(secret.reveal()) for name, secret in secrets.items() if secret is not None}
        kept_edits = await asyncio.to_thread(self._setup.disconnect, client, entries)
        for name, server in names.items():
            await self._stores.secrets.forget(_secret_name(client, name))
            with suppress(NotFound):  # a person has removed it in the meantime
                await self._remove_server(server)
        return kept_edits

    async def places(self, client: Client) -> dict[str, Place]:
        """Where the entries of its moved servers are kept, with their keys, until it is disconnected."""
        names = await asyncio.to_thread(self._setup.moved_servers, client)
        places_by_secret = {each.name: each.place for each in await self._stores.secrets.kept()} if names else {}
        return {
            name: places_by_secret[_secret_name(client, name)]
            for name in names
            if _secret_name(client, name) in places_by_secret
        }

    async def _remove_server(self, name: str) -> None:
        from handrail.features.gateway.offers import undo_move

        await undo_move(self._stores, self._folder, name, self._by)


def _secret_name(client: Client, name: str) -> str:
    """Names of secrets allow few characters; the hash keeps different servers apart."""
    slug = re.sub(r"[^a-z0-9._-]", "-", name.lower())[:64]
    return f"client:{client.name}:{slug}.{sha256(name.encode()).hexdigest()[:8]}"
