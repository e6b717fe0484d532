"""Notes are kept over restarts, found by text and tag, and never lost to a half-written file."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from notes_app import add, app, change, delete, find


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "notes-app"


def ask(tool: str, **params: Any) -> Any:
    request = {"version": "1.0", "tool": tool, "params": params, "request_id": "1"}
    return json.loads(asyncio.run(app.answer(json.dumps(request))))


def test_a_note_is_added_found_changed_and_deleted() -> None:
    first, second = add("Buy Milk", ["shopping"]), add("Call Ada")
    assert [note.id for note in find().notes] == [second.id, first.id]
    assert [note.text for note in find("milk").notes] == ["Buy Milk"]
    assert [note.id for note in find(tag="shopping").notes] == [first.id]
    assert change(first.id, text="Buy tea").tags == ["shopping"]
    assert find().notes[0].text == "Buy tea"
    assert delete(first.id).text == "Buy tea"
    assert find().total == 1
    assert add("Again").id == 3  # a number is never given twice


def test_an_agent_gets_the_same_over_the_wire() -> None:
    assert ask("add", text="牛奶")["result"]["id"] == 1
    assert ask("find", query="奶")["result"]["notes"][0]["text"] == "牛奶"
    assert ask("delete", id=7)["error"] == {"code": "NO_SUCH_NOTE", "message": "There is no note 7."}
    assert ask("add", text="")["error"]["code"] == "INVALID_PARAMS"
    assert ask("add", text="x", tags=["a b"])["error"]["code"] == "INVALID_PARAMS"


def test_a_damaged_file_is_told_and_left_alone(data: Path) -> None:
    data.mkdir()
    (data / "notes.json").write_text('{"next_id": 1, "notes": [')
    assert ask("add", text="x")["error"]["code"] == "DAMAGED_FILE"
    assert (data / "notes.json").read_text() == '{"next_id": 1, "notes": ['
    assert sorted(path.name for path in data.iterdir()) == ["lock", "notes.json"]


def test_processes_that_add_at_once_lose_nothing() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = "from notes_app import add\nfor number in range(10): add(f'note {number}')"
    processes = [subprocess.Popen([sys.executable, "-c", program], env=env) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert sorted(note.id for note in find(limit=100).notes) == list(range(1, 31))
