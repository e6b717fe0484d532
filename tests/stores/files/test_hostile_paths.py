"""Paths that try to leave the project or enter closed folders: written by hand, and thousands of generated ones."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from handrail.ports.errors import Failure, InvalidParams, NotFound, OutsideRoot
from handrail.ports.files import Folder
from handrail.ports.paths import ClosedFolders
from handrail.stores.local.files.beneath import Opener
from tests.effort import tries
from tests.stores.files.scenery import names
from tests.stores.files.test_links import ON_FILES, ON_FOLDERS

OUTSIDE = [
    "..",
    "../project-evil/start.txt",
    "game/../../project-evil/start.txt",
    "game/..",
    "/etc/passwd",
    "//etc/passwd",
    "~/x",
    "~root",
    "..\\project-evil",
    "game\\scene",
    "C:/x",
    "C:",
    "%2e%2e/project-evil/start.txt",
    "%2E%2e",
    "%252e%252e/x",
    ".%2e/x",
    "game%2f..%2f..",
    "game%5c..",
    "a%00b",
]
CLOSED_SPELLINGS = [
    ".git/config",
    ".GIT/config",
    "game/.git/config",
    ".git./config",
    ".git /config",
    ".git::$INDEX_ALLOCATION/config",
    ".g\u200dit/config",
    ".ｇｉｔ/config",
    ".%67it/config",
    ".env",
    ".ENV",
    ".handrail/policy.json",
    ".Handrail/policy.json",
    ".webgal_agent/idem.json",
    "build/private",
    "Build/PRIVATE/x",
]
OURS = [".handrail-0123456789abcdef.tmp", "game/.HANDRAIL-x.TMP", "game/.handrail-0123456789abcdef.tmp/x"]
SENSELESS = ["a\0b", "\0", "a" * 256, "é" * 128, "a/" * 2049, "\ud800"]


@pytest.mark.parametrize("path", OUTSIDE + CLOSED_SPELLINGS + OURS)
def test_a_path_that_wants_out_is_refused_by_every_method(
    folder: Folder, project: Path, outside: Path, path: str
) -> None:
    before = names(project)
    for attempt in (*ON_FILES.values(), *ON_FOLDERS.values()):
        with pytest.raises(OutsideRoot):
            attempt(folder, path)
    assert names(project) == before


@pytest.mark.parametrize("path", SENSELESS, ids=range(len(SENSELESS)))
def test_a_path_that_makes_no_sense_is_refused_as_such(folder: Folder, path: str) -> None:
    for attempt in (*ON_FILES.values(), *ON_FOLDERS.values()):
        with pytest.raises(InvalidParams):
            attempt(folder, path)


@pytest.mark.parametrize(
    "name", ["-rf", "a b", "a\nb", "'\"$(x)`", "开始", "e\u0301", "...", " ", "a:b", "*", "%", "%zz"]
)
def test_a_merely_odd_name_is_written_listed_and_read(folder: Folder, name: str) -> None:
    folder.write(f"odd/{name}/{name}", b"1")
    assert folder.read(f"odd/{name}/{name}") == b"1"
    assert [path for path, _ in folder.walk("odd")] == [name, f"{name}/{name}"]
    assert folder.remove(f"odd/{name}/{name}")


def test_the_longest_name_and_the_longest_path_work(folder: Folder) -> None:
    longest = "/".join(["d" * 255] * 16)
    assert len(longest) == 4095
    for path in ("n" * 255, longest, longest[:-1] + "/f", "x/" * 2047 + "x"):
        folder.write(path, b"1", is_durable=False)
        assert folder.read(path) == b"1"


@pytest.mark.parametrize(
    "parts", [("..",), ("a", "..", ".."), (".",), ("",), ("a/b",), ("../project-evil", "start.txt")]
)
def test_the_primitive_itself_refuses_parts_that_climb(
    opener: Opener, project: Path, outside: Path, parts: tuple[str, ...]
) -> None:
    with pytest.raises(OutsideRoot):
        open_in(opener, project, parts)


def test_the_primitive_itself_refuses_parts_that_end_early(opener: Opener, project: Path) -> None:
    for parts in (("game\0x",), ("game", "\0"), ("\ud800",)):
        with pytest.raises(InvalidParams):
            open_in(opener, project, parts)


def open_in(opener: Opener, project: Path, parts: tuple[str, ...]) -> None:
    root = os.open(project, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.close(opener(root, parts, os.O_RDONLY, 0))
    finally:
        os.close(root)


_CLIMBING = ["..", ".", "/", "//", "\\", "%2e", "%2E", "%2f", "%5C", "%25", "~", "C:", ":", "．", "／", "\0", "\ud800"]
_ORDINARY = ["game", "scene", "start.txt", ".git", ".GIT", "link", " ", "\r\n", "\u202e", "\u200b", "a" * 250]
_hostile = st.lists(st.sampled_from([*_CLIMBING, *_ORDINARY]), max_size=12).map("".join)


@settings(max_examples=tries(200, 10_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.one_of(_hostile, st.text(max_size=40)))
@example(path="link/start.txt")
def test_no_path_of_thousands_reads_or_writes_outside(folder: Folder, project: Path, outside: Path, path: str) -> None:
    link = project / "link"
    if not link.is_symlink():
        link.symlink_to(outside)
    with suppress(OutsideRoot, InvalidParams):
        parts = folder.parse(path)
        assert not {"", ".", ".."} & set(parts)
        assert not any("/" in part or "\0" in part for part in parts)
    with suppress(Failure):
        assert folder.read(path) == b"intro\n"
        assert folder.parse(path) == ("game", "scene", "start.txt")
    with pytest.raises(Failure):
        folder.write(f"{path}/link/x", b"1", is_durable=False, guard=_refuse)


def _refuse() -> None:
    raise NotFound("far enough")


def test_a_closed_folder_is_closed_however_its_policy_spells_it() -> None:
    closed_folders = ClosedFolders(["./.git/", "/build//private", "", "/", "."])
    assert closed_folders.is_closed((".git", "config"))
    assert closed_folders.is_closed(("game", ".GIT"))
    assert closed_folders.is_closed(("build", "private", "x"))
    assert not closed_folders.is_closed(("game", "build", "private"))
    assert not closed_folders.is_closed(())
    inside = closed_folders.names_in(("Build",))
    assert [name for name in (".git", "Private", "public") if name in inside] == [".git", "Private"]
    assert [name for name in (".git", "private") if name in closed_folders.names_in(())] == [".git"]
