"""Stores browser tasks, their callers and their messages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from handrail.ports.browser import Message, TaskRecord
from handrail.stores.browser_rows import TASK_COLUMNS, task_of, task_values, word_pattern
from handrail.stores.local.batches import Batches

if TYPE_CHECKING:
    import sqlite3

_SAVE = """
INSERT INTO browser_task (task_id, title, status, created_at, updated_at, selected_client_id, is_archived, is_reading)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (task_id) DO UPDATE SET title = excluded.title, status = excluded.status, updated_at = excluded.updated_at,
  selected_client_id = excluded.selected_client_id, is_archived = excluded.is_archived,
  is_reading = excluded.is_reading
"""
_INTERRUPTED = f"""
SELECT {TASK_COLUMNS} FROM browser_task
WHERE status = 'running' OR task_id IN (SELECT task_id FROM browser_action WHERE status IS NULL)
"""
_NEWEST_FIRST = "ORDER BY updated_at DESC, task_id DESC"
_AFTER = "(updated_at, task_id) < (SELECT updated_at, task_id FROM browser_task WHERE task_id = ?)"
_HAS_WORD = """
(title LIKE ? ESCAPE '!' OR EXISTS (
  SELECT 1 FROM conversation AS said
  WHERE said.task_id = task.task_id AND message_id IS NOT NULL AND said.text LIKE ? ESCAPE '!'
))
"""
_MESSAGES = """
SELECT message_id, iif(kind = 'assistant', 'assistant', 'user'), text, coalesce(sent_at, at) FROM conversation
WHERE task_id = ? AND message_id IS NOT NULL AND text <> '' ORDER BY number
"""


def save_task(connection: sqlite3.Connection, task: TaskRecord) -> None:
    connection.execute(_SAVE, task_values(task))


class SqliteTasks:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def save(self, task: TaskRecord) -> asyncio.Future[None]:
        return self._batches.write(lambda rows: save_task(rows, task))

    async def find(self, task_id: str) -> TaskRecord | None:
        query = f"SELECT {TASK_COLUMNS} FROM browser_task WHERE task_id = ?"
        row = await self._batches.row(query, task_id)
        return None if row is None else task_of(row)

    async def interrupted(self) -> Sequence[TaskRecord]:
        rows = await self._batches.rows(_INTERRUPTED)
        return [task_of(row) for row in rows]

    async def newest(self, limit: int, before: str | None = None, words: Sequence[str] = ()) -> Sequence[TaskRecord]:
        conditions, values = ["TRUE"], list[str | int]()
        if before is not None:
            conditions.append(_AFTER)
            values.append(before)
        for word in words:
            conditions.append(_HAS_WORD)
            values += [word_pattern(word)] * 2
        query = (
            f"SELECT {TASK_COLUMNS} FROM browser_task AS task WHERE {' AND '.join(conditions)} {_NEWEST_FIRST} LIMIT ?"
        )
        rows = await self._batches.rows(query, *values, limit)
        return [task_of(row) for row in rows]

    def bind(self, caller: str, task_id: str) -> asyncio.Future[None]:
        query = "INSERT OR REPLACE INTO browser_caller (caller, task_id) VALUES (?, ?)"
        return self._batches.execute(query, caller, task_id)

    async def bound(self, caller: str) -> str | None:
        query = "SELECT task_id FROM browser_caller WHERE caller = ?"
        row = await self._batches.row(query, caller)
        return None if row is None else str(row[0])

    async def messages(self, task_id: str) -> Sequence[Message]:
        rows = await self._batches.rows(_MESSAGES, task_id)
        return [Message(id=row[0], role=row[1], content=row[2], timestamp=row[3]) for row in rows]
