"""A client that gives up or dies while a person is still reading: what the answer then applies to."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.agents import Agent
from tests.persons import HANDRAIL, Person
from tests.waiting import until
from tests.wire.stage import SCENE, START


@contextmanager
def agent(project: Path, state: Path) -> Iterator[Agent]:
    agent_client = Agent(project, state, HANDRAIL_CALL_PERSON="false")
    try:
        yield agent_client
    finally:
        agent_client.close()


def prompts(state: Path, *words: str) -> str:
    command = [HANDRAIL, "prompts", *words, "--state", str(state)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_an_approval_after_the_caller_gave_up_applies_to_one_retry(project: Path, state: Path) -> None:
    person = Person(state)
    with agent(project, state) as client:
        client.asks(2)
        question = person.sees()
        client.gives_up(2)
        until(lambda: "(caller gone)" in prompts(state, "list"))
        person.answers("--ok")
        client.asks(3)
        assert client.result()["isError"] is False
        assert "city" in (project / START).read_text()

        (project / START).write_text(SCENE)
        client.asks(4)
        assert person.sees()["requestId"] != question["requestId"], "one yes, one call"
        person.answers("--cancel")
        assert client.result()["isError"] is True


def test_a_retry_finds_its_question_again_in_place_of_a_second_one(project: Path, state: Path) -> None:
    person = Person(state)
    with agent(project, state) as client:
        client.asks(2)
        question = person.sees()
        client.gives_up(2)
        until(lambda: "(caller gone)" in prompts(state, "list"))
        assert "the agent's next try goes through" in prompts(state, "show", question["requestId"])
        client.asks(3)
        client.wait_for_progress(question["requestId"])
        assert len(person.pending()) == 1
        person.answers("--ok")
        assert client.result()["isError"] is False


def test_an_approval_is_void_once_the_content_has_changed(project: Path, state: Path) -> None:
    person = Person(state)
    with agent(project, state) as client:
        client.asks(2)
        question = person.sees()
        client.gives_up(2)
        until(lambda: "(caller gone)" in prompts(state, "list"))
        person.answers("--ok")
        (project / START).write_text(SCENE + "another line about the beach\n")
        client.asks(3)
        assert person.sees()["requestId"] != question["requestId"]
        person.answers("--cancel")
        assert client.result()["isError"] is True


@pytest.mark.parametrize("status", ["--ok", "--cancel"])
def test_pending_prompts_outlive_the_program_that_asked(project: Path, state: Path, status: str) -> None:
    person = Person(state)
    first = Agent(project, state, HANDRAIL_CALL_PERSON="false")
    first.asks()
    person.sees()
    first.kill()
    until(lambda: "(caller gone)" in prompts(state, "list"))
    person.answers(status)
    with agent(project, state) as client:
        client.asks()
        if status == "--cancel":
            person.answers("--ok")  # a denial isn't an answer to a later call
        assert client.result()["isError"] is False
    assert "city" in (project / START).read_text()
