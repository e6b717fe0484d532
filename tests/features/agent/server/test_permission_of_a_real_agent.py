"""A real agent's permission requests reach us, and it follows the answers."""

import os
from pathlib import Path
from typing import Any

import pytest

from handrail.features.agent.acp.known_agents import AcpAgent, command
from handrail.features.agent.acp.session import AcpSession
from tests.clients.model_server import serving
from tests.clients.real_clients import GEMINI, PROGRAMS
from tests.clients.script import Say, Turn, Use

pytestmark = [pytest.mark.anyio, pytest.mark.trial("acp", is_long=True)]

ASKING = """
[[rule]]
toolName = "write_file"
decision = "ask_user"
priority = 999
"""
"""A policy of Gemini CLI that counts more than the one that the cage gives it, with which it asks nothing."""


async def test_its_request_is_answered_once_and_a_denial_is_final(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, state, home = (tmp_path / name for name in ("project", "state", "home"))
    for folder in (project, state, home):
        folder.mkdir()
    (project / "ask.toml").write_text(ASKING)
    gemini = AcpAgent("gemini", "Gemini", ("gemini", "--acp", "--admin-policy", str(project / "ask.toml")))
    turns: list[Turn] = [
        Use("write_file", {"file_path": str(project / "no.txt"), "content": "no\n"}),
        Use("write_file", {"file_path": str(project / "yes.txt"), "content": "yes\n"}),
        Say("Done."),
    ]
    requests: list[str] = []

    async def answer(call: Any) -> bool:
        requests.append(call.title)
        return "yes.txt" in call.title

    async def hear(update: Any) -> None:
        """What it says is tested in the chat."""

    with serving(GEMINI.wire(), turns) as model:
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("PATH", f"{PROGRAMS}:{os.environ['PATH']}")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", model.url)
        monkeypatch.setenv("GEMINI_API_KEY", "sk-outside")
        session = AcpSession(gemini)
        await session.open(command(gemini, str(PROGRAMS / "gemini"), str(project), state), str(project))
        try:
            await session.prompt("Write two files.", hear, answer)
            await session.prompt("Go on.", hear, answer)
        finally:
            await session.close()
    assert requests == ["Writing to no.txt", "Writing to yes.txt"]
    assert [path.name for path in state.glob("cages/*/upper/*.txt")] == ["yes.txt"]
