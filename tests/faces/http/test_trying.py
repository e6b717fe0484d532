"""Tools that the person tries in the console: approvals are asked for in the same place."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.faces.http.running import Answer, Running
from tests.persons import without_presence

REPLACE = {"path": "a.txt", "find": "one", "replace": "two"}


class Person:
    def __init__(self, rig: Running, pool: ThreadPoolExecutor) -> None:
        self.rig, self._pool, self._signed_in = rig, pool, rig.sign_in()

    def tries(self, tool: str, params: Any) -> "Future[Answer]":
        path = f"/api/tools/{tool}"
        return self._pool.submit(self.rig.request, "POST", path, headers=self._signed_in, json=params)

    def is_asked(self) -> Any:
        while not (waiting := self._get("/api/prompts?state=pending")["entries"]):
            continue
        return waiting[0]

    def answers(self, request_id: str, **response: str) -> None:
        path = f"/api/prompts/{request_id}/response"
        answer = self.rig.request("POST", path, headers=self._signed_in, json={"response": response})
        assert answer.status == 200, answer

    def _get(self, path: str) -> Any:
        return self.rig.request("GET", path, headers=self._signed_in).json["data"]


@pytest.fixture
def person(state: Path, project: Path) -> Iterator[Person]:
    (project / "a.txt").write_text("one\n")
    flags = ["--project", str(project), "--state", str(state), "--port", "0", "--no-open"]
    with Running(state, project, command=["handrail", "up", *flags]) as running, ThreadPoolExecutor(1) as pool:
        yield Person(running, pool)


def test_an_approval_in_the_console_lets_the_call_run(person: Person, project: Path) -> None:
    tried = person.tries("replace_in_file", REPLACE)
    question = person.is_asked()
    assert question["prompt"]["kind"] == "file_change_confirm"
    assert "+two" in question["prompt"]["diff"]
    person.answers(question["requestId"], status="ok")
    assert tried.result(30).json["data"] == {"count": 1}
    assert (project / "a.txt").read_text() == "two\n"


def test_a_no_reaches_the_caller_with_its_remark(person: Person, project: Path) -> None:
    tried = person.tries("replace_in_file", REPLACE)
    person.answers(person.is_asked()["requestId"], status="canceled", remark="not today")
    answer = tried.result(30)
    assert answer.status == 403
    assert answer.json["error"]["details"]["toolError"]["details"]["remark"] == "not today"
    assert (project / "a.txt").read_text() == "one\n"


def test_always_allow_becomes_a_rule_that_applies_at_once(person: Person, state: Path, project: Path) -> None:
    without_presence(state)
    tried = person.tries("replace_in_file", REPLACE)
    person.answers(person.is_asked()["requestId"], status="ok", scope="rule")
    assert tried.result(30).status == 200
    assert 'tool = "replace_in_file"' in (state / "config.toml").read_text()
    again = person.tries("replace_in_file", {**REPLACE, "find": "two", "replace": "three"})
    assert again.result(30).json["data"] == {"count": 1}
