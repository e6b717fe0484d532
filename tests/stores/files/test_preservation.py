"""What a write preserves: every byte, the mode, the owner, and extended attributes."""

import os
import stat
from pathlib import Path

import pytest

from handrail.ports.files import Folder

PATH = "game/scene/start.txt"


@pytest.mark.parametrize("is_durable", [True, False])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no last newline",
        b"\xef\xbb\xbfBOM\n",
        b"a\r\nb\nc\rd",
        b"\0\xff\xfe",
        b"\n" * 3,
        bytes(range(256)) * 9999,
    ],
    ids=["empty", "no newline", "BOM", "line endings", "binary", "blank lines", "large"],
)
def test_every_byte_survives(folder: Folder, data: bytes, is_durable: bool) -> None:
    folder.write(PATH, data, is_durable=is_durable)
    assert folder.read(PATH) == data
    folder.create("new.txt", data, is_durable=is_durable)
    assert folder.read("new.txt") == data


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o444, 0o400, 0o666, 0o777])
def test_the_mode_survives(folder: Folder, project: Path, mode: int) -> None:
    (project / PATH).chmod(mode)
    folder.write(PATH, b"new")
    assert folder.mode(PATH) == mode
    assert folder.read(PATH) == b"new"


def test_set_uid_is_lost_as_with_any_write(folder: Folder, project: Path) -> None:
    (project / PATH).chmod(0o6755)
    folder.write(PATH, b"new")
    assert folder.mode(PATH) == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_survives(folder: Folder, project: Path) -> None:
    os.chown(project / PATH, 12345, 23456)
    (project / PATH).chmod(0o640)
    folder.write(PATH, b"new")
    status = (project / PATH).stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 23456, 0o640)


def test_extended_attributes_survive(folder: Folder, project: Path) -> None:
    try:
        os.setxattr(project / PATH, "user.note", b"\0kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    os.setxattr(project / PATH, "user.empty", b"")
    (project / PATH).chmod(0o444)
    folder.write(PATH, b"new")
    assert os.getxattr(project / PATH, "user.note") == b"\0kept"
    assert os.getxattr(project / PATH, "user.empty") == b""
    assert folder.mode(PATH) == 0o444


def test_another_name_of_the_same_file_keeps_the_old_content(folder: Folder, project: Path, outside: Path) -> None:
    os.link(outside / "start.txt", project / "linked.txt")
    folder.write("linked.txt", b"new")
    assert folder.read("linked.txt") == b"new"


@pytest.mark.parametrize("is_durable", [True, False])
def test_nothing_else_in_the_folder_changes(folder: Folder, project: Path, is_durable: bool) -> None:
    for number in range(3):
        folder.write(PATH, b"%d" % number, is_durable=is_durable)
        assert [path.name for path in (project / "game/scene").iterdir()] == ["start.txt"]
        assert (project / PATH).stat().st_nlink == 1
