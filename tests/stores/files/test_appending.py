"""Lines appended to a file with several writers: complete, in the right folder, or not at all."""

import os
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handrail.ports.errors import InputOutput, OutsideRoot
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.files.workspaces import Workspaces


def test_lines_of_many_writers_stay_whole(tmp_path: Path) -> None:
    folder = LocalFolder.open(str(tmp_path))
    lines = [b"%d:%s\n" % (n, b"x" * 5_000) for n in range(200)]
    with ThreadPoolExecutor(8) as writers:
        list(writers.map(lambda line: folder.append("a/b/log", line), lines))
    assert sorted((tmp_path / "a/b/log").read_bytes().splitlines(keepends=True)) == sorted(lines)


def test_a_torn_tail_gets_the_line_end_that_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"one\ntor")
    LocalFolder.open(str(tmp_path)).append("log", b"two\n")
    assert (tmp_path / "log").read_bytes() == b"one\ntor\ntwo\n"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "log").symlink_to(tmp_path / "victim")
    with pytest.raises(OutsideRoot):
        LocalFolder.open(str(folder)).append("log", b"x\n")
    assert (tmp_path / "victim").read_bytes() == b"mine"


def test_a_failed_append_is_rolled_back(tmp_path: Path) -> None:
    folder = LocalFolder.open(str(tmp_path))
    folder.append("log", b"first\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    child = os.fork()
    if child == 0:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
        try:
            folder.append("log", b"much too long\n")
        except InputOutput:
            os._exit(7)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
    assert (tmp_path / "log").read_bytes() == b"first\n"
    assert soft == resource.getrlimit(resource.RLIMIT_FSIZE)[0]


def test_a_workspace_that_becomes_a_link_after_the_look_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "work").mkdir(parents=True)
    outside.mkdir()
    (root / "alias").symlink_to("work")
    workspaces = Workspaces(str(root))
    resolve = os.path.realpath

    def swapped(path: str, *, strict: bool = False) -> str:
        resolved = resolve(path, strict=strict)
        if not (root / "work").is_symlink():
            (root / "work").rmdir()
            (root / "work").symlink_to(outside)
        return resolved

    monkeypatch.setattr(os.path, "realpath", swapped)
    with pytest.raises(OutsideRoot):
        workspaces.open(str(root / "alias"))
    with pytest.raises(OutsideRoot):
        workspaces.open(str(root / "work"))
    workspaces.close()


def test_a_links_status_is_read_without_following_it(tmp_path: Path) -> None:
    folder = LocalFolder.open(str(tmp_path))
    (tmp_path / "file").write_text("x")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert [folder.has(name) for name in ("file", "dangling", "missing")] == [True, True, False]
