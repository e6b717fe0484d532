"""A conversation is stored once. State directories of version 0.1 stored it twice and lose nothing."""

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from handrail.features.history.reporting import read_conversation
from handrail.ports.agent import Run
from handrail.ports.browser import Message, TaskRecord
from handrail.ports.model import AssistantTurn, Note, ToolUse, UserTurn
from handrail.stores.local.batches import SqliteBatches
from handrail.stores.local.browser_tables import STEPS, browser_database
from handrail.stores.local.database import Database
from handrail.stores.local.factory import open_browser_stores
from handrail.stores.shared.agent_runs import RunRows
from handrail.stores.shared.browser_tasks import TaskRows
from tests.archives import unpack

T = TypeVar("T")
TASK = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
OTHER = "01HZZZZZZZZZZZZZZZZZZZZZZ0"
OLD_STATE = Path(__file__).parents[1] / "fixtures/state-0.1.tar.xz"
OLD_TURN = "INSERT INTO agent_turn (task_id, turn, place, is_past, at) VALUES (?, ?, ?, ?, ?)"
OLD_MESSAGE = "INSERT INTO browser_message (task_id, id, role, content, timestamp) VALUES (?, ?, ?, ?, ?)"


def with_stores(state: Path, work: Callable[[TaskRows, RunRows], Awaitable[T]]) -> T:
    async def whole() -> T:
        batches = SqliteBatches(browser_database(state))
        try:
            return await work(TaskRows(batches), RunRows(batches))
        finally:
            await batches.close()

    return asyncio.run(whole())


def rows_of(state: Path, query: str) -> list[Any]:
    with sqlite3.connect(state / "browser/browser.db") as connection:
        return connection.execute(query).fetchall()


def test_messages_of_version_0_1_are_preserved(tmp_path: Path) -> None:
    unpack(OLD_STATE, tmp_path)
    state = tmp_path / "state"
    messages = rows_of(state, "SELECT id, role, content, timestamp FROM browser_message ORDER BY number")
    turns = rows_of(state, "SELECT at, turn FROM agent_turn ORDER BY number")
    ((task, status, run),) = rows_of(state, "SELECT task_id, status, run FROM agent_run")
    assert len(messages) > 10
    assert len(turns) > 40

    async def work(tasks: TaskRows, runs: RunRows) -> None:
        told = [(one.id, one.role, one.content, one.timestamp) for one in await tasks.messages(task)]
        assert told == messages
        page = await runs.page(task, None, 1000)
        old = [(at, json.loads(turn)) for at, turn in turns]
        assert [(one.at, one.turn.text) for one in page] == [(at, turn["text"]) for at, turn in old]
        uses = [use.execution_id for one in page if isinstance(one.turn, AssistantTurn) for use in one.turn.uses]
        assert uses == [use["execution_id"] for _, turn in old for use in turn.get("uses", ())]
        assert [turn.text for turn in await runs.turns(task)] == [turn["text"] for _, turn in old]
        matches = await runs.find(task)
        assert matches is not None
        assert (matches.status, matches.steps) == (status, json.loads(run)["steps"])
        assert [record.task_id for record in await tasks.newest(10, words=["pier", "misspelt"])] == [task]

    with_stores(state, work)
    assert "agent_turn" not in str(rows_of(state, "SELECT name FROM sqlite_master"))


def test_messages_that_were_no_turns_keep_their_places(tmp_path: Path) -> None:
    database = Database(tmp_path / "browser/browser.db", steps=STEPS[:4])
    question = {"type": "assistant", "text": "", "id": "r1", "uses": [{"id": "u", "name": "ask", "arguments": "{}"}]}
    turns: list[tuple[dict[str, Any], int, bool]] = [
        ({"type": "user", "id": "m1", "text": "Begin"}, 0, True),
        (question, 0, True),
        ({"type": "tool", "use_id": "u", "execution_id": "e", "tool": "ask", "text": "blue"}, 0, True),
        ({"type": "assistant", "id": "r2", "text": "Done"}, 0, False),
        ({"type": "note", "text": "summed up"}, -1, False),
        ({"type": "user", "id": "m3", "text": "Again"}, 0, False),
    ]
    messages = [("m1", "user", "Begin"), ("m2", "user", "blue"), ("r2", "assistant", "Done"), ("m3", "user", "Again")]
    early = [("a", "user", "Hello?"), ("b", "assistant", "Nobody answers.")]
    with database.writing(is_durable=False) as rows:
        rows.executemany(OLD_TURN, [(TASK, json.dumps(turn), place, past, 7) for turn, place, past in turns])
        rows.executemany(OLD_MESSAGE, [(TASK, *one, 100 + number) for number, one in enumerate(messages)])
        rows.executemany(OLD_MESSAGE, [(OTHER, *one, 200) for one in early])
    database.close()

    async def work(tasks: TaskRows, runs: RunRows) -> None:
        told = await tasks.messages(TASK)
        assert [(one.id, one.role, one.content) for one in told] == messages
        assert [one.timestamp for one in told] == [100, 101, 102, 103]
        assert [(one.id, one.role, one.content) for one in await tasks.messages(OTHER)] == early
        assert [turn.text for turn in await runs.turns(TASK)] == ["summed up", "Done", "Again"]
        assert [one.turn.text for one in await runs.page(TASK, None, 100)] == [turn["text"] for turn, _, _ in turns]
        assert await runs.remembers(TASK, "m2")

    with_stores(tmp_path, work)


def test_words_are_stored_once_and_are_the_tasks_messages(tmp_path: Path) -> None:
    async def work(tasks: TaskRows, runs: RunRows) -> None:
        record = TaskRecord(task_id=TASK, title="", status="running", created_at=1, updated_at=1)
        call = ToolUse("use_1", "read_file", "{}", "exec_1")
        said = UserTurn("m1", "unmistakable words", sent_at=42)
        await runs.save(Run(task_id=TASK, status="running"), record, [said])
        await runs.add(
            TASK, AssistantTurn("I look.", (call,), id="r1"), AssistantTurn("", (call,), id="r2"), Note("a note")
        )
        await runs.add_answer(record, UserTurn("m2", "an answer", sent_at=43))
        messages = await tasks.messages(TASK)
        assert messages[0] == Message(id="m1", role="user", content="unmistakable words", timestamp=42)
        assert [(one.id, one.role) for one in messages] == [("m1", "user"), ("r1", "assistant"), ("m2", "user")]
        assert [turn.text for turn in await runs.turns(TASK)] == ["unmistakable words", "I look.", "", "a note"]
        assert [one.task_id for one in await tasks.newest(5, words=["an", "answer"])] == [TASK]
        assert await tasks.newest(5, words=["note"]) == []

    with_stores(tmp_path, work)
    content = b"".join(file.read_bytes() for file in (tmp_path / "browser").iterdir())
    assert content.count(b"unmistakable words") == 1


def test_a_report_finds_a_task_however_many_came_after_it(tmp_path: Path) -> None:
    async def work(tasks: TaskRows, runs: RunRows) -> None:
        await tasks.save(TaskRecord(task_id=TASK, title="the first", status="ongoing", created_at=1, updated_at=1))
        await runs.add(TASK, UserTurn("m1", "words"))

    with_stores(tmp_path, work)
    with sqlite3.connect(tmp_path / "browser/browser.db") as rows:
        later = ((f"later-{number}", 2) for number in range(10_000))
        rows.executemany("INSERT INTO browser_task VALUES (?, '', 'ongoing', 2, ?, NULL, 0, NULL)", later)
    title, words, _ = asyncio.run(read_conversation(open_browser_stores(tmp_path), TASK))
    assert (title, [word.content for word in words]) == ("the first", ["words"])
