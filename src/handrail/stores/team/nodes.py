"""What a team's servers know about its nodes: when each was last seen, what it asks, and the copy of its audit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

import msgspec

from handrail.ports.node import NodeAnswer, NodeStatus, decode_as
from handrail.ports.prompt_store import Watch
from handrail.stores.team.announcements import Listener
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.journal import TeamJournal

_JOURNAL = "node."
_SEEN = """
INSERT INTO node (id, policy, version) VALUES ($1, $2, $3) ON CONFLICT (tenant, id) DO UPDATE
SET seen_at = clock_timestamp(), policy = EXCLUDED.policy, version = EXCLUDED.version
"""
_SIGHTINGS = """
SELECT id, to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  seen_at > clock_timestamp() - interval '60 seconds', policy, version,
  (SELECT count(*) FROM node_question q WHERE q.node = n.id AND q.closed_at IS NULL)
FROM node n
"""
_CONNECTED = "SELECT id FROM node WHERE seen_at > clock_timestamp() - interval '60 seconds'"
_OPENED = "INSERT INTO node_question (node, request_id) VALUES ($1, $2) ON CONFLICT DO NOTHING"
_ANSWER = "UPDATE node_question SET answer = $3"
_THIS = " WHERE node = $1 AND request_id = $2 AND closed_at IS NULL"
_OPEN = "SELECT request_id, answer FROM node_question WHERE node = $1 AND closed_at IS NULL ORDER BY opened_at"
_LEFT_BEHIND = """
SELECT q.node, q.request_id FROM node_question q WHERE q.closed_at IS NULL
AND NOT EXISTS (SELECT 1 FROM member m WHERE m.id = q.node AND m.revoked_at IS NULL)
"""


class TeamNodes:
    def __init__(self, database: TeamDatabase, listener: Listener) -> None:
        self._database = database
        self._listener = listener

    async def seen(self, node: str, policy: str, version: str) -> None:
        await self._database.execute(_SEEN, node, policy, version)

    async def sightings(self) -> Mapping[str, NodeStatus]:
        return {
            id: NodeStatus(last_seen=at, is_connected=connected, policy=policy, version=version, pending=pending)
            for id, at, connected, policy, version, pending in await self._database.rows(_SIGHTINGS)
        }

    async def connected(self) -> Collection[str]:
        return {id for (id,) in await self._database.rows(_CONNECTED)}

    async def opened(self, node: str, request_id: str) -> None:
        await self._database.execute(_OPENED, node, request_id)

    async def answer(self, node: str, answer: NodeAnswer) -> bool:
        query = f"{_ANSWER}{_THIS} AND answer IS NULL"
        return await self._database.execute(query, node, answer.request_id, msgspec.json.encode(answer)) == 1

    async def refuse(self, node: str, request_id: str) -> None:
        await self._database.execute(f"{_ANSWER}{_THIS}", node, request_id, None)

    async def close(self, node: str, request_id: str) -> None:
        await self._database.execute(f"UPDATE node_question SET closed_at = clock_timestamp(){_THIS}", node, request_id)

    async def open(self, node: str) -> Sequence[tuple[str, NodeAnswer | None]]:
        rows = await self._database.rows(_OPEN, node)
        return [(id, None if answer is None else decode_as(answer, NodeAnswer)) for id, answer in rows]

    async def orphaned_questions(self) -> Sequence[tuple[str, str]]:
        return [(node, id) for node, id in await self._database.rows(_LEFT_BEHIND)]

    def journal(self, node: str) -> TeamJournal:
        return TeamJournal(self._database, _JOURNAL + node)

    def journals(self) -> Sequence[str]:
        query = "SELECT journal FROM journal_head WHERE starts_with(journal, $1) ORDER BY journal"
        rows = self._database.run(lambda connection: connection.fetch(query, _JOURNAL))
        return [str(journal).removeprefix(_JOURNAL) for (journal,) in rows]

    def watching(self) -> AbstractAsyncContextManager[Watch]:
        return self._listener.watching("nodes", "access")
