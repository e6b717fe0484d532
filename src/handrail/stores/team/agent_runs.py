"""Stores agent runs and task conversations. Only the server that has a run's lease writes it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from handrail.ports.agent import Run, StoredTurn
from handrail.ports.browser import TaskRecord
from handrail.ports.model import MOST_PICTURES, Picture, ToolResult, Turn, UserTurn
from handrail.stores.team.batches import Statement, TeamBatches
from handrail.stores.team.browser_tasks import saving, storable
from handrail.stores.team.run_leases import TeamRunLeases
from handrail.stores.turn_rows import (
    CONVERSATION_COLUMNS,
    answer_row,
    encoded_run,
    picture_rows,
    run_of,
    summary_row,
    turn_of,
    turn_row,
    with_pictures,
)

_ADD = f"INSERT INTO conversation ({CONVERSATION_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
_SAVE = """
INSERT INTO agent_run (task_id, status, run) VALUES ($1, $2, $3)
ON CONFLICT (tenant, task_id) DO UPDATE SET status = excluded.status, run = excluded.run
"""
_TURNS = "FROM conversation WHERE task_id = $1 AND NOT is_past ORDER BY kind <> 'summary', number"
_PAGE = """
SELECT number, at, turn, text FROM conversation WHERE task_id = $1 AND number < $2 AND kind <> 'answer'
ORDER BY number DESC LIMIT $3
"""
_LAST = 2**62
_ADD_PICTURE = "INSERT INTO agent_picture (task_id, execution_id, mime, data) VALUES ($1, $2, $3, $4)"
_PICTURES = "SELECT execution_id, mime, data FROM agent_picture WHERE task_id = $1 ORDER BY number"
_DROP_PICTURES = """
DELETE FROM agent_picture WHERE task_id = $1 AND number NOT IN (
  SELECT number FROM agent_picture WHERE task_id = $1 ORDER BY number DESC LIMIT $2
)
"""
_COMPACT = f"UPDATE conversation SET is_past = true WHERE number IN (SELECT number {_TURNS} LIMIT $2)"


class TeamRuns:
    """Writes raise Conflict, and write nothing, if another server has taken the run over."""

    def __init__(self, batches: TeamBatches, leases: TeamRunLeases) -> None:
        self._batches = batches
        self._leases = leases

    def save(self, run: Run, task: TaskRecord, turns: Sequence[Turn] = ()) -> asyncio.Future[None]:
        row = (run.task_id, run.status, encoded_run(run))
        return self._write(run.task_id, *_insertions(run.task_id, turns), Statement(_SAVE, row), saving(task))

    async def find(self, task_id: str) -> Run | None:
        row = await self._batches.row("SELECT status, run FROM agent_run WHERE task_id = $1", task_id)
        return None if row is None else run_of((row[0], row[1]))

    async def unfinished(self) -> Sequence[Run]:
        """Unfinished runs that no server is working on."""
        query = f"SELECT status, run FROM agent_run AS run WHERE {self._leases.is_free}"
        return [run_of((row[0], row[1])) for row in await self._batches.rows(query)]

    def add(self, task_id: str, *turns: Turn) -> asyncio.Future[None]:
        return self._write(task_id, *_insertions(task_id, turns))

    def add_answer(self, task: TaskRecord, answer: UserTurn) -> asyncio.Future[None]:
        statement = Statement(_ADD, storable(answer_row(task.task_id, answer)))
        return self._write(task.task_id, statement, saving(task))

    async def remembers(self, task_id: str, message_id: str) -> bool:
        query = "SELECT 1 FROM conversation WHERE task_id = $1 AND message_id = $2"
        return await self._batches.row(query, task_id, message_id) is not None

    async def turns(self, task_id: str) -> Sequence[Turn]:
        """The turns since the newest summary, which replaces everything before it."""
        pictures: dict[str, list[Picture]] = {}
        for execution, mime, data in await self._batches.rows(_PICTURES, task_id):
            pictures.setdefault(execution, []).append(Picture(mime, data))
        rows = await self._batches.rows(f"SELECT turn, text {_TURNS}", task_id)
        return [with_pictures(turn_of(row[0], row[1]), pictures) for row in rows]

    async def page(self, task_id: str, before: int | None, limit: int) -> Sequence[StoredTurn]:
        turns: list[StoredTurn] = []
        place = _LAST if before is None else before
        while chunk := await self._batches.rows(_PAGE, task_id, place, limit):
            turns += [StoredTurn(number, at, turn_of(turn, text)) for number, at, turn, text in chunk]
            place = turns[-1].number
            if not isinstance(turns[-1].turn, ToolResult):
                break
        return turns[::-1]

    def compact(self, task_id: str, keep_from: int, note: str) -> asyncio.Future[None]:
        """Messages stay in the table for people; the model gets the summary instead."""
        summary = Statement(_ADD, storable(summary_row(task_id, note)))
        return self._write(task_id, Statement(_COMPACT, (task_id, keep_from)), summary)

    def _write(self, task_id: str, *statements: Statement) -> asyncio.Future[None]:
        return self._batches.write(self._leases.fence(task_id), *statements)


def _insertions(task_id: str, turns: Sequence[Turn]) -> list[Statement]:
    added = [Statement(_ADD, storable(turn_row(task_id, turn))) for turn in turns]
    pictures = [Statement(_ADD_PICTURE, row) for row in picture_rows(task_id, turns)]
    if pictures:
        pictures.append(Statement(_DROP_PICTURES, (task_id, MOST_PICTURES)))
    return [*added, *pictures]
