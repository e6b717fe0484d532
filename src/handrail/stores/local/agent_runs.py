"""Stores agent runs and task conversations in the browser database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from handrail.ports.agent import Run, StoredTurn
from handrail.ports.browser import TaskRecord
from handrail.ports.model import MOST_PICTURES, Picture, ToolResult, Turn, UserTurn
from handrail.stores.local.batches import Batches
from handrail.stores.local.browser_tasks import save_task
from handrail.stores.turn_rows import (
    answer_row,
    encoded_run,
    picture_rows,
    run_of,
    summary_row,
    turn_of,
    turn_row,
    with_pictures,
)

if TYPE_CHECKING:
    import sqlite3

_ADD = """
INSERT INTO conversation (task_id, kind, message_id, text, turn, sent_at, at, is_past) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_TURNS = "FROM conversation WHERE task_id = ? AND is_past = 0 ORDER BY kind <> 'summary', number"
_PAGE = """
SELECT number, at, turn, text FROM conversation WHERE task_id = ? AND number < ? AND kind <> 'answer'
ORDER BY number DESC LIMIT ?
"""
_LAST = 2**62
_ADD_PICTURE = "INSERT INTO agent_picture (task_id, execution_id, mime, data) VALUES (?, ?, ?, ?)"
_PICTURES = "SELECT execution_id, mime, data FROM agent_picture WHERE task_id = ? ORDER BY number"
_DROP_PICTURES = """
DELETE FROM agent_picture WHERE task_id = ? AND number NOT IN (
  SELECT number FROM agent_picture WHERE task_id = ? ORDER BY number DESC LIMIT ?
)
"""
Work = Callable[["sqlite3.Connection"], None]


class SqliteRuns:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def save(self, run: Run, task: TaskRecord, turns: Sequence[Turn] = ()) -> asyncio.Future[None]:
        add, row = _insertion(run.task_id, turns), (run.task_id, run.status, encoded_run(run))

        def work(rows: sqlite3.Connection) -> None:
            add(rows)
            rows.execute("INSERT OR REPLACE INTO agent_run (task_id, status, run) VALUES (?, ?, ?)", row)
            save_task(rows, task)

        return self._batches.write(work)

    async def find(self, task_id: str) -> Run | None:
        query = "SELECT status, run FROM agent_run WHERE task_id = ?"
        row = await self._batches.row(query, task_id)
        return None if row is None else run_of(row)

    async def unfinished(self) -> Sequence[Run]:
        query = "SELECT status, run FROM agent_run WHERE status IN ('running', 'paused')"
        return [run_of(row) for row in await self._batches.rows(query)]

    def add(self, task_id: str, *turns: Turn) -> asyncio.Future[None]:
        return self._batches.write(_insertion(task_id, turns))

    def add_answer(self, task: TaskRecord, answer: UserTurn) -> asyncio.Future[None]:
        row = answer_row(task.task_id, answer)

        def work(rows: sqlite3.Connection) -> None:
            rows.execute(_ADD, row)
            save_task(rows, task)

        return self._batches.write(work)

    async def remembers(self, task_id: str, message_id: str) -> bool:
        query = "SELECT 1 FROM conversation WHERE task_id = ? AND message_id = ?"
        return bool(await self._batches.row(query, task_id, message_id))

    async def turns(self, task_id: str) -> Sequence[Turn]:
        """The turns since the newest summary, which replaces everything before it."""

        def work(rows: sqlite3.Connection) -> list[Turn]:
            pictures: dict[str, list[Picture]] = {}
            for execution, mime, data in rows.execute(_PICTURES, (task_id,)):
                pictures.setdefault(execution, []).append(Picture(mime, data))
            turns = (turn_of(*row) for row in rows.execute(f"SELECT turn, text {_TURNS}", (task_id,)))
            return [with_pictures(turn, pictures) for turn in turns]

        return await self._batches.read(work)

    async def page(self, task_id: str, before: int | None, limit: int) -> Sequence[StoredTurn]:
        def work(rows: sqlite3.Connection) -> list[StoredTurn]:
            turns: list[StoredTurn] = []
            place = _LAST if before is None else before
            while chunk := rows.execute(_PAGE, (task_id, place, limit)).fetchall():
                turns += [StoredTurn(number, at, turn_of(turn, text)) for number, at, turn, text in chunk]
                place = turns[-1].number
                if not isinstance(turns[-1].turn, ToolResult):
                    break
            return turns[::-1]

        return await self._batches.read(work)

    def compact(self, task_id: str, keep_from: int, note: str) -> asyncio.Future[None]:
        """Messages stay in the table for people; the model gets the summary instead."""
        summary = summary_row(task_id, note)

        def work(rows: sqlite3.Connection) -> None:
            numbers = rows.execute(f"SELECT number {_TURNS} LIMIT ?", (task_id, keep_from)).fetchall()
            rows.executemany("UPDATE conversation SET is_past = 1 WHERE number = ?", numbers)
            rows.execute(_ADD, summary)

        return self._batches.write(work)


def _insertion(task_id: str, turns: Sequence[Turn]) -> Work:
    added = [turn_row(task_id, turn) for turn in turns]
    pictures = picture_rows(task_id, turns)

    def work(rows: sqlite3.Connection) -> None:
        rows.executemany(_ADD, added)
        if pictures:
            rows.executemany(_ADD_PICTURE, pictures)
            rows.execute(_DROP_PICTURES, (task_id, task_id, MOST_PICTURES))

    return work
