"""The agents that can work in the chat in place of handrail's own, and how they are started: always in the cage."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

PREFIX = "agent:"
"""In front of an agent's name, where a model's name stands otherwise."""


@dataclass(frozen=True, slots=True)
class AcpAgent:
    """`words` start it; `name` is the client's, as `handrail run --client` knows it."""

    name: str
    title: str
    words: tuple[str, ...]

    @property
    def model(self) -> str:
        return PREFIX + self.name

    @property
    def program(self) -> str | None:
        return shutil.which(self.words[0])


# In the cage, work on the project asks nothing: Claude and Codex find that in their settings there.
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
    """There is no way to start it uncaged: where the cage doesn't work, `handrail run` says why and ends."""
    handrail = str(Path(sys.executable).with_name("handrail"))
    cage = [handrail, "run", "--client", agent.name, "--project", project, "--state", str(state)]
    cage += ["--parent", str(os.getpid())]  # a server that is killed leaves no agent behind
    return [*cage, "--", program, *agent.words[1:]]
