"""A team on real engines: servers as processes, and people and agents who use them over HTTP."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx

from handrail.ports.team import Limits, Role
from handrail.stores.team.factory import OpenTeam, TeamAddress
from handrail.stores.team.record import make_key
from tests.team_engines import S3, Nats, Postgres, free_port
from tests.waiting import PATIENCE, until

ACCEPT = "application/json, text/event-stream"


class Person:
    """A browser that signed in with a member's token."""

    def __init__(self, url: str, token: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=PATIENCE, headers={"origin": url})
        signed_in = self.http.post("/team/sign-in", content=f"token={token}")
        if signed_in.status_code != 303:
            raise PermissionError(signed_in.text)
        self._exchange(code_in(signed_in.headers["location"]))

    @classmethod
    def with_code(cls, url: str, code: str) -> "Person":
        person = object.__new__(cls)
        person.http = httpx.Client(base_url=url, timeout=PATIENCE, headers={"origin": url})
        person._exchange(code)
        return person

    def _exchange(self, code: str) -> None:
        answer = self.http.post("/api/session", json={"code": code}).json()
        self.http.headers["x-handrail-page"] = answer["data"]["pageSecret"]

    def at(self, url: str) -> "Person":
        """The same browser at another server, as a load balancer may lead it."""
        other = object.__new__(Person)
        other.http = httpx.Client(base_url=url, timeout=PATIENCE, headers={**self.http.headers, "origin": url})
        for name, value in self.http.cookies.items():
            other.http.cookies.set(name, value)
        return other

    def pending(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.http.get("/api/prompts?state=pending").json()["data"]["entries"]
        return entries

    def first_pending(self) -> str:
        return str(until(self.pending, "nothing to approve")[0]["requestId"])

    def answer(self, request_id: str, **response: Any) -> httpx.Response:
        message = {"status": "ok", **response}
        return self.http.post(f"/api/prompts/{request_id}/response", json={"response": message})


def code_in(address: str) -> str:
    return address.partition("#code=")[2].partition("/")[0]


class Team:
    """`where` is a folder of the test's own."""

    def __init__(self, where: Path, postgres: Postgres, nats: Nats, s3: S3) -> None:
        self.where = where
        self.database = postgres.tenant()
        self.nats, self.s3 = nats, s3
        self.blobs = s3.new_bucket()
        self.project = where / "project"
        self.project.mkdir(parents=True)
        (self.project / "README.md").write_text("hello\n")
        self.key = where / "team.key"
        self.public_key = make_key(self.key)
        self.servers: list[Server] = []

    @property
    def environment(self) -> Mapping[str, str]:
        return {**os.environ, **self.s3.environment, "HANDRAIL_TEAM_DATABASE": self.database,
                "HANDRAIL_TEAM_NATS": self.nats.url, "HANDRAIL_TEAM_BLOBS": self.blobs}  # fmt: skip

    def run(self, *words: str, status: int = 0) -> "subprocess.CompletedProcess[str]":
        return self.handrail("team", *words, status=status)

    def handrail(self, *words: str, status: int = 0) -> "subprocess.CompletedProcess[str]":
        result = subprocess.run(
            [sys.executable, "-m", "handrail", *words],
            env=dict(self.environment), capture_output=True, text=True, timeout=PATIENCE, cwd=self.where,
        )  # fmt: skip
        assert result.returncode == status, result.stdout + result.stderr
        return result

    def token(self, name: str, role: Role, owner: str = "", **limits: tuple[str, ...]) -> str:
        with self.opened() as open_team:
            return open_team.members.add(name, role, Limits(**limits), owner=owner, by="tests")[1]

    def revoke(self, name: str) -> None:
        with self.opened() as open_team:
            open_team.members.revoke(name)

    def require(self, votes: int, **limits: tuple[str, ...]) -> None:
        with self.opened() as open_team:
            open_team.team.approvals.add(Limits(**limits), votes)

    @contextmanager
    def opened(self) -> Iterator[OpenTeam]:
        open_team = OpenTeam(TeamAddress(self.database, self.nats.url))
        yield open_team
        open_team.close()

    def start(self, count: int = 1, *words: str, port: int = 0) -> "list[Server]":
        """`port` is the first server's; `words` are further options."""
        known = len(self.servers)
        new = [Server(self, known + number, words, port if number == 0 else 0) for number in range(count)]
        self.servers += new
        for server in new:
            server.until_ready()
        return new

    def stop(self) -> None:
        for server in self.servers:
            server.stop()


class Server:
    def __init__(self, team: Team, number: int, more: Sequence[str], port: int) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = team.where / f"server-{number}.log"
        state = team.where / f"state-{number}"
        words = ["team", "serve", "--port", str(self.port), "--project", str(team.project), "--state", str(state),
                 "--signing-key", str(team.key), *more]  # fmt: skip
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "handrail", *words], env=dict(team.environment), stdout=log, stderr=log,
                cwd=team.where,
            )  # fmt: skip

    def until_ready(self) -> None:
        def ready() -> bool:
            assert self.process.poll() is None, self.log.read_text()
            return b" at http://" in self.log.read_bytes()

        until(ready, self.log.read_text)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)


class Agent:
    """An MCP client without a session: calls are independent."""

    def __init__(self, token: str) -> None:
        self._headers = {"authorization": f"Bearer {token}", "accept": ACCEPT, "content-type": "application/json"}

    def call(self, url: str, tool: str, **arguments: Any) -> dict[str, Any]:
        """Returns the result; a JSON-RPC error as `{"error": …}`."""
        answer = self.post(url, {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                 "params": {"name": tool, "arguments": arguments}})  # fmt: skip
        assert answer.status_code == 200, answer.text
        return result_of(answer)

    def post(self, url: str, message: Mapping[str, Any]) -> httpx.Response:
        with httpx.Client(timeout=PATIENCE) as client:
            return client.post(f"{url}/mcp", json=message, headers=self._headers)


def result_of(answer: httpx.Response) -> dict[str, Any]:
    messages = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
    if not messages and not answer.text.strip().startswith("{"):
        raise EOFError("the server ended the stream without an answer")
    if not messages:
        messages = [answer.json()]
    last: dict[str, Any] = next(each for each in messages if "id" in each and "method" not in each)
    result: dict[str, Any] = last.get("result", last)
    return result


class PendingCall:
    """A call that waits for people, in a thread."""

    def __init__(self, call: Callable[[], dict[str, Any]]) -> None:
        self.result: dict[str, Any] = {}
        self._thread = threading.Thread(target=lambda: self.result.update(call()), daemon=True)
        self._thread.start()

    def wait(self) -> dict[str, Any]:
        self._thread.join(PATIENCE)
        assert self.result
        return self.result

    @property
    def is_waiting(self) -> bool:
        return self._thread.is_alive()


def edit(team: Team, agent: Agent, name: str, server: int = 0, *, breaks: bool = False) -> PendingCall:
    """An edit of a separate file, which needs an approval. `breaks` means that the connection may break."""
    (team.project / name).write_text("old\n")
    url = team.servers[server].url

    def call() -> dict[str, Any]:
        try:
            return agent.call(url, "replace_in_file", path=name, find="old", replace="new")
        except (httpx.TransportError, EOFError):
            if not breaks:
                raise
            return {"broken": True}

    return PendingCall(call)


def prompt_about(person: Person, name: str) -> str:
    def found() -> str | None:
        return next((str(each["requestId"]) for each in person.pending() if each["prompt"].get("path") == name), None)

    return str(until(found, name))
