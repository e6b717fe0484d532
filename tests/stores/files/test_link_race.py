"""Folders and files that become links between any two of our system calls: nothing outside is read or written.

The fixture `outside` looks for anything new, changed or gone there when a test is over.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from handrail.ports.errors import InputOutput, NotFound, OutsideRoot
from handrail.ports.files import Folder
from tests.effort import count, tries
from tests.stores.files.scenery import Child, StartChild, ready

READS = tries(4_000, 40_000)
WRITES = tries(1_000, 10_000)
pytestmark = pytest.mark.trial("race")


class Race:
    """Repeats until there were enough attempts with each outcome: a busy machine may favour one for a while."""

    def __init__(self, attempts: int) -> None:
        self._attempts = attempts
        self._numbers = 0
        self.done = 0
        self.refused = 0

    def __iter__(self) -> Iterator[int]:
        while not self.is_decided:
            self._numbers += 1
            count()
            yield self._numbers

    @property
    def is_decided(self) -> bool:
        return self._numbers >= self._attempts and min(self.done, self.refused) >= 20


@pytest.fixture
def swapped_folder(project: Path, outside: Path, start_child: StartChild) -> Iterator[None]:
    """`game/scene` alternates between a folder and a link to the outside."""
    (project / "decoy").symlink_to(outside)
    child = start_child("swap_folder.py", str(project / "game/scene"), str(project / "decoy"))
    yield from _at_work(child)


@pytest.fixture
def swapped_file(project: Path, outside: Path, start_child: StartChild) -> Iterator[None]:
    """`game/scene/start.txt` alternates between a file and a link to one outside."""
    path = project / "game/scene/start.txt"
    child = start_child("swap_file.py", str(path), str(outside / "start.txt"), "intro\n")
    yield from _at_work(child)


def _at_work(child: Child) -> Iterator[None]:
    ready(child)
    yield
    assert child.poll() is None
    child.kill()
    child.wait()


@pytest.mark.usefixtures("swapped_folder")
def test_no_read_escapes_while_a_folder_is_swapped(folder: Folder) -> None:
    _read(folder)


@pytest.mark.usefixtures("swapped_file")
def test_no_read_escapes_while_a_file_is_swapped(folder: Folder) -> None:
    _read(folder)


def _read(folder: Folder) -> None:
    race = Race(READS)
    for _ in race:
        try:
            data = folder.read("game/scene/start.txt")
        except (OutsideRoot, NotFound):
            race.refused += 1
        else:
            assert data == b"intro\n"
            race.done += 1


@pytest.mark.usefixtures("swapped_folder")
def test_no_write_escapes_while_a_folder_is_swapped(folder: Folder) -> None:
    race = Race(WRITES)
    for number in race:
        try:
            match number % 4:
                case 0:
                    folder.write("game/scene/start.txt", b"intro\n", is_durable=False)
                case 1:
                    folder.write("game/scene/new/deep.txt", b"intro\n", is_durable=False)
                case 2:
                    folder.create(f"game/scene/{number}.txt", b"intro\n", is_durable=False)
                case _:
                    folder.remove(f"game/scene/{number - 1}.txt", is_durable=False)
        except (OutsideRoot, NotFound):
            race.refused += 1
        else:
            race.done += 1


@pytest.mark.usefixtures("swapped_file")
def test_no_write_escapes_while_a_file_is_swapped(folder: Folder) -> None:
    race = Race(WRITES)
    for _ in race:
        try:
            folder.write("game/scene/start.txt", b"intro\n", is_durable=False)
        except OutsideRoot:
            race.refused += 1
        else:
            race.done += 1


@pytest.mark.usefixtures("swapped_folder")
def test_no_listing_and_no_removal_escapes_while_a_folder_is_swapped(folder: Folder) -> None:
    """Inside and outside both contain `tree/keep.txt`; only the one inside may be deleted."""
    race = Race(2_000)
    for _ in race:
        for path, _entry in folder.walk("game"):
            assert path in ("scene", "scene/start.txt", "scene/tree", "scene/tree/keep.txt")
        with suppress(OutsideRoot, NotFound):
            assert not folder.remove("game/scene/only-outside.txt", is_durable=False)
        try:
            folder.write("game/scene/tree/keep.txt", b"", is_durable=False)
            folder.remove_tree("game/scene/tree")
        except (OutsideRoot, NotFound):
            race.refused += 1
        except InputOutput as failure:
            if failure.details["error"] != "ENOTEMPTY":  # its content was out of sight for a moment
                raise
        else:
            race.done += 1
