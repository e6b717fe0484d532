"""A revoked permission no longer counts in any process: not in the server, an agent's own process, or a command."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from handrail.kernel.task_ids import new_task_id
from handrail.ports.policy import Rule
from handrail.wiring import Wiring
from tests.effort import first_of, tries
from tests.redteam.agents_rig import Rig, rig_in
from tests.waiting import until
from tests.wire.clients import Stdio, run

FOLDER = "raced"
Write = Callable[[str], bool]
"""Writes a word to the file; returns whether that was allowed."""


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig_in(tmp_path_factory.mktemp("revocation")) as rig:
        (rig.state / "config.toml").write_text("questions_per_minute = 10000\n")
        yield rig


@pytest.fixture
def client(rig: Rig) -> Iterator[Stdio]:
    """With an answer of its own, it serves from its own process, not through the server."""
    client = Stdio(rig.project, rig.state, answer="deny")
    yield client
    client.close()


def allow(rig: Rig) -> str:
    """Allows the folder's files for every agent; returns the rule's id."""
    stores = Wiring().open_stores(rig.state)
    try:
        rule = Rule(decision="allow", tool="replace_in_file", path=f"{FOLDER}/*", project=str(rig.project.resolve()))
        asyncio.run(awaited(stores.allow("allowed by a test", rule)))
    finally:
        stores.close()
    (listed,) = rig.ask("GET", "/api/rules", headers=rig.sign_in()).json()["data"]["rules"]
    return str(listed["id"])


async def awaited(work: Awaitable[None]) -> None:
    await work


def at_the_terminal(rig: Rig, rule: str) -> None:
    result = run("rules", "remove", rule, "--state", rig.state)
    assert result.returncode == 0, result.stderr


def in_the_console(rig: Rig, rule: str) -> None:
    assert rig.ask("DELETE", f"/api/rules/{rule}", headers=rig.sign_in()).status_code == 200


@pytest.mark.parametrize("remove", first_of("revocations", (at_the_terminal,), (in_the_console,)))
def test_no_call_that_begins_after_a_rule_was_removed_is_allowed_by_it(
    rig: Rig, client: Stdio, remove: Callable[[Rig, str], None]
) -> None:
    """An agent over HTTP, one with its own process, and a command write as fast as they can, each to its own file."""
    token = rig.issue(f"raced-{remove.__name__}")

    def over_http(word: str) -> bool:
        return rig.call(token, "replace_in_file", change("http", word)).status_code == 200

    def over_stdio(word: str) -> bool:
        return client.call("replace_in_file", change("stdio", word)).error is None

    def on_the_command_line(word: str) -> bool:
        rig_of = ["--project", str(rig.project), "--state", str(rig.state), "--answer", "deny"]
        return run("call", "replace_in_file", json.dumps(change("command", word)), *rig_of).returncode == 0

    for _ in range(tries(1, 15)):
        for name in ("http", "stdio", "command"):
            write(rig, name, "word")
        rule = allow(rig)
        raced = [Raced(each) for each in (over_http, over_stdio, on_the_command_line)]
        each_has_written(raced)
        remove(rig, rule)
        for each in raced:
            each.is_over.set()
        until(partial(all_have_ended, rig, raced))
        assert [each.late for each in raced] == [False] * 3


def each_has_written(raced: list["Raced"]) -> None:
    until(lambda: all(each.allowed for each in raced), "a write of each")


def all_have_ended(rig: Rig, raced: list["Raced"]) -> bool:
    """Denies questions that are asked once the rule is gone."""
    rig.answer_all("--cancel")
    return not any(each.is_alive() for each in raced)


def write(rig: Rig, name: str, word: str) -> Path:
    file = rig.project / FOLDER / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{word}\n")
    return file


def change(name: str, word: str) -> dict[str, str]:
    return {"path": f"{FOLDER}/{name}", "find": "/[a-z]+/", "replace": word}


class Raced(threading.Thread):
    """Writes until the rule is gone, and once more; `late` is whether that last write was allowed."""

    def __init__(self, write: Write) -> None:
        super().__init__(daemon=True)
        self.is_over, self.allowed, self.late = threading.Event(), 0, True
        self._write = write
        self.start()

    def run(self) -> None:
        for number in range(100_000):
            is_late = self.is_over.is_set()
            was_allowed = self._write("abcdefgh"[number % 8] * 5)
            if is_late:
                self.late = was_allowed
                return
            self.allowed += was_allowed


def test_approvals_for_a_task_end_when_a_person_stops_it(rig: Rig) -> None:
    """Even if the agent continues with the task's id."""
    token, task = rig.issue("stopped"), new_task_id()
    file = write(rig, "stopped", "word")
    slot = {"taskId": task, "kind": "upload", "contentType": "text/plain"}
    assert rig.ask("POST", "/api/artifacts/presign", token, json=slot).status_code == 200
    first = rig.calling(token, "replace_in_file", change("stopped", "one"), **{"x-task-id": task})
    rig.answer(rig.asked()[0]["requestId"], "--ok", "--for", "task")
    assert first.result().status_code == 200
    assert rig.call(token, "replace_in_file", change("stopped", "two"), **{"x-task-id": task}).status_code == 200
    assert rig.ask("POST", f"/api/task/{task}/stop", headers=rig.sign_in()).status_code == 200
    later = rig.calling(token, "replace_in_file", change("stopped", "three"), **{"x-task-id": task})
    until(lambda: later.done() or rig.pending())
    rig.answer_all("--cancel")
    assert later.result().status_code == 403
    assert file.read_text() == "two\n"


def test_a_question_of_a_task_that_a_person_stops_can_not_be_answered_for_the_task(rig: Rig) -> None:
    token, task = rig.issue("ended"), new_task_id()
    file = write(rig, "ended", "word")
    slot = {"taskId": task, "kind": "upload", "contentType": "text/plain"}
    assert rig.ask("POST", "/api/artifacts/presign", token, json=slot).status_code == 200
    first = rig.calling(token, "replace_in_file", change("ended", "one"), **{"x-task-id": task})
    (question,) = rig.asked()
    assert rig.ask("POST", f"/api/task/{task}/stop", headers=rig.sign_in()).status_code == 200
    assert first.result().status_code == 403
    words = ("prompts", "answer", question["requestId"], "--ok", "--for", "task", "--state", str(rig.state))
    assert run(*words).returncode != 0
    assert file.read_text() == "word\n"
    assert json.loads(run("rules", "--json", "--state", rig.state).stdout)["rules"] == []
