"""A running `handrail up`, agents whose tokens a person issued, and the person."""

import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.credentials import agent_token
from tests.waiting import until
from tests.wire.clients import Up, run


@dataclass
class Rig:
    up: Up
    project: Path
    state: Path
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(40))

    @property
    def server(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.state / "server.json").read_text())
        return content

    @property
    def address(self) -> str:
        return f"http://{self.server['host']}:{self.server['port']}"

    def issue(self, name: str) -> str:
        """Issues a new agent's token, as a person does at a terminal."""
        return agent_token(self.state, name)

    def revoke(self, name: str) -> None:
        result = run("agents", "remove", name, "--state", self.state)
        assert result.returncode == 0, result.stderr

    def ask(self, method: str, path: str, token: str | None = None, **how: Any) -> httpx2.Response:
        headers = {**({} if token is None else {"authorization": f"Bearer {token}"}), **how.pop("headers", {})}
        with httpx2.Client(timeout=60, trust_env=False, verify=False) as client:
            return client.request(method, self.address + path, headers=headers, **how)

    def call(self, token: str, tool: str, params: dict[str, Any], **headers: str) -> httpx2.Response:
        return self.ask("POST", f"/api/tools/{tool}", token, json=params, headers=headers)

    def calling(self, token: str, tool: str, params: dict[str, Any], **headers: str) -> "Future[httpx2.Response]":
        return self.pool.submit(self.call, token, tool, params, **headers)

    def pending(self) -> list[dict[str, Any]]:
        listing = self.ask("GET", "/api/prompts?state=pending", self.server["token"]).json()
        return list(listing["data"]["entries"])

    def asked(self, count: int = 1) -> list[dict[str, Any]]:
        return until(lambda: entries if len(entries := self.pending()) >= count else [], f"{count} questions")

    def answer(self, request_id: str, *how: str) -> None:
        result = run("prompts", "answer", request_id, *(how or ("--ok",)), "--state", self.state)
        assert result.returncode == 0, result.stderr

    def answer_all(self, *how: str) -> None:
        for entry in self.pending():
            self.answer(entry["requestId"], *how)

    def new_code(self) -> str:
        """Returns a code as `handrail open` shows it to the person."""
        result = run("open", "--print", "--state", self.state)
        match = re.search(r"#code=([\w-]+)", result.stdout)
        assert match is not None, result
        return match[1]

    def sign_in(self) -> dict[str, str]:
        """Signs in as the person's browser and returns its headers."""
        origin = {"origin": self.address}
        answer = self.ask("POST", "/api/session", headers=origin, json={"code": self.new_code()})
        assert answer.status_code == 200, answer.text
        cookie = answer.headers["set-cookie"].partition(";")[0]
        return {**origin, "cookie": cookie, "x-handrail-page": str(answer.json()["data"].get("pageSecret", ""))}


@contextmanager
def rig_in(folder: Path) -> Iterator[Rig]:
    project, state = folder / "project", folder / "state"
    project.mkdir(parents=True)
    (project / "a.txt").write_text("one\n")
    up = Up(project, state)
    rig = Rig(up, project, state)
    try:
        yield rig
    finally:
        rig.pool.shutdown(wait=False, cancel_futures=True)
        up.kill()


def mode(path: Path) -> int:
    return os.stat(path).st_mode & 0o777
