"""A team's servers while one of them is killed or frozen, or an engine is unavailable."""

import os
import signal

import httpx2 as httpx
import pytest

from tests.features.team.servers import Agent, Person, Team, edit, prompt_about
from tests.team_engines import S3
from tests.waiting import PATIENCE, until


@pytest.mark.trial("team", is_long=True)
def test_when_a_server_is_killed_the_same_call_at_another_uses_its_question_and_runs_once(team: Team) -> None:
    first, second = team.start(2)
    agent, ada = Agent(team.token("claude", "agent")), Person(second.url, team.token("ada", "approver"))
    reply = edit(team, agent, "a.txt", breaks=True)
    request_id = prompt_about(ada, "a.txt")
    first.process.kill()
    first.process.wait(PATIENCE)
    assert reply.wait() == {"broken": True}
    again = edit(team, agent, "a.txt", server=1)
    assert ada.answer(request_id).status_code == 200
    assert not again.wait().get("isError")
    assert (team.project / "a.txt").read_text() == "new\n"
    assert ada.pending() == []


@pytest.mark.trial("kill", is_long=True)
def test_a_frozen_server_that_wakes_does_not_repeat_what_another_did(team: Team) -> None:
    first, second = team.start(2)
    agent, ada = Agent(team.token("claude", "agent")), Person(second.url, team.token("ada", "approver"))
    frozen = edit(team, agent, "a.txt", breaks=True)
    before = prompt_about(ada, "a.txt")
    os.kill(first.process.pid, signal.SIGSTOP)
    try:
        again = edit(team, agent, "a.txt", server=1)
        questions = [each for each in prompts_about(ada, "a.txt", 2) if each != before]
        assert ada.answer(questions[0]).status_code == 200
        assert not again.wait().get("isError")
    finally:
        os.kill(first.process.pid, signal.SIGCONT)
    ada.answer(before)
    assert frozen.wait()  # what it was shown no longer exists
    assert (team.project / "a.txt").read_text() == "new\n"


def prompts_about(person: Person, name: str, count: int) -> list[str]:
    def found() -> list[str] | None:
        ids = [str(each["requestId"]) for each in person.pending() if each["prompt"].get("path") == name]
        return ids if len(ids) >= count else None

    return until(found, name) or []


@pytest.mark.trial("kill", is_long=True)
def test_without_a_bucket_nothing_is_changed_but_reading_works(team: Team) -> None:
    own = S3()
    own.start()
    team.s3, team.blobs = own, own.new_bucket()
    (server,) = team.start()
    agent, ada = Agent(team.token("claude", "agent")), Person(server.url, team.token("ada", "approver"))
    own.stop()
    pending_call = edit(team, agent, "a.txt")
    assert ada.answer(prompt_about(ada, "a.txt")).status_code == 200
    assert pending_call.wait()["isError"]
    assert (team.project / "a.txt").read_text() == "old\n"
    assert agent.call(server.url, "read_file", path="README.md")["structuredContent"]["content"] == "hello\n"
    health = httpx.get(f"{server.url}/health", timeout=PATIENCE)
    assert (health.status_code, "s3://" in health.text) == (503, True)
