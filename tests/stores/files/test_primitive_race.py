"""Each method of a project's folder that takes a path, while a folder there alternates with a link to the outside.

The fixture `outside` looks for anything new, changed or gone there when a test is over.
"""

import inspect
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from handrail.ports.errors import NotFound, OutsideRoot
from handrail.ports.files import Folder
from tests.effort import count, tries
from tests.stores.files.scenery import CANARY, StartChild, ready

ATTEMPTS = tries(15, 20_000)
OURS = b"intro\n"
START, ONLY, NEW, LINK = (f"game/scene/{name}" for name in ("start.txt", "only-outside.txt", "new.txt", "link"))
WITHOUT_A_PATH = {"parse", "subfolder", "is_temporary", "private", "sync", "close", "location"}
pytestmark = pytest.mark.trial("race")


@dataclass
class Inside:
    """The real folder by descriptor, which finds it even while the link replaces it."""

    fd: int

    def put(self, name: str, data: bytes = OURS) -> None:
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=self.fd)
        os.write(file, data)
        os.close(file)

    def clear(self) -> None:
        """Removes all but `start.txt`, which gets its content back."""
        self._clear(self.fd)
        self.put("start.txt")

    def _clear(self, folder: int) -> None:
        for name in os.listdir(folder):
            if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                self._clear(below)
                os.close(below)
                os.rmdir(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)


def reads(folder: Folder, inside: Inside) -> None:
    assert folder.read(START) == OURS


def reads_at(folder: Folder, inside: Inside) -> None:
    assert folder.read_at(START, 0, 100) == OURS


def looks(method: str) -> Callable[[Folder, Inside], None]:
    def look(folder: Folder, inside: Inside) -> None:
        value = getattr(folder, method)(START)
        size = getattr(value, "size", len(OURS))
        assert size == len(OURS)
        assert value not in (0o640, False)

    return look


def has(folder: Folder, inside: Inside) -> None:
    assert not folder.has(ONLY)


def lists(folder: Folder, inside: Inside) -> None:
    assert [entry.name for entry in folder.entries("game/scene")] == ["start.txt"]


def names(folder: Folder, inside: Inside) -> None:
    assert folder.names("game/scene") == ["start.txt"]


def walks(folder: Folder, inside: Inside) -> None:
    assert {path for path, _ in folder.walk("game/scene")} <= {"start.txt"}


def stamps(folder: Folder, inside: Inside) -> None:
    assert set(folder.stamps("game/scene")) <= {"start.txt"}


def sizes(folder: Folder, inside: Inside) -> None:
    assert folder.total_size("game/scene") in (0, len(OURS))


def writes(folder: Folder, inside: Inside) -> None:
    folder.write(START, b"other\n", is_durable=False)


def puts(folder: Folder, inside: Inside) -> None:
    folder.put(NEW, b"other\n")


def creates(folder: Folder, inside: Inside) -> None:
    folder.create(NEW, b"other\n", is_durable=False)


def appends(folder: Folder, inside: Inside) -> None:
    folder.append(START, b"other\n")


def adopts(folder: Folder, inside: Inside) -> None:
    folder.write("staged.txt", b"other\n", is_durable=False)
    folder.adopt("staged.txt", START)


def moves_out(folder: Folder, inside: Inside) -> None:
    folder.remove("moved.txt", is_durable=False)
    folder.move(START, "moved.txt")
    assert folder.read("moved.txt") == OURS


def moves_in(folder: Folder, inside: Inside) -> None:
    folder.write("top.txt", b"other\n", is_durable=False)
    folder.move("top.txt", NEW)


def links(folder: Folder, inside: Inside) -> None:
    folder.put_link(LINK, "start.txt", is_durable=False)


def removes_a_link(folder: Folder, inside: Inside) -> None:
    os.symlink("start.txt", "link", dir_fd=inside.fd)
    folder.put_link(LINK, None, is_durable=False)


def reads_a_link(folder: Folder, inside: Inside) -> None:
    os.symlink("start.txt", "link", dir_fd=inside.fd)
    assert folder.link_target(LINK) == "start.txt"


def makes_a_folder(folder: Folder, inside: Inside) -> None:
    folder.make_folder("game/scene/made/deep", is_durable=False)


def removes_a_folder(folder: Folder, inside: Inside) -> None:
    os.mkdir("made", dir_fd=inside.fd)
    folder.remove_folder("game/scene/made", is_durable=False)


def removes(folder: Folder, inside: Inside) -> None:
    inside.put("only-outside.txt")
    assert folder.remove(ONLY, is_durable=False) in (True, False)


def removes_a_tree(folder: Folder, inside: Inside) -> None:
    os.mkdir("tree", dir_fd=inside.fd)
    inside.put("tree/keep.txt")
    folder.remove_tree("game/scene/tree")


def makes_private(folder: Folder, inside: Inside) -> None:
    folder.make_private("game/scene")


def syncs(folder: Folder, inside: Inside) -> None:
    folder.sync_file(START)


def opens(folder: Folder, inside: Inside) -> None:
    with folder.open_descriptor("game/scene") as fd:
        assert os.path.sameopenfile(fd, inside.fd)


def locks(folder: Folder, inside: Inside) -> None:
    with folder.lock("game/scene/lock", 1):
        pass


def sweeps(folder: Folder, inside: Inside) -> None:
    inside.put(".handrail-0123456789abcdef.tmp")
    folder.sweep(START)


def sweeps_all(folder: Folder, inside: Inside) -> None:
    folder.sweep_all("game/scene")


WAYS: Mapping[str, tuple[Callable[[Folder, Inside], None], ...]] = {
    "read": (reads,),
    "read_at": (reads_at,),
    "has": (has,),
    "entries": (lists,),
    "names": (names,),
    **{name: (looks(name),) for name in ("mode", "status", "stamp")},
    "walk": (walks,),
    "stamps": (stamps,),
    "total_size": (sizes,),
    "write": (writes,),
    "put": (puts,),
    "create": (creates,),
    "append": (appends,),
    "adopt": (adopts,),
    "move": (moves_out, moves_in),
    "put_link": (links, removes_a_link),
    "link_target": (reads_a_link,),
    "make_folder": (makes_a_folder,),
    "remove_folder": (removes_a_folder,),
    "remove": (removes,),
    "remove_tree": (removes_a_tree,),
    "make_private": (makes_private,),
    "sync_file": (syncs,),
    "open_descriptor": (opens,),
    "lock": (locks,),
    "sweep": (sweeps,),
    "sweep_all": (sweeps_all,),
}


def test_every_method_with_a_path_is_raced() -> None:
    methods = {name for name, _ in inspect.getmembers(Folder) if not name.startswith("_")}
    assert methods - WITHOUT_A_PATH == WAYS.keys()


@pytest.fixture
def inside(project: Path, outside: Path, start_child: StartChild) -> Iterator[Inside]:
    """`game/scene` alternates between a folder and a link to the outside."""
    for path in outside.rglob("*.txt"):
        path.chmod(0o640)
    fd = os.open(project / "game/scene", os.O_RDONLY | os.O_DIRECTORY)
    (project / "decoy").symlink_to(outside)
    (outside / ".handrail-fedcba9876543210.tmp").write_bytes(CANARY)
    before = {path: os.lstat(path).st_mode for path in [outside, *outside.rglob("*")]}
    child = start_child("swap_folder.py", str(project / "game/scene"), str(project / "decoy"))
    ready(child)
    yield Inside(fd)
    assert child.poll() is None
    child.kill()
    child.wait()
    os.close(fd)
    assert {path: os.lstat(path).st_mode for path in [outside, *outside.rglob("*")]} == before
    (outside / ".handrail-fedcba9876543210.tmp").unlink()


def test_no_method_escapes_while_a_folder_is_swapped(folder: Folder, inside: Inside) -> None:
    """In turn, because on a busy machine the folder may stay as it is for hundreds of attempts."""
    ways = [way for several in WAYS.values() for way in several]
    rounds = done = refused = 0
    while rounds < ATTEMPTS or min(done, refused) < 10:
        rounds += 1
        for way in ways:
            count()
            inside.clear()
            try:
                way(folder, inside)
            except (OutsideRoot, NotFound):
                refused += 1
            else:
                done += 1
