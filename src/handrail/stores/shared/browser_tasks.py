"""Stores browser tasks, their callers and their messages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.ports.browser import Message, TaskRecord
from handrail.stores.shared.batches import Batches, Row, Statement

_COLUMNS = "task_id, title, status, created_at, updated_at, selected_client_id, is_archived, is_reading"
_SAVE = f"""
INSERT INTO browser_task ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (tenant, task_id) DO UPDATE SET title = excluded.title, status = excluded.status,
  updated_at = excluded.updated_at, selected_client_id = excluded.selected_client_id,
  is_archived = excluded.is_archived, is_reading = excluded.is_reading
"""
_INTERRUPTED = f"""
SELECT {_COLUMNS} FROM browser_task
WHERE status = 'running' OR task_id IN (SELECT task_id FROM browser_action WHERE status IS NULL)
"""
_NEWEST_FIRST = "ORDER BY updated_at DESC, task_id DESC"
_AFTER = "(updated_at, task_id) < (SELECT updated_at, task_id FROM browser_task WHERE task_id = ${0})"
_HAS_WORD = """
(lower(title) LIKE lower(${0}) ESCAPE '!' OR EXISTS (
  SELECT 1 FROM conversation AS said
  WHERE said.task_id = task.task_id AND message_id IS NOT NULL AND lower(said.text) LIKE lower(${0}) ESCAPE '!'
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


class TaskRows:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def save(self, task: TaskRecord) -> asyncio.Future[None]:
        return self._batches.write(saving(task))

    async def find(self, task_id: str) -> TaskRecord | None:
        row = await self._batches.row(f"SELECT {_COLUMNS} FROM browser_task WHERE task_id = $1", task_id)
        return None if row is None else _task_of(row)

    async def interrupted(self) -> Sequence[TaskRecord]:
        return [_task_of(row) for row in await self._batches.rows(_INTERRUPTED)]

    async def newest(self, limit: int, before: str | None = None, words: Sequence[str] = ()) -> Sequence[TaskRecord]:
        conditions, values = ["TRUE"], list[str | int]([limit])
        if before is not None:
            values.append(before)
            conditions.append(_AFTER.format(len(values)))
        for word in words:
            values.append(_word_pattern(word))
            conditions.append(_HAS_WORD.format(len(values)))
        query = f"SELECT {_COLUMNS} FROM browser_task AS task WHERE {' AND '.join(conditions)}"
        rows = await self._batches.rows(f"{query} {_NEWEST_FIRST} LIMIT $1", *values)
        return [_task_of(row) for row in rows]

    def bind(self, caller: str, task_id: str) -> asyncio.Future[None]:
        return self._batches.execute(_BIND, caller, task_id)

    async def bound(self, caller: str) -> str | None:
        row = await self._batches.row("SELECT task_id FROM browser_caller WHERE caller = $1", caller)
        return None if row is None else str(row[0])

    async def messages(self, task_id: str) -> Sequence[Message]:
        rows = await self._batches.rows(_MESSAGES, task_id)
        return [Message(id=row[0], role=row[1], content=row[2], timestamp=row[3]) for row in rows]


def saving(task: TaskRecord) -> Statement:
    return Statement(_SAVE, task_values(task))


def task_values(task: TaskRecord) -> tuple[Any, ...]:
    selected = None if task.selected_client_id is UNSET else task.selected_client_id
    reading = None if task.reading is UNSET else task.reading
    times = (task.created_at, task.updated_at)
    return (task.task_id, task.title, task.status, *times, selected, task.archived is True, reading)


def _task_of(row: Row) -> TaskRecord:
    record = TaskRecord(task_id=row[0], title=row[1], status=row[2], created_at=row[3], updated_at=row[4])
    selected, archived = UNSET if row[5] is None else row[5], True if row[6] else UNSET
    reading = UNSET if row[7] is None else bool(row[7])
    return msgspec.structs.replace(record, selected_client_id=selected, archived=archived, reading=reading)


def _word_pattern(word: str) -> str:
    """A LIKE pattern for a word anywhere in the text, with its special characters escaped."""
    return "%" + "".join(f"!{sign}" if sign in "!%_" else sign for sign in word) + "%"
