"""Stores browser plugins that have connected or were paired."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import astuple

import msgspec

from handrail.ports.browser import PluginRecord
from handrail.ports.browser_store import PairedPlugin
from handrail.stores.shared.batches import Batches, Row

_COLUMNS = "client_id, extension_id, name, token_hash, created_at, is_launched, is_enrolled"
PAIRED = f"SELECT {_COLUMNS} FROM browser_pairing ORDER BY created_at"
_SAVE = """
INSERT INTO browser_plugin (client_id, record) VALUES ($1, $2)
ON CONFLICT (tenant, client_id) DO UPDATE SET record = excluded.record
"""
_PAIR = f"""
INSERT INTO browser_pairing ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (tenant, client_id) DO UPDATE SET extension_id = excluded.extension_id, name = excluded.name,
  token_hash = excluded.token_hash, created_at = excluded.created_at,
  is_launched = excluded.is_launched, is_enrolled = excluded.is_enrolled
"""


class PluginRows:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def save(self, plugin: PluginRecord) -> asyncio.Future[None]:
        return self._batches.execute(_SAVE, plugin.client_id, msgspec.json.encode(plugin))

    async def all(self) -> Sequence[PluginRecord]:
        rows = await self._batches.rows("SELECT record FROM browser_plugin")
        return [msgspec.json.decode(record, type=PluginRecord) for (record,) in rows]

    def pair(self, plugin: PairedPlugin) -> asyncio.Future[None]:
        return self._batches.write_permission(_PAIR, *astuple(plugin))

    def unpair(self, client_id: str) -> asyncio.Future[None]:
        return self._batches.write_permission("DELETE FROM browser_pairing WHERE client_id = $1", client_id)

    async def paired(self) -> Sequence[PairedPlugin]:
        return [paired_plugin(row) for row in await self._batches.rows(PAIRED)]


def paired_plugin(row: Row) -> PairedPlugin:
    return PairedPlugin(*row[:5], *map(bool, row[5:]))
