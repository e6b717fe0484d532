"""One project that all faces share, emptied before every test; and separate programs for tests that need them."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Unpack

import pytest

from tests.effort import one_of
from tests.wire.browsing import Agent, Browsing
from tests.wire.clients import FACES, FACES_AND_CLI, Api, Cli, Client, Options, Start, Stdio, Streamable, Up
from tests.wire.desktop_rig import Bridge, DesktopRig, hosting
from tests.wire.prompt_rig import PromptRig
from tests.wire.stage import Stage, furnish


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "also_cli: runs through `handrail call` too, which starts a process a call")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each face in turn in the campaign. The suite uses every face, but only one per test."""
    is_for_cli = metafunc.definition.get_closest_marker("also_cli") is not None
    faces = one_of("faces", metafunc.definition.nodeid, FACES_AND_CLI if is_for_cli else FACES)
    if "client" in metafunc.fixturenames:
        metafunc.parametrize("client", faces, indirect=True)
    if "agent" in metafunc.fixturenames and "place" not in metafunc.fixturenames:
        metafunc.parametrize("agent", faces, indirect=True)


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    stage = Stage(tmp_path_factory.mktemp("stage"))
    yield stage
    stage.close()


@pytest.fixture
def project(stage: Stage) -> Path:
    """A small game: `game/scene/start.txt`, `game/config.txt`, `notes.md`."""
    stage.reset()
    return stage.project


@pytest.fixture
def client(request: pytest.FixtureRequest, stage: Stage, project: Path) -> Client:
    """Each face in turn, with `--answer allow`."""
    return stage.client(request.param)


@pytest.fixture
def stdio(stage: Stage, project: Path) -> Stdio:
    """For behaviour that can't differ between faces, or that only stdio has."""
    return stage.stdio()


@pytest.fixture(scope="session")
def browsing_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browsing]:
    browsing = Browsing(tmp_path_factory.mktemp("browsing"))
    yield browsing
    browsing.close()


@pytest.fixture
def browsing(browsing_stage: Browsing) -> Browsing:
    """A browser without a tab, at a server that answers every question with yes."""
    browsing_stage.reset()
    return browsing_stage


@pytest.fixture
def agent(request: pytest.FixtureRequest, browsing: Browsing) -> Agent:
    """Each face in turn."""
    return browsing.agent(request.param)


@pytest.fixture
def mcp(browsing: Browsing) -> Agent:
    """For behaviour that can't differ between faces, or that only MCP has."""
    return browsing.agent("streamable")


@pytest.fixture(scope="session")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PromptRig]:
    """One queue for all tests that name their own prompts."""
    rig = PromptRig(tmp_path_factory.mktemp("prompts-state"), tmp_path_factory.mktemp("prompts-project"))
    yield rig
    rig.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[DesktopRig]:
    """The host of an in-memory desktop, in mode contract."""
    async with hosting(tmp_path) as rig:
        yield rig


@pytest.fixture
async def bridge(desk: DesktopRig) -> Bridge:
    """A connection to it."""
    return await desk.connect()


@pytest.fixture
def own_project(tmp_path: Path) -> Path:
    """The same game again, for a test's own programs."""
    folder = tmp_path / "own"
    folder.mkdir()
    return furnish(folder)


@pytest.fixture
def own_state(tmp_path: Path) -> Path:
    return tmp_path / "own-state"


@pytest.fixture
def start() -> Iterator[Start]:
    running: list[Stdio | Up] = []

    def start(face: str, project: Path, state: Path, **options: Unpack[Options]) -> Client:
        if face == "cli":
            return Cli(project, state, **options)
        if face == "stdio":
            stdio = Stdio(project, state, **options)
            running.append(stdio)
            return stdio
        up = Up(project, state, **options)
        running.append(up)
        return Streamable(up) if face == "streamable" else Api(up)

    yield start
    for program in running:
        program.close()
