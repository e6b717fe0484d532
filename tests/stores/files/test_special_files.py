"""Pipes, sockets and devices: refused at once, never waited for."""

import os
import socket
import stat
from pathlib import Path

import pytest

from handrail.ports.errors import InputOutput
from handrail.ports.files import Folder
from handrail.stores.local.files.beneath import Opener
from handrail.stores.local.files.folder import LocalFolder
from tests.stores.files.test_links import ON_FILES


@pytest.fixture(params=["pipe", "socket", "device"])
def special(request: pytest.FixtureRequest, project: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = project / "special"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "socket":
        monkeypatch.chdir(project)  # a socket's path must be short
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind("special")
    else:
        try:
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        except PermissionError:
            pytest.skip("only root makes device nodes")
    return "special"


@pytest.mark.parametrize("attempt", [name for name in ON_FILES if name != "mode"])
def test_special_files_are_refused_with_their_own_error(
    folder: Folder, special: str, project: Path, attempt: str
) -> None:
    before = (project / special).lstat()
    with pytest.raises(InputOutput, match="not a regular file"):
        ON_FILES[attempt](folder, special)
    assert os.path.samestat((project / special).lstat(), before)


def test_special_files_are_listed_as_neither_folder_nor_link(folder: Folder, special: str) -> None:
    entry = next(entry for entry in folder.entries(".") if entry.name == special)
    assert not entry.is_folder
    assert not entry.is_link


def test_a_device_of_the_system_is_refused(opener: Opener) -> None:
    dev = LocalFolder.open("/dev", opener=opener)
    for name in ("zero", "null", "random"):
        with pytest.raises(InputOutput, match="not a regular file"):
            dev.read(name)
    dev.close()
