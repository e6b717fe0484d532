"""The agents that can replace handrail's own in the chat, and the commands that start them, always in a cage."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

PREFIX = "agent:"
"""Marks the name of an agent in a setting that otherwise names a model."""


@dataclass(frozen=True, slots=True)
class AcpAgent:
    """`words` is the command that starts it; `name` is its `--client` for `handrail run`."""

    name: str
    title: str
    words: tuple[str, ...]

    @property
    def model(self) -> str:
        return PREFIX + self.name

    @property
    def program(self) -> str | None:
        return shutil.which(self.words[0])


# Work in the cage needs no approval: Claude and Codex read that from their settings there, Gemini from its options.
ACP_AGENTS = (
    AcpAgent("claude", "Claude", ("claude-agent-acp",)),
    AcpAgent("gemini", "Gemini", ("gemini", "--acp", "--approval-mode", "yolo")),
    AcpAgent("codex", "Codex", ("codex-acp",)),
)


def agent_of(model: str) -> AcpAgent | None:
    return next((agent for agent in ACP_AGENTS if agent.model == model), None)


def installed() -> list[AcpAgent]:
    return [agent for agent in ACP_AGENTS if agent.program is not None]


def command(agent: AcpAgent, program: str, project: str, state: Path) -> list[str]:
    """The command that starts it in a cage. It is never started without: if no cage works, `handrail run` fails."""
    handrail = str(Path(sys.executable).with_name("handrail"))
    cage = [handrail, "run", "--client", agent.name, "--project", project, "--state", str(state)]
    cage += ["--parent", str(os.getpid())]  # the agent ends with the server, even if that is killed
    return [*cage, "--", program, *agent.words[1:]]
