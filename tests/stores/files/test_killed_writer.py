"""kill -9 at any moment: the file is complete, and leftovers can be removed."""

import os
import threading
from pathlib import Path

import pytest

from handrail.ports.files import Folder
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.files.temporary import backup_name, temporary_name
from tests.effort import chance, count, tries
from tests.stores.files.scenery import StartChild, go, ready
from tests.waiting import let_run

SIZE = 3_000_000


@pytest.mark.trial("kill")
@pytest.mark.parametrize("is_durable", [True, False])
def test_a_killed_writer_leaves_one_of_the_two_contents(
    project: Path, start_child: StartChild, is_durable: bool
) -> None:
    folder = LocalFolder.open(str(project))
    path = "game/big.txt"
    whole = {letter * SIZE for letter in (b"a", b"b")}
    folder.write(path, b"a" * SIZE)
    moments = chance()
    kills = leftovers = 0
    # Starting an interpreter takes longer than a write: the next ones start while one works.
    waiting = [start_child("write_forever.py", *_args(project, path, is_durable)) for _ in range(3)]
    while (kills := kills + 1) <= tries(10, 100) or leftovers == 0:
        count()
        child = waiting.pop(0)
        waiting.append(start_child("write_forever.py", *_args(project, path, is_durable)))
        ready(child)
        go(child)
        let_run(child, moments.uniform(0, 0.03))
        child.kill()
        child.wait()
        leftovers += len(_ours(project))
        assert folder.read(path) in whole
        if moments.random() < 0.5:  # otherwise the next writer has to deal with the leftover
            folder.sweep(path)
            assert _ours(project) == []
    folder.sweep(path)
    assert _ours(project) == []
    folder.write(path, b"alive")
    assert folder.read(path) == b"alive"
    folder.close()


def _args(project: Path, path: str, is_durable: bool) -> tuple[str, ...]:
    return str(project), path, str(SIZE), str(int(is_durable)), "ab"


def _ours(project: Path) -> list[str]:
    return [path.name for path in project.rglob(".handrail-*")]


def test_a_leftover_is_swept_and_does_not_stop_the_next_write(folder: Folder, project: Path) -> None:
    for name in (temporary_name("game/x"), backup_name("game/x")):
        (project / "game" / name.decode()).write_bytes(b"half")
    folder.sweep("game/x")
    folder.sweep("game/x")
    folder.sweep("no/such/folder")
    assert _ours(project) == []
    for is_durable in (True, False):
        for name in (temporary_name("game/x"), backup_name("game/x")):
            (project / "game" / name.decode()).write_bytes(b"half")
        folder.write("game/x", b"whole", is_durable=is_durable)
        folder.sweep("game/x")
        assert folder.read("game/x") == b"whole"
        assert _ours(project) == []


def test_a_live_writer_is_not_swept(folder: Folder, project: Path) -> None:
    def sweep() -> None:
        folder.sweep("game/x")
        assert _ours(project) == [temporary_name("game/x").decode()]

    folder.write("game/x", b"whole", guard=sweep)
    assert folder.read("game/x") == b"whole"


@pytest.mark.trial("race")
def test_concurrent_writes_to_one_path_are_never_mixed(project: Path, start_child: StartChild) -> None:
    """Four writers in two processes and two threads share one temporary name; the reader sees only whole contents."""
    folder = LocalFolder.open(str(project))
    size = 200_000
    folder.write("game/x", b"0" * size)
    children = [
        start_child("write_forever.py", str(project), "game/x", str(size), "0", letters) for letters in ("ab", "cd")
    ]
    for child in children:
        ready(child)
        go(child)
    is_over = threading.Event()
    failures: list[BaseException] = []

    def write(letter: bytes) -> None:
        try:
            while not is_over.is_set():
                folder.write("game/x", letter * size, is_durable=False)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in (b"e", b"f")]
    for thread in threads:
        thread.start()
    values = set[bytes]()
    reads = 0
    while (reads := reads + 1) < tries(500, 20_000) or len(values) <= 2:
        count()
        data = folder.read("game/x")
        assert data == data[:1] * size
        values.add(data[:1])
    is_over.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert all(child.poll() is None for child in children)
    for child in children:
        child.kill()
        child.wait()
    assert len(values) > 2
    folder.sweep("game/x")
    assert sorted(os.listdir(project / "game")) == ["scene", "x"]
    folder.close()
