"""Plugins that announced themselves, and those that were paired."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from handrail.ports.browser import PluginRecord
from handrail.ports.browser_store import PairedPlugin
from handrail.stores.local.batches import Batches

if TYPE_CHECKING:
    import sqlite3

_PAIR = """
INSERT OR REPLACE INTO browser_pairing (client_id, extension_id, name, token_hash, created_at) VALUES (?, ?, ?, ?, ?)
"""


class SqlitePlugins:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def save(self, plugin: PluginRecord) -> asyncio.Future[None]:
        values = (plugin.client_id, msgspec.json.encode(plugin))

        def work(rows: sqlite3.Connection) -> None:
            rows.execute("INSERT OR REPLACE INTO browser_plugin (client_id, record) VALUES (?, ?)", values)

        return self._batches.write(work)

    async def all(self) -> Sequence[PluginRecord]:
        rows = await self._batches.read(lambda rows: rows.execute("SELECT record FROM browser_plugin").fetchall())
        return [msgspec.json.decode(record, type=PluginRecord) for (record,) in rows]

    def pair(self, plugin: PairedPlugin) -> asyncio.Future[None]:
        values = (plugin.client_id, plugin.extension_id, plugin.name, plugin.token_hash, plugin.created_at)

        def work(rows: sqlite3.Connection) -> None:
            rows.execute(_PAIR, values)

        return self._batches.write(work)

    def unpair(self, client_id: str) -> asyncio.Future[None]:
        def work(rows: sqlite3.Connection) -> None:
            rows.execute("DELETE FROM browser_pairing WHERE client_id = ?", (client_id,))

        return self._batches.write(work)

    async def paired(self) -> Sequence[PairedPlugin]:
        query = "SELECT client_id, extension_id, name, token_hash, created_at FROM browser_pairing ORDER BY created_at"
        rows = await self._batches.read(lambda rows: rows.execute(query).fetchall())
        return [PairedPlugin(*row) for row in rows]
