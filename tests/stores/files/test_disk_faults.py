"""Full disks and failing devices, real ones if possible: no success is reported and the old content stays."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.ports.errors import InputOutput
from handrail.ports.files import Folder
from handrail.stores.local.files.beneath import Opener
from handrail.stores.local.files.folder import LocalFolder
from tests.stores.files.scenery import StartChild, names, output_of

PATH = "game/scene/start.txt"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting needs root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.fixture
def full_folder(small_disk: Path, opener: Opener) -> Iterator[Folder]:
    folder = LocalFolder.open(str(small_disk), opener=opener)
    folder.write("file.txt", b"old")
    folder.write("ballast", b"x" * 40_000)
    yield folder
    folder.close()


@pytest.mark.parametrize("is_durable", [True, False])
def test_on_a_full_disk_the_old_content_stays(full_folder: Folder, small_disk: Path, is_durable: bool) -> None:
    for attempt in (full_folder.write, full_folder.create):
        for path in ("file.txt", "new.txt", "new/deep/file.txt"):
            if (attempt, path) == (full_folder.create, "file.txt"):
                continue
            with pytest.raises(InputOutput, match="No space left") as caught:
                attempt(path, b"y" * 40_000, is_durable=is_durable)
            assert caught.value.details == {"path": path, "error": "ENOSPC"}
    assert full_folder.read("file.txt") == b"old"
    assert names(small_disk) == {"file.txt", "ballast"}
    full_folder.write("file.txt", b"new")
    assert full_folder.read("file.txt") == b"new"


@pytest.mark.parametrize("method", ["write", "create"])
def test_a_file_size_limit_leaves_the_old_content(project: Path, start_child: StartChild, method: str) -> None:
    before = names(project)
    path = PATH if method == "write" else "new/file.txt"
    assert output_of(start_child("write_once.py", str(project), path, "100000", method, "50000")) == "InputOutput EFBIG"
    assert (project / PATH).read_bytes() == b"intro\n"
    assert names(project) == before


def _strace(*rules: str) -> tuple[str, ...]:
    strace = shutil.which("strace")
    if strace is None or subprocess.run([strace, "-o", os.devnull, "true"], check=False).returncode != 0:
        pytest.skip("strace is missing or may not trace")
    return (strace, "-f", "-o", os.devnull, *(part for rule in rules for part in ("-e", f"inject={rule}")))


FAULTS = {
    "fsync of the file": "fsync:error=EIO:when=1",
    "fsync of the folder": "fsync:error=EIO:when=2",
    "fsync of a full disk": "fsync:error=ENOSPC:when=1",
    "rename": "renameat:error=EIO",
    "chmod": "fchmod:error=EIO",
    "lock": "flock:error=ENOLCK",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_when_the_disk_fails_a_replaced_file_keeps_its_content(
    project: Path, start_child: StartChild, fault: str
) -> None:
    (project / PATH).chmod(0o640)
    before = names(project)
    old = (project / PATH).stat()
    child = start_child("write_once.py", str(project), PATH, "100", "write", "0", before=_strace(FAULTS[fault]))
    assert output_of(child) in ("InputOutput EIO", "InputOutput ENOSPC", "InputOutput ENOLCK")
    assert (project / PATH).read_bytes() == b"intro\n"
    assert os.path.samestat((project / PATH).stat(), old)
    assert (project / PATH).stat().st_mode == old.st_mode
    assert names(project) == before


@pytest.mark.parametrize("method", ["write", "create"])
@pytest.mark.parametrize("when", [1, 2, 3, 4])
def test_when_the_disk_fails_a_new_file_does_not_appear(
    project: Path, start_child: StartChild, method: str, when: int
) -> None:
    """Four fsyncs: two parent folders with a new entry, the file, and its own folder."""
    before = names(project)
    rule = f"fsync:error=EIO:when={when}"
    child = start_child("write_once.py", str(project), "new/deep/file.txt", "9", method, "0", before=_strace(rule))
    assert output_of(child) == "InputOutput EIO"
    assert names(project) == before


@pytest.mark.parametrize("method", ["write", "create"])
def test_a_file_system_without_hard_links_and_folder_fsync_is_good_enough(
    project: Path, start_child: StartChild, method: str
) -> None:
    path = PATH if method == "write" else "game/scene/new.txt"
    rules = ("linkat:error=EPERM", "fsync:error=EINVAL:when=2", "fsetxattr:error=EOPNOTSUPP")
    assert (
        output_of(start_child("write_once.py", str(project), path, "3", method, "0", before=_strace(*rules)))
        == "success"
    )
    assert (project / path).read_bytes() == b"nnn"
    assert not list(project.rglob(".handrail-*"))


@pytest.mark.parametrize("fault", ["ENOSYS", "EPERM", "EINVAL"])
def test_where_openat2_is_refused_the_walk_takes_over(project: Path, start_child: StartChild, fault: str) -> None:
    before = _strace(f"openat2:error={fault}")
    assert output_of(start_child("which_primitive.py", str(project), PATH, before=before)) == "by_walk"


def test_an_openat2_that_is_disturbed_is_tried_again(project: Path, start_child: StartChild) -> None:
    before = _strace(
        "openat2:error=EAGAIN:when=2..9",
    )
    assert output_of(start_child("which_primitive.py", str(project), PATH, before=before)) == "by_openat2"


def test_an_openat2_that_is_disturbed_for_ever_ends(project: Path, start_child: StartChild) -> None:
    child = start_child("which_primitive.py", str(project), PATH, before=_strace("openat2:error=EAGAIN:when=2+"))
    _, err = child.communicate(timeout=60)
    assert b"InputOutput" in err
