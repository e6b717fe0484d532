"""A real project on a real disk, with files outside of it that must never be touched; with both primitives."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import handrail
from handrail.ports.files import Folder
from handrail.ports.paths import ClosedFolders
from handrail.stores.local.files import beneath
from handrail.stores.local.files.beneath import Opener, by_openat2, by_walk
from handrail.stores.local.files.folder import LocalFolder
from tests.stores.files.scenery import CANARY, CHILDREN, CLOSED, Child, StartChild, names


@pytest.fixture(params=["openat2", "walk"])
def opener(request: pytest.FixtureRequest) -> Opener:
    if request.param == "walk":
        return by_walk
    if beneath._openat2() is None:
        pytest.skip("this kernel has no openat2")
    return by_openat2


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    project = tmp_path / "project"
    (project / "game/scene").mkdir(parents=True)
    (project / "game/scene/start.txt").write_bytes(b"intro\n")
    (project / ".git").mkdir()
    (project / ".git/config").write_bytes(b"[core]\n")
    yield project
    # pytest removes old folders recursively, which fails for a deep tree.
    subprocess.run(["rm", "-rf", str(project)], check=True)


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder next to the project whose name starts like the project's; checked after every test that uses it."""
    outside = tmp_path / "project-evil"
    (outside / "tree").mkdir(parents=True)
    files = [outside / name for name in ("start.txt", "only-outside.txt", "tree/keep.txt")]
    for file in files:
        file.write_bytes(CANARY)
    before = names(outside)
    yield outside
    assert names(outside) == before
    assert [file.read_bytes() for file in files] == [CANARY] * 3


@pytest.fixture
def folder(project: Path, opener: Opener) -> Iterator[Folder]:
    folder = LocalFolder.open(str(project), ClosedFolders(CLOSED), opener)
    yield folder
    folder.close()


@pytest.fixture
def start_child() -> Iterator[StartChild]:
    """Starts a script of `children/`; scripts still running at the end are killed by their pid."""
    running: list[Child] = []

    def start(script: str, *args: str, before: tuple[str, ...] = ()) -> Child:
        child = subprocess.Popen(
            [*before, sys.executable, str(CHILDREN / script), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(handrail.__file__).parents[1])},
        )
        running.append(child)
        return child

    yield start
    for child in running:
        child.kill()
        child.communicate()
