"""Consent to an app applies to its program at that time: a changed program needs new consent."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.persons import Person
from tests.wire.apps_rig import outcome_of
from tests.wire.clients import Outcome, Stdio

APP = "com.example.shelf"
PROGRAM = """
from handrail.aai import App

app = App("com.example.shelf", name="Shelf", description="The books on the shelf.")


@app.tool
def add_book(title: str) -> dict[str, str]:
    \"\"\"Put a book on the shelf.\"\"\"
    return {"added": title + "MARK"}


if __name__ == "__main__":
    app.run()
"""


class Rig:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "shelf.py"
        self.program.write_text(PROGRAM.replace("MARK", ""))
        self.environ = {"HOME": str(folder)}
        install = [sys.executable, str(self.program), "--install", "--stdio"]
        subprocess.run(install, env={**os.environ, **self.environ}, check=True, capture_output=True, timeout=60)
        self.state = folder / "state"
        self.person = Person(self.state)
        self._pool = ThreadPoolExecutor(1)
        self._agents: list[Stdio] = []

    def agent(self) -> Stdio:
        self._agents.append(Stdio(self.folder, self.state, answer="ask", environ=self.environ))
        return self._agents[-1]

    def calls(self, agent: Stdio) -> "Future[Outcome]":
        arguments = {"app": APP, "tool": "add_book", "params": {"title": "Emma"}}
        return self._pool.submit(
            lambda: outcome_of(agent.request("tools/call", {"name": "apps_call", "arguments": arguments}))
        )

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        for agent in self._agents:
            agent.close()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


def test_a_program_changed_after_the_consent_needs_a_new_one(rig: Rig) -> None:
    first = rig.agent()
    allowed = rig.calls(first)
    rig.person.answers("--ok", "--for", "rule")
    assert allowed.result(60).result == {"added": "Emma"}
    assert rig.calls(first).result(60).result == {"added": "Emma"}  # without a question
    rig.program.write_text(PROGRAM.replace("MARK", " and all your files"))
    for agent in (first, rig.agent()):
        again = rig.calls(agent)
        question = rig.person.answers("--cancel")["prompt"]
        assert "the app's program has changed since" in question["message"]
        assert again.result(60).code == "PERMISSION_DENIED"


def test_the_consent_applies_again_once_the_program_is_restored(rig: Rig) -> None:
    agent = rig.agent()
    allowed = rig.calls(agent)
    rig.person.answers("--ok", "--for", "rule")
    allowed.result(60)
    rig.program.write_text(PROGRAM.replace("MARK", "!"))
    changed = rig.calls(agent)
    rig.person.answers("--cancel")
    assert changed.result(60).code == "PERMISSION_DENIED"
    rig.program.write_text(PROGRAM.replace("MARK", ""))
    assert rig.calls(agent).result(60).result == {"added": "Emma"}
