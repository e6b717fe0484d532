"""Locks between threads and between processes."""

import threading
import time
from pathlib import Path

import pytest

from handrail.ports.errors import Conflict
from handrail.ports.files import Folder
from tests.stores.files.scenery import StartChild, output_of, ready


@pytest.mark.alone
def test_a_held_lock_is_a_conflict_after_the_timeout_and_free_once_released(folder: Folder) -> None:
    own = folder.subfolder(".handrail")
    with own.lock("lock", 0):
        for timeout in (0, 0.05):
            begin = time.monotonic()
            with pytest.raises(Conflict), own.lock("lock", timeout):
                pass
            assert timeout <= time.monotonic() - begin < timeout + 1
        with own.lock("another", 0):
            pass
    with own.lock("lock", 0):
        pass


def test_a_lock_is_free_after_its_block_failed(folder: Folder) -> None:
    with pytest.raises(ZeroDivisionError), folder.lock("lock", 0):
        raise ZeroDivisionError
    with folder.lock("lock", 0):
        pass


def test_threads_exclude_each_other(folder: Folder) -> None:
    inside = 0
    most = 0

    def enter() -> None:
        nonlocal inside, most
        for _ in range(25):
            with folder.lock("lock", 30):
                inside += 1
                most = max(most, inside)
                folder.entries(".")  # gives the others a chance
                inside -= 1

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_processes_exclude_each_other(folder: Folder, project: Path, start_child: StartChild) -> None:
    own = folder.subfolder(".handrail")
    own.write("count", b"0")
    children = [start_child("count_under_lock.py", str(project), "100") for _ in range(3)]
    for child in children:
        output_of(child)
    assert own.read("count") == b"300"


def test_a_killed_lock_holder_does_not_block_others(folder: Folder, project: Path, start_child: StartChild) -> None:
    own = folder.subfolder(".handrail")
    child = start_child("hold_lock.py", str(project), "lock")
    ready(child)
    with pytest.raises(Conflict), own.lock("lock", 0):
        pass
    child.kill()
    child.wait()
    with own.lock("lock", 1):
        pass


def test_a_lock_on_a_removed_file_is_acquired_again(folder: Folder, project: Path) -> None:
    own = folder.subfolder(".handrail")
    with own.lock("lock", 0):
        (project / ".handrail/lock").unlink()
        with own.lock("lock", 0):
            assert (project / ".handrail/lock").exists()
