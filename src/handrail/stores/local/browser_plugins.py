"""Stores browser plugins that have connected or were paired."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import astuple

import msgspec

from handrail.ports.browser import PluginRecord
from handrail.ports.browser_store import PairedPlugin
from handrail.stores.local.batches import Batches

_PAIR = """
INSERT OR REPLACE INTO browser_pairing
  (client_id, extension_id, name, token_hash, created_at, is_launched, is_enrolled) VALUES (?, ?, ?, ?, ?, ?, ?)
"""


class SqlitePlugins:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def save(self, plugin: PluginRecord) -> asyncio.Future[None]:
        query = "INSERT OR REPLACE INTO browser_plugin (client_id, record) VALUES (?, ?)"
        return self._batches.execute(query, plugin.client_id, msgspec.json.encode(plugin))

    async def all(self) -> Sequence[PluginRecord]:
        rows = await self._batches.rows("SELECT record FROM browser_plugin")
        return [msgspec.json.decode(record, type=PluginRecord) for (record,) in rows]

    def pair(self, plugin: PairedPlugin) -> asyncio.Future[None]:
        return self._batches.write_permissions(lambda rows: rows.execute(_PAIR, astuple(plugin)))

    def unpair(self, client_id: str) -> asyncio.Future[None]:
        removal = "DELETE FROM browser_pairing WHERE client_id = ?"
        return self._batches.write_permissions(lambda rows: rows.execute(removal, (client_id,)))

    async def paired(self) -> Sequence[PairedPlugin]:
        columns = "client_id, extension_id, name, token_hash, created_at, is_launched, is_enrolled"
        rows = await self._batches.rows(f"SELECT {columns} FROM browser_pairing ORDER BY created_at")
        return [PairedPlugin(*row[:5], *map(bool, row[5:])) for row in rows]
