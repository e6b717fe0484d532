"""Stores a team's browser tasks, their callers and their messages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from handrail.ports.browser import Message, TaskRecord
from handrail.stores.browser_rows import TASK_COLUMNS, task_of, task_values, word_pattern
from handrail.stores.team.batches import Statement, TeamBatches

_SAVE = f"""
INSERT INTO browser_task ({TASK_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (tenant, task_id) DO UPDATE SET title = excluded.title, status = excluded.status,
  updated_at = excluded.updated_at, selected_client_id = excluded.selected_client_id,
  is_archived = excluded.is_archived, is_reading = excluded.is_reading
"""
_NEWEST_FIRST = "ORDER BY updated_at DESC, task_id DESC"
_AFTER = "(updated_at, task_id) < (SELECT updated_at, task_id FROM browser_task WHERE task_id = ${0})"
_HAS_WORD = """
(title ILIKE ${0} ESCAPE '!' OR EXISTS (
  SELECT 1 FROM conversation AS said
  WHERE said.task_id = task.task_id AND message_id IS NOT NULL AND said.text ILIKE ${0} ESCAPE '!'
))
"""
_BIND = """
INSERT INTO browser_caller (caller, task_id) VALUES ($1, $2)
ON CONFLICT (tenant, caller) DO UPDATE SET task_id = excluded.task_id
"""
_MESSAGES = """
SELECT message_id, CASE WHEN kind = 'assistant' THEN 'assistant' ELSE 'user' END, text, coalesce(sent_at, at)
FROM conversation WHERE task_id = $1 AND message_id IS NOT NULL AND text <> '' ORDER BY number
"""


def saving(task: TaskRecord) -> Statement:
    return Statement(_SAVE, storable(task_values(task)))


def storable(values: Sequence[Any]) -> list[Any]:
    """Replaces NULs and lone surrogates in texts, which PostgreSQL can't store."""
    return [_storable(each) if isinstance(each, str) else each for each in values]


def _storable(text: str) -> str:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


class TeamTasks:
    def __init__(self, batches: TeamBatches) -> None:
        self._batches = batches

    def save(self, task: TaskRecord) -> asyncio.Future[None]:
        return self._batches.write(saving(task))

    async def find(self, task_id: str) -> TaskRecord | None:
        row = await self._batches.row(f"SELECT {TASK_COLUMNS} FROM browser_task WHERE task_id = $1", task_id)
        return None if row is None else task_of(row)

    async def interrupted(self) -> Sequence[TaskRecord]:
        """Empty: the next server to which a browser connects ends its interrupted actions."""
        return ()

    async def newest(self, limit: int, before: str | None = None, words: Sequence[str] = ()) -> Sequence[TaskRecord]:
        conditions, values = ["TRUE"], list[str | int]([limit])
        if before is not None:
            values.append(before)
            conditions.append(_AFTER.format(len(values)))
        for word in words:
            values.append(word_pattern(word))
            conditions.append(_HAS_WORD.format(len(values)))
        query = f"SELECT {TASK_COLUMNS} FROM browser_task AS task WHERE {' AND '.join(conditions)}"
        rows = await self._batches.rows(f"{query} {_NEWEST_FIRST} LIMIT $1", *values)
        return [task_of(row) for row in rows]

    def bind(self, caller: str, task_id: str) -> asyncio.Future[None]:
        return self._batches.execute(_BIND, caller, task_id)

    async def bound(self, caller: str) -> str | None:
        row = await self._batches.row("SELECT task_id FROM browser_caller WHERE caller = $1", caller)
        return None if row is None else str(row[0])

    async def messages(self, task_id: str) -> Sequence[Message]:
        rows = await self._batches.rows(_MESSAGES, task_id)
        return [Message(id=row[0], role=row[1], content=row[2], timestamp=row[3]) for row in rows]
