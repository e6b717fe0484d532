"""Stores agent runs and task conversations."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from handrail.ports.agent import Run, StoredTurn
from handrail.ports.browser import TaskRecord
from handrail.ports.model import MOST_PICTURES, AssistantTurn, Note, Picture, ToolResult, Turn, UserTurn
from handrail.stores.shared.batches import Batches, Row, Statement
from handrail.stores.shared.browser_tasks import saving

_ADD = """
INSERT INTO conversation (task_id, kind, message_id, text, turn, sent_at, at, is_past)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
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

_turns = msgspec.json.Decoder(Turn)
_KINDS: Mapping[type[Turn], str] = {UserTurn: "user", AssistantTurn: "assistant", ToolResult: "tool", Note: "note"}


class RunRows:
    unfinished_runs = "SELECT status, run FROM agent_run WHERE status IN ('running', 'paused')"

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def save(self, run: Run, task: TaskRecord, turns: Sequence[Turn] = ()) -> asyncio.Future[None]:
        row = (run.task_id, run.status, _encoded_run(run))
        return self._write(run.task_id, *_insertions(run.task_id, turns), Statement(_SAVE, row), saving(task))

    async def find(self, task_id: str) -> Run | None:
        row = await self._batches.row("SELECT status, run FROM agent_run WHERE task_id = $1", task_id)
        return None if row is None else _run_of(row)

    async def unfinished(self) -> Sequence[Run]:
        return [_run_of(row) for row in await self._batches.rows(self.unfinished_runs)]

    def add(self, task_id: str, *turns: Turn) -> asyncio.Future[None]:
        return self._write(task_id, *_insertions(task_id, turns))

    def add_answer(self, task: TaskRecord, answer: UserTurn) -> asyncio.Future[None]:
        row = (task.task_id, "answer", answer.id, answer.text, b"", answer.sent_at or None, _now_ms(), True)
        return self._write(task.task_id, Statement(_ADD, row), saving(task))

    async def remembers(self, task_id: str, message_id: str) -> bool:
        query = "SELECT 1 FROM conversation WHERE task_id = $1 AND message_id = $2"
        return await self._batches.row(query, task_id, message_id) is not None

    async def turns(self, task_id: str) -> Sequence[Turn]:
        """The turns since the newest summary, which replaces everything before it."""
        turns = [_turn_of(*row) for row in await self._batches.rows(f"SELECT turn, text {_TURNS}", task_id)]
        pictures: dict[str, list[Picture]] = {}
        for execution, mime, data in await self._batches.rows(_PICTURES, task_id):
            pictures.setdefault(execution, []).append(Picture(mime, data))
        return [_with_pictures(turn, pictures) for turn in turns]

    async def page(self, task_id: str, before: int | None, limit: int) -> Sequence[StoredTurn]:
        turns: list[StoredTurn] = []
        place = _LAST if before is None else before
        while chunk := await self._batches.rows(_PAGE, task_id, place, limit):
            turns += [StoredTurn(number, at, _turn_of(turn, text)) for number, at, turn, text in chunk]
            place = turns[-1].number
            if not isinstance(turns[-1].turn, ToolResult):
                break
        return turns[::-1]

    def compact(self, task_id: str, keep_from: int, note: str) -> asyncio.Future[None]:
        """Messages stay in the table for people; the model gets the summary instead."""
        summary = (task_id, "summary", None, note, msgspec.json.encode(Note("")), None, _now_ms(), False)
        return self._write(task_id, Statement(_COMPACT, (task_id, keep_from)), Statement(_ADD, summary))

    def _write(self, task_id: str, *statements: Statement) -> asyncio.Future[None]:
        return self._batches.write(*statements)


def _insertions(task_id: str, turns: Sequence[Turn]) -> list[Statement]:
    added = [Statement(_ADD, _turn_row(task_id, turn)) for turn in turns]
    pictures = [
        Statement(_ADD_PICTURE, (task_id, turn.execution_id, picture.mime, picture.data))
        for turn in turns
        if isinstance(turn, ToolResult)
        for picture in turn.pictures
    ]
    if pictures:
        pictures.append(Statement(_DROP_PICTURES, (task_id, MOST_PICTURES)))
    return [*added, *pictures]


def _encoded_run(run: Run) -> bytes:
    members = msgspec.structs.asdict(run)
    del members["status"]  # it has a column of its own
    return msgspec.json.encode(members)


def _run_of(row: Row) -> Run:
    return msgspec.convert({**msgspec.json.decode(row[1]), "status": row[0]}, Run)


def _turn_of(turn: bytes, text: str) -> Turn:
    decoded: Turn = _turns.decode(turn)
    return msgspec.structs.replace(decoded, text=text)


def _turn_row(task_id: str, turn: Turn) -> tuple[Any, ...]:
    """A turn as a row. The text has its own column, tool pictures have their own table; secrets are not stored."""
    message_id = turn.id or None if isinstance(turn, UserTurn | AssistantTurn) else None
    sent_at = turn.sent_at or None if isinstance(turn, UserTurn) else None
    stored: Turn = msgspec.structs.replace(turn, text="")
    if isinstance(stored, ToolResult):
        stored = msgspec.structs.replace(stored, pictures=(), unkept="")
    if isinstance(stored, UserTurn):
        stored = msgspec.structs.replace(stored, sent_at=0)
    return (task_id, _KINDS[type(turn)], message_id, turn.text, msgspec.json.encode(stored), sent_at, _now_ms(), False)


def _with_pictures(turn: Turn, pictures: Mapping[str, list[Picture]]) -> Turn:
    if not isinstance(turn, ToolResult) or turn.execution_id not in pictures:
        return turn
    return msgspec.structs.replace(turn, pictures=tuple(pictures[turn.execution_id]))


def _now_ms() -> int:
    return int(time.time() * 1000)
