"""A run of handrail's own agent on real servers, one of which is killed."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.features.team.servers import Person, Team, prompt_about
from tests.features.team.test_agent_access import socket_of, start_run
from tests.waiting import PATIENCE, until

CALLS = 3


def script_in(team: Team) -> Path:
    """Each call doubles the marks of its own file, so that a call that runs twice shows."""
    turns: list[dict[str, Any]] = []
    for number in range(CALLS):
        (team.project / f"{number}.txt").write_text("x")
        arguments = {"path": f"{number}.txt", "find": "x", "replace": "xx"}
        turns.append({"text": "Next.", "uses": [{"name": "replace_in_file", "arguments": arguments}]})
    script = team.where / "script.json"
    script.write_text(json.dumps({"turns": [*turns, {"text": "Done."}]}))
    return script


def content(team: Team) -> list[str]:
    return [(team.project / f"{number}.txt").read_text() for number in range(CALLS)]


@pytest.mark.trial("team", is_long=True)
async def test_when_the_server_of_a_run_is_killed_another_finishes_it_and_no_call_runs_twice(team: Team) -> None:
    first, second = team.start(2)
    ada = Person(first.url, team.token("ada", "approver"))
    bo = Person(second.url, team.token("bo", "approver"))
    script = script_in(team)
    async with socket_of(ada) as client:
        assert await start_run(client, script) == {"ok": True}
        question = await asyncio.to_thread(prompt_about, bo, "0.txt")
        assert ada.answer(question).status_code == 403, "ada has asked for it"
        assert bo.answer(question).status_code == 200
        question = await asyncio.to_thread(prompt_about, bo, "1.txt")
        first.process.kill()
        await asyncio.to_thread(first.process.wait, PATIENCE)
    assert bo.answer(question).status_code == 200
    assert bo.answer(await asyncio.to_thread(prompt_about, bo, "2.txt")).status_code == 200
    await asyncio.to_thread(until, lambda: content(team)[-1] == "xx", "the last call")
    assert content(team) == ["xx"] * CALLS
    team.handrail("audit", "verify", "--database", team.database, "--public-key", team.public_key)
