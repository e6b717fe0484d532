"""Trees that are deep, change during the walk, or can't be read."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.ports.errors import InputOutput
from handrail.ports.files import Folder

DEPTH = 1_050
NAME = "deeper"


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _dig(project: Path, depth: int) -> None:
    fd = os.open(project, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(NAME, dir_fd=fd)
        inner = os.open(NAME, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(os.open("bottom.txt", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)


@pytest.mark.trial("files", is_long=True)
def test_depth_costs_neither_descriptors_nor_stack(folder: Folder, project: Path, few_descriptors: None) -> None:
    """Deeper than Python's recursion limit and longer than the kernel's limit for paths."""
    own = folder.subfolder(".webgal_agent")
    own.write("first", b"")
    _dig(project / ".webgal_agent", DEPTH)
    paths = [path for path, _ in own.walk(NAME)]
    assert len(paths) == DEPTH
    assert paths[-1] == f"{NAME}/" * (DEPTH - 1) + "bottom.txt"
    own.remove_tree(NAME)
    assert [entry.name for entry in own.entries(".")] == ["first"]


def test_folders_that_vanish_or_change_during_a_walk_are_left_out(folder: Folder, project: Path, outside: Path) -> None:
    for name in ("a", "b", "c", "d"):
        (project / "game" / name / "inner").mkdir(parents=True)
    matches: list[str] = []
    for path, _ in folder.walk("game"):
        if not matches:
            (project / "game/a/inner").rmdir()
            (project / "game/a").rmdir()
            (project / "game/b").rename(project / "game/moved")
            (project / "game/b").symlink_to(outside)
            (project / "game/c").rename(project / "moved")
            (project / "game/c").write_text("a file now")
        matches.append(path)
    assert sorted(matches) == ["a", "b", "c", "d", "d/inner", "scene", "scene/start.txt"]


def test_an_abandoned_walk_leaves_no_open_descriptors(folder: Folder) -> None:
    before = os.listdir("/proc/self/fd")
    walk = folder.walk(".")
    next(walk)
    assert os.listdir("/proc/self/fd") == before
    del walk


@pytest.fixture
def nobody() -> Iterator[None]:
    """Permissions apply only to users other than root."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    yield
    os.seteuid(user)


def test_a_folder_that_may_not_be_read_is_left_out_of_a_walk_and_refused_by_name(
    folder: Folder, project: Path, nobody: None
) -> None:
    user = os.geteuid()
    os.seteuid(os.getuid())
    (project / "game/locked").mkdir(mode=0o000)
    (project / "game/secret.txt").touch(mode=0o000)
    os.seteuid(user)
    assert {path for path, _ in folder.walk("game")} == {"locked", "secret.txt", "scene", "scene/start.txt"}
    for attempt in (folder.entries, folder.walk, folder.read, lambda path: folder.write(f"{path}/x", b"")):
        for path in ("game/locked", "game/locked/x"):
            with pytest.raises(InputOutput, match="Permission denied"):
                attempt(path)
    with pytest.raises(InputOutput, match="Permission denied"):
        folder.read("game/secret.txt")
    assert folder.mode("game/secret.txt") == 0
