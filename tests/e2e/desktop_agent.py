"""An agent on a test desktop: `handrail up` with its host, an MCP client, and a window to act on."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from tests.desktop_session import DesktopSession
from tests.e2e.agents import Agent
from tests.faces.http.running import Running
from tests.persons import Person

Json = dict[str, Any]


class DesktopAgent:
    """Calls tools over `handrail mcp`; `person` sees and answers questions."""

    def __init__(self, project: Path, state: Path, env: dict[str, str]) -> None:
        self._agent = Agent(project, state, **env)
        self._numbers = count(10)
        self._begun: list[int] = []
        self._ended: dict[int, Json] = {}
        self.person = Person(state)
        self.project = project
        self.state = state

    def begins(self, tool: str, **arguments: Any) -> int:
        id = next(self._numbers)
        self._begun.append(id)
        self._agent.send(id, "tools/call", {"name": tool, "arguments": arguments})
        return id

    def gets(self, id: int | None = None) -> Json:
        """Returns a call's outcome; without an id, that of the oldest call not yet collected."""
        expected = self._begun[0] if id is None else id
        self._begun.remove(expected)
        while expected not in self._ended:
            message = self._agent.receive()
            if "result" in message:
                self._ended[message["id"]] = message["result"]
        return self._ended.pop(expected)

    def does(self, tool: str, **arguments: Any) -> Json:
        """Makes a call that needs no approval, and returns its structured result."""
        result = self.gets(self.begins(tool, **arguments))
        assert not result.get("isError"), result
        structured: Json = result["structuredContent"]
        return structured

    def is_refused(self, tool: str, **arguments: Any) -> Json:
        return error_of(self.gets(self.begins(tool, **arguments)))

    def close(self) -> None:
        self._agent.close()


def error_of(result: Json) -> Json:
    assert result["isError"], result
    error: Json = json.loads(result["content"][0]["text"])["error"]
    return error


def on_desktop(session: DesktopSession) -> dict[str, str]:
    return {**session.env, "HANDRAIL_DESKTOP": "true", "HANDRAIL_CALL_PERSON": "false"}


@contextmanager
def desktop_rig(session: DesktopSession, folder: Path) -> Iterator[Running]:
    """Runs `handrail up` on the desktop, as people start it there."""
    project, state = folder / "project", folder / "state"
    project.mkdir()
    flags = ["--project", str(project), "--state", str(state), "--port", "0", "--no-open"]
    with Running(state, project, command=["handrail", "up", *flags], env=on_desktop(session)) as rig:
        yield rig


@contextmanager
def desktop_agent(session: DesktopSession, rig: Running) -> Iterator[DesktopAgent]:
    agent = DesktopAgent(rig.project, rig.state, on_desktop(session))
    try:
        yield agent
    finally:
        agent.close()
