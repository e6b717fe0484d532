"""Browser tasks, their owners, and their conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from handrail.ports.browser import Message, TaskRecord
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
_COLUMNS = "task_id, title, status, created_at, updated_at, selected_client_id, is_archived, is_reading"


_INTERRUPTED = f"""
SELECT {_COLUMNS} FROM browser_task
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
    selected = None if task.selected_client_id is UNSET else task.selected_client_id
    times = (task.created_at, task.updated_at)
    reading = None if task.reading is UNSET else task.reading
    connection.execute(_SAVE, (task.task_id, task.title, task.status, *times, selected, task.archived is True, reading))


class SqliteTasks:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def save(self, task: TaskRecord) -> asyncio.Future[None]:
        return self._batches.write(lambda rows: save_task(rows, task))

    async def find(self, task_id: str) -> TaskRecord | None:
        query = f"SELECT {_COLUMNS} FROM browser_task WHERE task_id = ?"
        row = await self._batches.row(query, task_id)
        return None if row is None else _task(row)

    async def interrupted(self) -> Sequence[TaskRecord]:
        rows = await self._batches.rows(_INTERRUPTED)
        return [_task(row) for row in rows]

    async def newest(self, limit: int, before: str | None = None, words: Sequence[str] = ()) -> Sequence[TaskRecord]:
        conditions, values = ["TRUE"], list[str | int]()
        if before is not None:
            conditions.append(_AFTER)
            values.append(before)
        for word in words:
            conditions.append(_HAS_WORD)
            values += [_pattern(word)] * 2
        query = f"SELECT {_COLUMNS} FROM browser_task AS task WHERE {' AND '.join(conditions)} {_NEWEST_FIRST} LIMIT ?"
        rows = await self._batches.rows(query, *values, limit)
        return [_task(row) for row in rows]

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


def _pattern(word: str) -> str:
    """A LIKE pattern for a word anywhere in the text, with its special characters escaped."""
    return "%" + "".join(f"!{sign}" if sign in "!%_" else sign for sign in word) + "%"


def _task(row: tuple[Any, ...]) -> TaskRecord:
    record = TaskRecord(task_id=row[0], title=row[1], status=row[2], created_at=row[3], updated_at=row[4])
    selected, archived = UNSET if row[5] is None else row[5], True if row[6] else UNSET
    reading = UNSET if row[7] is None else bool(row[7])
    return msgspec.structs.replace(record, selected_client_id=selected, archived=archived, reading=reading)
