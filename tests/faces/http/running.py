"""A server in a separate process, with a polite client and a raw socket to talk to it."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx2

from tests.credentials import agent_token
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> Any:
        return self.json["error"]["code"]


def allow_many_questions(state: Path) -> None:
    """For tests that ask more in a minute than an agent may."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (state / "config.toml").open("a") as config:
        config.write("questions_per_minute = 10000\n")


class Running:
    def __init__(
        self,
        state: Path,
        project: Path,
        port: int = 0,
        host: str = "127.0.0.1",
        env: dict[str, str] | None = None,
        command: Sequence[str] = (),
    ) -> None:
        """Runs the fixture tools, or a `command` that prints a line once it is ready."""
        self.state, self.project = state, project
        fixture = ["tests.faces.http.fixture_server", str(state), str(project), str(port), host]
        self.process = subprocess.Popen(
            [sys.executable, "-m", *(command or fixture)],
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.first_line = self.line()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    @property
    def file(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.state / "server.json").read_text())
        return content

    @property
    def port(self) -> int:
        return int(self.file["port"])

    @property
    def token(self) -> str:
        """An agent's token."""
        return agent_token(self.state)

    @property
    def server_token(self) -> str:
        return str(self.file["token"])

    @property
    def server_bearer(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.server_token}"}

    @property
    def frontend(self) -> dict[str, str]:
        """The credentials of a page that is not an agent's: it is shown all pending prompts."""
        return {"token": self.server_token, "clientType": "frontend"}

    @property
    def bearer(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    def request(self, method: str, path: str, *, headers: dict[str, str] | None = None, **kwargs: Any) -> Answer:
        """Sends an agent's token unless `headers` are passed."""
        headers_sent = self.bearer if headers is None else headers
        answer = httpx2.request(
            method, f"http://127.0.0.1:{self.port}{path}", headers=headers_sent, timeout=PATIENCE, **kwargs
        )
        return Answer(answer.status_code, dict(answer.headers), answer.content)

    def call(self, tool: str, params: Any = None, **headers: str) -> Answer:
        all_headers = {**self.bearer, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.request("POST", f"/api/tools/{tool}", headers=all_headers, json={} if params is None else params)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def new_code(self) -> str:
        headers = {**self.bearer, **self.console_key}
        return str(self.request("POST", "/api/session/code", headers=headers).json["data"]["code"])

    @property
    def console_key(self) -> dict[str, str]:
        return {"x-handrail-console-key": (self.state / "console.key").read_text().strip()}

    def sign_in(self, user_agent: str = "a browser") -> dict[str, str]:
        """Returns the headers of our own page in a signed-in browser."""
        headers = {"origin": self.address, "user-agent": user_agent}
        answer = self.request("POST", "/api/session", headers=headers, json={"code": self.new_code()})
        assert answer.status == 200, answer
        return {
            "cookie": answer.headers["set-cookie"].partition(";")[0],
            "origin": self.address,
            "x-handrail-page": answer.json["data"]["pageSecret"],
        }

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def raw(self, request: str | bytes) -> Answer:
        """Sends exactly these bytes; `PORT` and `TOKEN` in a text are replaced by the server's."""
        if isinstance(request, str):
            request = request.replace("PORT", str(self.port)).replace("TOKEN", self.token).encode("latin-1")
        with self.connect() as connection:
            connection.sendall(request)
            return read_answer(connection)

    def stop(self, number: int = signal.SIGTERM) -> str:
        """Returns what it wrote to stderr."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, log = self.process.communicate(timeout=PATIENCE)
        return log

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate(timeout=PATIENCE)


def read_answer(connection: socket.socket) -> Answer:
    with connection.makefile("rb") as stream:
        status = int(stream.readline().split()[1])
        headers: dict[str, str] = {}
        while (line := stream.readline().strip()) != b"":
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        return Answer(status, headers, stream.read(int(headers.get("content-length", 0))))
