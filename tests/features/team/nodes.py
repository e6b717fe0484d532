"""A person's machine as a node: `handrail up --team` as a process, with an agent and a person."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2 as httpx

from tests.features.team.servers import PendingCall, Person, Server, Team
from tests.persons import Person as LocalPerson
from tests.persons import without_presence
from tests.team_engines import free_port
from tests.waiting import PATIENCE, until


class Node:
    """`where` is its folder; the token has the role node."""

    owner: Person

    def __init__(self, where: Path, server: Server, token: str) -> None:
        self.where, self.team_url = where, server.url
        self.project, self.state, self.log = where / "project", where / "state", where / "node.log"
        self.project.mkdir(parents=True)
        without_presence(self.state)
        self.token_file = where / "token"
        self.token_file.write_text(token + "\n")
        self.person = LocalPerson(self.state)
        self.process: subprocess.Popen[bytes] | None = None
        self.start("--team", server.url, "--team-token", str(self.token_file))
        self.agent = self.handrail("agents", "add", "claude").stdout.split()[-1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *words: str, status: int | None = None) -> None:
        self.port = free_port()
        value = ["up", "--no-open", "--port", str(self.port), "--project", str(self.project), *words]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "handrail", *value, "--state", str(self.state)], stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, env=self.environment, cwd=self.where,
            )  # fmt: skip
        process = self.process

        def ready() -> bool:
            assert process.poll() is None, self.log.read_text()
            return f" at http://127.0.0.1:{self.port}".encode() in self.log.read_bytes()

        until(ready, self.log.read_text)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)

    @property
    def environment(self) -> Mapping[str, str]:
        return {**os.environ, "HOME": str(self.where), "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}

    def handrail(self, *words: str, status: int = 0) -> "subprocess.CompletedProcess[str]":
        result = subprocess.run(
            [sys.executable, "-m", "handrail", *words, "--state", str(self.state)],
            env=self.environment, capture_output=True, text=True, timeout=PATIENCE, cwd=self.where,
        )  # fmt: skip
        assert result.returncode == status, result.stdout + result.stderr
        return result

    def edit(self, name: str) -> PendingCall:
        """An edit of a separate file, which needs an approval."""
        (self.project / name).write_text("old\n")
        return PendingCall(lambda: self.call("replace_in_file", path=name, find="old", replace="new"))

    def call(self, tool: str, **params: Any) -> dict[str, Any]:
        """A call by the agent on this machine, through its own gate."""
        headers = {"authorization": f"Bearer {self.agent}"}
        answer = httpx.post(f"{self.url}/api/tools/{tool}", json=params, headers=headers, timeout=PATIENCE)
        return {"is_done": answer.status_code == 200, "text": answer.text}

    def text(self, name: str) -> str:
        return (self.project / name).read_text()

    def asked_about(self, name: str) -> str:
        def found() -> str | None:
            return next((e["requestId"] for e in self.person.pending() if e["prompt"].get("path") == name), None)

        return str(until(found, name))

    def answers(self, request_id: str, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "handrail", "prompts", "answer", request_id, *words, "--state", str(self.state)],
            env=self.environment, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip

    def membership(self) -> dict[str, Any]:
        result: dict[str, Any] = json.loads((self.state / "team.json").read_text())
        return result

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.state / "audit" / "log.jsonl").read_bytes().splitlines()]


def join(team: Team, where: Path, name: str, owner: str = "") -> Node:
    return Node(where / name, team.servers[0], team.token(name, "node", owner=owner))
