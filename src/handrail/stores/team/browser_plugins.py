"""Stores a team's browsers: their servers, which one a new task gets, and which are paired."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import msgspec

from handrail.ports.browser import PluginRecord
from handrail.stores.shared.batches import Batches, Statement
from handrail.stores.shared.browser_actions import interrupted_error
from handrail.stores.shared.browser_plugins import PluginRows
from handrail.stores.team.database import TeamDatabase

_HOLD = """
INSERT INTO browser_plugin (client_id, record, server, is_connected) VALUES ($1, $2, $3, true)
ON CONFLICT (tenant, client_id) DO UPDATE SET server = excluded.server, is_connected = true
"""
_END_OTHERS = """
WITH ended AS (
  UPDATE browser_action SET status = 'error', error = $3, ended_at = $4
  WHERE client_id = $1 AND status IS NULL AND server <> $2 RETURNING task_id
)
UPDATE browser_task SET status = 'error' WHERE status IN ('created', 'running', 'ongoing')
  AND task_id IN (SELECT task_id FROM ended)
"""
_RELEASE = "UPDATE browser_plugin SET is_connected = false WHERE client_id = $1 AND server = $2"
_NEXT = """
UPDATE browser_plugin SET selected_at = clock_timestamp() WHERE client_id = (
  SELECT client_id FROM browser_plugin WHERE is_connected AND client_id <> ALL($1)
  ORDER BY is_chosen DESC, selected_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING client_id
"""


class TeamPlugins(PluginRows):
    """`server` is this process's name for other servers."""

    def __init__(self, database: TeamDatabase, batches: Batches, server: str) -> None:
        super().__init__(batches)
        self._database = database
        self._server = server

    async def all(self) -> Sequence[PluginRecord]:
        rows = await self._batches.rows("SELECT record, is_connected, is_chosen FROM browser_plugin")
        return [
            msgspec.structs.replace(
                msgspec.json.decode(record, type=PluginRecord),
                socket_connected=is_connected,
                healthy=is_connected,
                chosen=is_chosen,
            )
            for record, is_connected, is_chosen in rows
        ]

    def hold(self, plugin: PluginRecord) -> asyncio.Future[None]:
        """From now on, only this server writes about the browser; actions of another server there have ended."""
        hold = Statement(_HOLD, (plugin.client_id, msgspec.json.encode(plugin), self._server))
        now, error = int(time.time() * 1000), interrupted_error()
        return self._batches.write(hold, Statement(_END_OTHERS, (plugin.client_id, self._server, error, now)))

    def release(self, client_id: str, server: str | None = None) -> asyncio.Future[None]:
        return self._batches.execute(_RELEASE, client_id, server or self._server)

    async def holder_of(self, client_id: str) -> str | None:
        """The server to which the browser is connected."""
        row = await self._batches.row(
            "SELECT server FROM browser_plugin WHERE client_id = $1 AND is_connected", client_id
        )
        return None if row is None else str(row[0])

    async def next(self, but: Sequence[str] = ()) -> str | None:
        """The browser for a new task: the one that a person chose, otherwise the least recently used."""
        row = await self._database.row(_NEXT, list(but))
        return None if row is None else str(row[0])

    async def choose(self, client_id: str) -> None:
        query = "UPDATE browser_plugin SET is_chosen = (client_id = $1) WHERE is_chosen <> (client_id = $1)"
        await self._database.execute(query, client_id)
