from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faces.http.running import Running
from tests.features.agent.server.model_server import ModelServer

ALLOWED = """
[[rules]]
effect = "WRITE"
decision = "allow"
[[rules]]
effect = "WRITE"
path = "asked/**"
decision = "ask"
"""


def up(state: Path, project: Path, models: ModelServer | None = None, **env: str) -> Running:
    """`handrail up`, at work once it is here."""
    connected = {"ANTHROPIC_API_KEY": "sk-test", "OPENAI_API_KEY": "", "GEMINI_API_KEY": "sk-test"}
    if models is not None:
        # A base URL is the chosen model's alone: the other providers' own libraries look at these.
        of_providers = ("HANDRAIL_MODEL_BASE_URL", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL")
        connected |= dict.fromkeys(of_providers, models.address)
    command = ["handrail", "up", "--project", str(project), "--state", str(state), "--port", "0", "--no-open"]
    running = Running(state, project, command=command, env={"HANDRAIL_OPEN_CONSOLE": "false", **connected, **env})
    assert " at http://127.0.0.1:" in running.first_line, running.first_line
    return running


@pytest.fixture(scope="package")
def models() -> Iterator[ModelServer]:
    with ModelServer().running() as server:
        yield server


@pytest.fixture(scope="package")
def rig(tmp_path_factory: pytest.TempPathFactory, models: ModelServer) -> Iterator[Running]:
    """One server for every test that leaves it as it was; writes need nobody's word."""
    state, project = tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("project")
    (state / "config.toml").write_text(ALLOWED)
    with up(state, project, models) as running:
        yield running
