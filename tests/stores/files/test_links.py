"""Links at every position of a path, for every method of the port: refused, and nothing behind them is touched."""

from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.ports.errors import OutsideRoot
from handrail.ports.files import Folder
from handrail.stores.local.files.temporary import backup_name, temporary_name
from tests.stores.files.scenery import names

Attempt = Callable[[Folder, str], object]


def enter_hold(folder: Folder, path: str) -> None:
    with folder.open_descriptor(path):
        pass


def enter_lock(folder: Folder, path: str) -> None:
    with folder.lock(path, 0):
        pass


ON_FILES: dict[str, Attempt] = {
    "read": lambda folder, path: folder.read(path),
    "read_at": lambda folder, path: folder.read_at(path, 0, 1),
    "mode": lambda folder, path: folder.mode(path),
    "write": lambda folder, path: folder.write(path, b"inside"),
    "write lightly": lambda folder, path: folder.write(path, b"inside", is_durable=False),
    "create": lambda folder, path: folder.create(path, b"inside"),
    "remove": lambda folder, path: folder.remove(path),
    "lock": enter_lock,
}
ON_FOLDERS: dict[str, Attempt] = {
    "entries": lambda folder, path: folder.entries(path),
    "walk": lambda folder, path: folder.walk(path),
    "hold": enter_hold,
    "stamps": lambda folder, path: folder.stamps(path),
    "usage": lambda folder, path: folder.total_size(path),
    "remove_tree": lambda folder, path: folder.remove_tree(path),
}
ONLY_BELOW: dict[str, Attempt] = {"sweep": lambda folder, path: folder.sweep(path)}


def link_targets(project: Path, outside: Path) -> dict[str, str]:
    """Where a link at `<project>/link` may point."""
    return {
        "absolute, outside": str(outside),
        "relative, outside": "../project-evil",
        "absolute, inside": str(project / "game/scene"),
        "relative, inside": "game/scene",
        "closed folder": ".git",
        "the project": ".",
        "the parent": "..",
        "dangling": "nowhere",
        "itself": "link",
        "magic": "/proc/self/cwd",
    }


WHERE = list(link_targets(Path(), Path()))


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("attempt", [*ON_FILES, *ON_FOLDERS, *ONLY_BELOW])
def test_a_link_on_the_way_is_refused(folder: Folder, project: Path, outside: Path, where: str, attempt: str) -> None:
    (project / "link").symlink_to(link_targets(project, outside)[where])
    before = names(project)
    for path in ("link/start.txt", "link/new.txt", "link/new/deep/file.txt", "link/new"):
        with pytest.raises(OutsideRoot):
            (ON_FILES | ON_FOLDERS | ONLY_BELOW)[attempt](folder, path)
    assert names(project) == before
    assert (project / "game/scene/start.txt").read_bytes() == b"intro\n"


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("attempt", [*ON_FILES, *ON_FOLDERS])
def test_a_link_at_the_end_is_refused(folder: Folder, project: Path, outside: Path, where: str, attempt: str) -> None:
    (project / "link").symlink_to(link_targets(project, outside)[where])
    before = names(project)
    with pytest.raises(OutsideRoot):
        (ON_FILES | ON_FOLDERS)[attempt](folder, "link")
    assert names(project) == before
    assert (project / "link").is_symlink()


@pytest.mark.parametrize("attempt", ON_FILES)
def test_a_link_to_a_file_is_refused(folder: Folder, project: Path, outside: Path, attempt: str) -> None:
    for target in (str(outside / "start.txt"), "start.txt", "../../.git/config"):
        link = project / "game/scene/link.txt"
        link.symlink_to(target)
        with pytest.raises(OutsideRoot):
            ON_FILES[attempt](folder, "game/scene/link.txt")
        assert link.is_symlink()
        link.unlink()
    assert (project / ".git/config").read_bytes() == b"[core]\n"


def test_a_subfolder_that_is_a_link_is_refused(folder: Folder, project: Path, outside: Path) -> None:
    (project / ".webgal_agent").symlink_to(outside)
    own = folder.subfolder(".webgal_agent")
    for attempt in (*ON_FILES.values(), *ON_FOLDERS.values(), *ONLY_BELOW.values()):
        with pytest.raises(OutsideRoot):
            attempt(own, "start.txt")


def test_walk_shows_links_and_goes_through_none(folder: Folder, project: Path, outside: Path) -> None:
    (project / "game/out").symlink_to(outside)
    (project / "game/loop").symlink_to(".")
    files = dict(folder.walk("game"))
    assert set(files) == {"out", "loop", "scene", "scene/start.txt"}
    assert files["out"].is_link
    assert not files["out"].is_folder


def test_a_link_at_a_temporary_files_name_is_not_followed(folder: Folder, project: Path, outside: Path) -> None:
    for name in (temporary_name("file.txt"), backup_name("file.txt")):
        (project / name.decode()).symlink_to(outside / "start.txt")
    folder.write("file.txt", b"one")
    folder.write("file.txt", b"two")
    assert folder.read("file.txt") == b"two"
    assert not (project / "file.txt").is_symlink()
    assert {path.name for path in project.iterdir()} == {".git", "game", "file.txt"}
