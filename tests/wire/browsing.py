"""The browser's tools through every face, beside a running `handrail up` that a scripted browser is connected to."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.credentials import browser_token
from tests.wire.clients import Api, Cli, Json, Stdio, Streamable, Up
from tests.wire.scripted_browser import CLIENT_ID, ScriptedBrowser
from tests.wire.stage import furnish


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call. `text` and `images` are what a model gets; only MCP has them."""

    result: Json | None = None
    error: Json | None = None
    text: str = ""
    images: tuple[Json, ...] = ()

    @property
    def code(self) -> str | None:
        return None if self.error is None else str(self.error["code"])


class Agent:
    """A caller at one face."""

    def __init__(self, client: Stdio | Streamable | Api | Cli) -> None:
        self._client = client

    def call(self, tool: str, /, **params: Any) -> Outcome:
        if isinstance(self._client, Stdio | Streamable):
            return _of_mcp(self._client.request("tools/call", {"name": tool, "arguments": params}))
        outcome = self._client.raw_call(tool, json.dumps(params).encode())
        return Outcome(result=outcome.result, error=outcome.error)

    def ok(self, tool: str, /, **params: Any) -> Outcome:
        result = self.call(tool, **params)
        assert result.error is None, result.error
        return result

    def code(self, tool: str, /, **params: Any) -> str:
        result = self.call(tool, **params)
        assert result.error is not None, result.result
        return str(result.error["code"])


def _of_mcp(result: Json) -> Outcome:
    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    if result.get("isError"):
        return Outcome(error=json.loads(text)["error"], text=text)
    images = tuple(part for part in result["content"] if part["type"] == "image")
    return Outcome(result=result["structuredContent"], text=text, images=images)


class Browsing:
    """A project, its server and one browser; `answer` is the answer to every question."""

    def __init__(self, folder: Path, answer: str | None = "allow") -> None:
        self.project, self.state = folder / "project", folder / "state"
        self.project.mkdir(parents=True)
        furnish(self.project)
        self._options: Any = {} if answer is None else {"answer": answer}
        self.up = Up(self.project, self.state, **self._options)
        data = json.loads((self.state / "server.json").read_text())
        self.browser = ScriptedBrowser(f"http://{data['host']}:{data['port']}", browser_token(self.state, CLIENT_ID))
        self._agents: dict[str, Agent] = {}
        self._stdio: list[Stdio] = []

    def agent(self, face: str) -> Agent:
        if face not in self._agents:
            self._agents[face] = self._new(face)
        return self._agents[face]

    def _new(self, face: str) -> Agent:
        if face == "stdio":
            self._stdio.append(Stdio(self.project, self.state, **self._options))
            return Agent(self._stdio[-1])
        if face == "cli":
            return Agent(Cli(self.project, self.state, **self._options))
        return Agent(Streamable(self.up) if face == "streamable" else Api(self.up))

    def put_user_rules(self, *rules: Json) -> None:
        """Written to the user's own file, which every process reads again when it changes."""
        lines = [
            "[[rules]]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in rule.items()) for rule in rules
        ]
        (self.state / "config.toml").write_text("\n".join(lines))

    def reset(self) -> None:
        (self.state / "config.toml").unlink(missing_ok=True)
        self.browser.reset()

    def close(self) -> None:
        self.browser.close()
        for client in self._stdio:
            client.close()
        self.up.close()
