"""Runs of the agent and their turns, in the tasks' own database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from handrail.ports.agent import Remembered, Run
from handrail.ports.browser import Message
from handrail.ports.model import MOST_PICTURES, Noted, Picture, Returned, Turn
from handrail.stores.local.batches import Batches
from handrail.stores.local.browser_tasks import add_message

if TYPE_CHECKING:
    import sqlite3

_turns = msgspec.json.Decoder(Turn)
_runs = msgspec.json.Decoder(Run)
_ADD = "INSERT INTO agent_turn (task_id, turn, place, at) VALUES (?, ?, ?, ?)"
_PAGE = "SELECT number, at, turn FROM agent_turn WHERE task_id = ? AND number < ? ORDER BY number DESC LIMIT ?"
_LAST = 2**62
_ADD_PICTURE = "INSERT INTO agent_picture (task_id, execution_id, mime, data) VALUES (?, ?, ?, ?)"
_PICTURES = "SELECT execution_id, mime, data FROM agent_picture WHERE task_id = ? ORDER BY number"
_DROP_PICTURES = """
DELETE FROM agent_picture WHERE task_id = ? AND number NOT IN (
  SELECT number FROM agent_picture WHERE task_id = ? ORDER BY number DESC LIMIT ?
)
"""


class SqliteRuns:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def save(self, run: Run) -> asyncio.Future[None]:
        return self._batches.write(_saving(run))

    async def remembers(self, task_id: str, message_id: str) -> bool:
        query = "SELECT 1 FROM browser_message WHERE task_id = ? AND id = ?"
        return bool(await self._batches.read(lambda rows: rows.execute(query, (task_id, message_id)).fetchone()))

    def begin(self, run: Run, turns: Sequence[Turn], message: Message) -> asyncio.Future[None]:
        save, add = _saving(run), _adding(run.task_id, turns)

        def work(rows: sqlite3.Connection) -> None:
            add_message(rows, run.task_id, message)
            add(rows)
            save(rows)

        return self._batches.write(work)

    async def find(self, task_id: str) -> Run | None:
        query = "SELECT run FROM agent_run WHERE task_id = ?"
        row = await self._batches.read(lambda rows: rows.execute(query, (task_id,)).fetchone())
        return None if row is None else _runs.decode(row[0])

    async def unfinished(self) -> Sequence[Run]:
        query = "SELECT run FROM agent_run WHERE status IN ('running', 'paused')"
        found = await self._batches.read(lambda rows: rows.execute(query).fetchall())
        return [_runs.decode(row[0]) for row in found]

    def add(self, task_id: str, *turns: Turn) -> asyncio.Future[None]:
        return self._batches.write(_adding(task_id, turns))

    async def turns(self, task_id: str) -> Sequence[Turn]:
        """From the newest note that stands for what was before it."""
        query = "SELECT turn FROM agent_turn WHERE task_id = ? AND NOT is_past ORDER BY place, number"

        def work(rows: sqlite3.Connection) -> list[Turn]:
            pictures: dict[str, list[Picture]] = {}
            for execution, mime, data in rows.execute(_PICTURES, (task_id,)):
                pictures.setdefault(execution, []).append(Picture(mime, data))
            found = (_turns.decode(row[0]) for row in rows.execute(query, (task_id,)))
            return [_with_pictures(turn, pictures) for turn in found]

        return await self._batches.read(work)

    async def page(self, task_id: str, before: int | None, limit: int) -> Sequence[Remembered]:
        def work(rows: sqlite3.Connection) -> list[Remembered]:
            found: list[Remembered] = []
            place = _LAST if before is None else before
            while more := [_remembered(row) for row in rows.execute(_PAGE, (task_id, place, limit))]:
                found += more
                place = found[-1].number
                if not isinstance(found[-1].turn, Returned):
                    break
            return found[::-1]

        return await self._batches.read(work)

    def compact(self, task_id: str, keep_from: int, note: str) -> asyncio.Future[None]:
        """What was said stays in the table, for people; the model gets the note in its place."""
        turn = msgspec.json.encode(Noted(note))

        def work(rows: sqlite3.Connection) -> None:
            query = "SELECT number FROM agent_turn WHERE task_id = ? AND NOT is_past ORDER BY place, number LIMIT ?"
            numbers = [row[0] for row in rows.execute(query, (task_id, keep_from))]
            rows.executemany("UPDATE agent_turn SET is_past = 1 WHERE number = ?", [(number,) for number in numbers])
            rows.execute(_ADD, (task_id, turn, -1, _now()))

        return self._batches.write(work)


def _remembered(row: tuple[int, int, bytes]) -> Remembered:
    return Remembered(row[0], row[1], _turns.decode(row[2]))


def _saving(run: Run) -> Callable[[sqlite3.Connection], None]:
    row = (run.task_id, run.status, msgspec.json.encode(run))

    def work(rows: sqlite3.Connection) -> None:
        rows.execute("INSERT OR REPLACE INTO agent_run (task_id, status, run) VALUES (?, ?, ?)", row)

    return work


def _adding(task_id: str, turns: Sequence[Turn]) -> Callable[[sqlite3.Connection], None]:
    added = [(task_id, msgspec.json.encode(_kept(turn)), 0, _now()) for turn in turns]
    pictures = [
        (task_id, turn.execution_id, picture.mime, picture.data)
        for turn in turns
        if isinstance(turn, Returned)
        for picture in turn.pictures
    ]

    def work(rows: sqlite3.Connection) -> None:
        rows.executemany(_ADD, added)
        if pictures:
            rows.executemany(_ADD_PICTURE, pictures)
            rows.execute(_DROP_PICTURES, (task_id, task_id, MOST_PICTURES))

    return work


def _kept(turn: Turn) -> Turn:
    """Pictures have a table of their own, secrets have no place at all."""
    return msgspec.structs.replace(turn, pictures=(), unkept="") if isinstance(turn, Returned) else turn


def _with_pictures(turn: Turn, pictures: Mapping[str, list[Picture]]) -> Turn:
    if not isinstance(turn, Returned) or turn.execution_id not in pictures:
        return turn
    return msgspec.structs.replace(turn, pictures=tuple(pictures[turn.execution_id]))


def _now() -> int:
    return int(time.time() * 1000)
