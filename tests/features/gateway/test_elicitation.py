"""Questions of a server reach the person as that server's words; secrets stay between the person and the server."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.features.gateway.rig import Mcp, Rig, odd_command
from tests.waiting import until


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def question(rig: Rig) -> dict[str, Any]:
    (prompt,) = until(rig.prompts)
    return prompt


def test_a_servers_question_is_quoted_in_the_queue_and_answered_there(rig: Rig) -> None:
    rig.pin("odd", odd_command("elicits"))
    mcp = Mcp(rig)
    waiting = mcp.begin("tools/call", {"name": "odd__say", "arguments": {}})
    entry = question(rig)
    assert entry["prompt"]["title"] == "The MCP server odd asks"
    assert "│ Which \\u{202e}address?" in entry["prompt"]["message"]
    rig.run("prompts", "answer", entry["requestId"], "--ok", "--value", "email=ada@example.com")
    answer = json.loads(mcp.answer(waiting)["content"][0]["text"])
    assert answer == {"action": "accept", "content": {"email": "ada@example.com"}}
    mcp.close()


def test_a_person_may_decline(rig: Rig) -> None:
    rig.pin("odd", odd_command("elicits"))
    mcp = Mcp(rig)
    waiting = mcp.begin("tools/call", {"name": "odd__say", "arguments": {}})
    rig.run("prompts", "answer", question(rig)["requestId"], "--cancel")
    assert json.loads(mcp.answer(waiting)["content"][0]["text"]) == {"action": "decline"}
    mcp.close()


def test_a_field_that_looks_like_a_secret_becomes_one_and_is_never_stored(rig: Rig, tmp_path: Path) -> None:
    answer_file = tmp_path / "got"
    rig.pin("odd", odd_command("elicits_secret", answer_file))
    mcp = Mcp(rig)
    waiting = mcp.begin("tools/call", {"name": "odd__say", "arguments": {}})
    entry = question(rig)
    assert entry["prompt"]["fields"][0]["secret"] is True
    rig.run("prompts", "answer", entry["requestId"], "--ok", "--value", "password=hunter2")
    assert mcp.answer(waiting)["content"][0]["text"] == "thanks"
    assert json.loads(answer_file.read_text())["content"] == {"password": "hunter2"}
    files = [file for folder in (rig.state, rig.project) for file in folder.rglob("*") if file.is_file()]
    assert not [file for file in files if b"hunter2" in file.read_bytes()]
    mcp.close()


def test_cancelling_a_call_withdraws_its_question(rig: Rig) -> None:
    rig.pin("odd", odd_command("elicits"))
    mcp = Mcp(rig)
    waiting = mcp.begin("tools/call", {"name": "odd__say", "arguments": {}})
    question(rig)
    mcp.cancel(waiting)
    until(lambda: not rig.prompts())
    mcp.close()
