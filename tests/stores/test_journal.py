"""An append-only file of lines that many processes share."""

import errno
import os
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.ports.errors import Conflict, InputOutput
from handrail.stores.local import journal as journal_module
from handrail.stores.local import locks, private_file
from handrail.stores.local.journal import JournalFile
from tests.stores.processes import finish, finish_killed, start


class Countdown:
    """Replaces the timer: work waits until the test advances the time."""

    def __init__(self) -> None:
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, seconds: float, work: Callable[[], None]) -> None:
        self.waiting.append((seconds, work))

    def pass_by(self) -> None:
        waiting, self.waiting = self.waiting, []
        for _, work in waiting:
            work()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "made" / "later" / "log.jsonl"


@pytest.fixture
def journal(path: Path) -> Iterator[JournalFile]:
    journal_file = JournalFile(path, path.with_name("head"), later=Countdown())
    yield journal_file
    journal_file.close()


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns the names of the files that were flushed to disk, in order."""
    names: list[str] = []

    def note(descriptor: int) -> None:
        names.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")))

    monkeypatch.setattr(private_file, "fdatasync", note)
    return names


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_lines_come_back_in_the_order_they_were_appended(journal: JournalFile) -> None:
    for text in (b"one", b"two", b""):
        journal.append(text, is_durable=False)
    assert list(journal.lines()) == [b"one\n", b"two\n", b"\n"]
    assert list(journal.lines_backwards()) == [b"\n", b"two\n", b"one\n"]


def test_its_files_and_folders_are_private_to_the_owner(journal: JournalFile, path: Path) -> None:
    with journal.lock(is_durable=True) as lock:
        lock.append(b"x")
        lock.set_mark(b"m")
    assert _mode(path) == _mode(path.with_name("head")) == 0o600
    assert _mode(path.parent) == _mode(path.parent.parent) == 0o700


def test_a_torn_last_line_stays_separate_from_the_next_one(journal: JournalFile, path: Path) -> None:
    journal.append(b"whole", is_durable=False)
    with path.open("ab") as file:
        file.write(b'{"torn":')
    journal.append(b"next", is_durable=False)
    assert path.read_bytes() == b'whole\n{"torn":\nnext\n'


def test_lines_are_split_only_on_line_feeds(journal: JournalFile) -> None:
    odd = ["a\u2028b\u2029c\u0085d".encode(), b"e\rf\x0bg\x0ch\x1c", b"\r"]
    for text in odd:
        journal.append(text, is_durable=False)
    assert [line[:-1] for line in journal.lines()] == odd
    assert [line[:-1] for line in journal.lines_backwards()] == odd[::-1]


def test_a_line_with_a_line_feed_inside_is_refused(journal: JournalFile) -> None:
    with pytest.raises(ValueError, match="line feed"):
        journal.append(b"a\nb", is_durable=False)
    assert list(journal.lines()) == []


@settings(deadline=None)
@given(st.binary(max_size=400), st.integers(2, 50))
def test_reading_backwards_is_reading_forwards_reversed(data: bytes, block: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal_module, "_BLOCK", block)
        log = Path(folder, "log")
        log.write_bytes(data)
        journal = JournalFile(log)
        forwards = list(journal.lines())
        assert b"".join(forwards) == data
        assert all(line.count(b"\n") == line.endswith(b"\n") for line in forwards)
        assert list(journal.lines_backwards()) == forwards[::-1]


def test_reading_starts_and_stops_at_the_requested_positions(journal: JournalFile) -> None:
    for text in (b"one", b"two", b"three"):
        journal.append(text, is_durable=False)
    assert list(journal.lines(4)) == [b"two\n", b"three\n"]
    assert list(journal.lines(4, until=8)) == [b"two\n"]
    assert list(journal.lines(until=6)) == [b"one\n", b"tw"]


def test_a_glimpse_of_nothing_makes_nothing(journal: JournalFile, path: Path) -> None:
    snapshot = journal.snapshot()
    assert (snapshot.size, snapshot.mark, list(journal.lines()), list(journal.lines_backwards())) == (
        None,
        None,
        [],
        [],
    )
    assert not path.parent.exists()


def test_lines_and_mark_change_together_or_not_at_all(journal: JournalFile, path: Path) -> None:
    with journal.lock(is_durable=False) as lock:
        lock.append(b"one")
        lock.set_mark(b"1")
    with pytest.raises(KeyboardInterrupt), journal.lock(is_durable=False) as lock:
        lock.append(b"two")
        lock.set_mark(b"a longer one")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"one\n"
    assert journal.snapshot().mark == b"1"


def test_a_durable_append_is_on_disk_before_it_returns_lines_first(journal: JournalFile, synced: list[str]) -> None:
    with journal.lock(is_durable=True) as lock:
        lock.append(b"one")
        lock.set_mark(b"1")
    assert synced == ["log.jsonl", "head"]


def test_many_appends_share_one_flush(path: Path, synced: list[str]) -> None:
    countdown = Countdown()
    journal = JournalFile(path, flush_after=1.0, later=countdown)
    for _ in range(100):
        journal.append(b"x", is_durable=False)
    assert synced == []
    assert [seconds for seconds, _ in countdown.waiting] == [1.0]
    countdown.pass_by()
    assert synced == ["log.jsonl"]
    countdown.pass_by()
    assert synced == ["log.jsonl"]
    journal.append(b"x", is_durable=False)
    assert len(countdown.waiting) == 1


def test_closing_flushes_pending_lines(journal: JournalFile, synced: list[str]) -> None:
    journal.append(b"x", is_durable=False)
    journal.close()
    assert synced == ["log.jsonl"]
    journal.close()
    assert synced == ["log.jsonl"]


def test_the_background_flush_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed = threading.Event()
    monkeypatch.setattr(private_file, "fdatasync", lambda descriptor: flushed.set())
    journal = JournalFile(path, flush_after=0)
    journal.append(b"x", is_durable=False)
    assert flushed.wait(30)
    journal.close()


def _broken_disk(descriptor: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_failed_fsync_is_an_error_and_leaves_the_old_content(
    journal: JournalFile, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with journal.lock(is_durable=True) as lock:
        lock.append(b"old")
        lock.set_mark(b"1")
    with monkeypatch.context() as patch:
        patch.setattr(private_file, "fdatasync", _broken_disk)
        with pytest.raises(InputOutput), journal.lock(is_durable=True) as lock:
            lock.append(b"new")
            lock.set_mark(b"2")
    assert path.read_bytes() == b"old\n"
    assert journal.snapshot().mark == b"1"
    journal.append(b"next", is_durable=True)
    assert path.read_bytes() == b"old\nnext\n"


def test_releasing_the_lock_early_lets_others_write_during_the_flush(
    path: Path, synced: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = JournalFile(path), JournalFile(path, patience=0.0)
    note = private_file.fdatasync

    def slow_disk(descriptor: int) -> None:
        monkeypatch.setattr(private_file, "fdatasync", note)
        second.append(b"meanwhile", is_durable=True)
        note(descriptor)

    monkeypatch.setattr(private_file, "fdatasync", slow_disk)
    first.append(b"one", is_durable=True, releases_early=True)
    assert path.read_bytes() == b"one\nmeanwhile\n"
    assert synced == ["log.jsonl", "log.jsonl"], "each is on disk before its own append returns"


@pytest.mark.parametrize(
    ("meanwhile", "remaining"), [([], b"old\n"), ([b"other"], b"old\nnew\nother\n")], ids=["the last", "not the last"]
)
def test_a_failure_after_releasing_the_lock_is_rolled_back_unless_others_wrote_since(
    path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: list[bytes], remaining: bytes
) -> None:
    journal, other = JournalFile(path), JournalFile(path)
    journal.append(b"old", is_durable=True)

    def broken_disk(descriptor: int) -> None:
        for line in meanwhile:
            other.append(line, is_durable=False)
        _broken_disk(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(private_file, "fdatasync", broken_disk)
        with pytest.raises(InputOutput):
            journal.append(b"new", is_durable=True, releases_early=True)
    assert path.read_bytes() == remaining
    other.append(b"next", is_durable=True)
    assert path.read_bytes() == remaining + b"next\n", "nobody holds the lock"


def test_a_flush_that_failed_in_the_background_refuses_the_next_append(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    countdown = Countdown()
    journal = JournalFile(path, later=countdown)
    journal.append(b"x", is_durable=False)
    with monkeypatch.context() as patch:
        patch.setattr(private_file, "fdatasync", _broken_disk)
        countdown.pass_by()
    with pytest.raises(InputOutput):
        journal.append(b"y", is_durable=False)
    journal.append(b"z", is_durable=False)
    assert path.read_bytes() == b"x\nz\n"


def test_a_full_disk_is_an_error_and_leaves_the_old_content(
    journal: JournalFile, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.append(b"old", is_durable=False)
    whole_write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: whole_write(descriptor, data[:5]))
        with pytest.raises(InputOutput) as refusal:
            journal.append(b"new and long", is_durable=False)
    assert refusal.value.hint == "Free some disk space."
    assert path.read_bytes() == b"old\n"


def test_a_device_that_is_really_full_refuses(tmp_path: Path) -> None:
    """/dev/full isn't a regular file, and a link to it is not followed."""
    link = tmp_path / "log"
    link.symlink_to("/dev/full")
    for log in (link, Path("/dev/full")):
        with pytest.raises(InputOutput):
            JournalFile(log).append(b"x", is_durable=False)


def test_a_moved_log_is_started_again(journal: JournalFile, path: Path) -> None:
    journal.append(b"before", is_durable=False)
    path.rename(path.with_name("old"))
    journal.append(b"after", is_durable=False)
    path.unlink()
    journal.append(b"once more", is_durable=False)
    assert path.read_bytes() == b"once more\n"
    assert path.with_name("old").read_bytes() == b"before\n"


def test_a_holder_that_never_lets_go_is_not_waited_for_without_end(path: Path) -> None:
    first, second = JournalFile(path), JournalFile(path, patience=0.0)
    with first.lock(is_durable=False):
        with pytest.raises(Conflict):
            second.append(b"x", is_durable=False)
        with pytest.raises(Conflict):
            second.snapshot()
    second.append(b"x", is_durable=False)
    first.close()
    second.close()


def test_a_lock_is_waited_for(path: Path) -> None:
    first, second = JournalFile(path), JournalFile(path)
    is_finished = threading.Event()

    def write() -> None:
        second.append(b"second", is_durable=False)
        is_finished.set()

    with first.lock(is_durable=False) as lock:
        thread = threading.Thread(target=write)
        thread.start()
        assert not is_finished.is_set()
        lock.append(b"first")
    thread.join(30)
    assert list(first.lines()) == [b"first\n", b"second\n"]


def test_threads_that_share_a_journal_do_not_interleave(journal: JournalFile) -> None:
    def write(name: int) -> None:
        for number in range(100):
            with journal.lock(is_durable=False) as lock:
                count = int(lock.mark or b"0")
                lock.append(b"%d %d" % (name, number))
                lock.set_mark(b"%d" % (count + 1))

    threads = [threading.Thread(target=write, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert journal.snapshot().mark == b"800"
    assert len(set(journal.lines())) == 800


_WRITER = """
import sys
from pathlib import Path
from handrail.stores.local.journal import JournalFile
log, name = Path(sys.argv[1]), sys.argv[2]
journal = JournalFile(log, log.with_name("head"))
for number in range(300):
    with journal.lock(is_durable=False) as held:
        held.append(f"{name} {number} {'x' * number * 20}".encode())
        held.set_mark(b"%08d" % (int(held.mark or b"0") + 1))
journal.close()
"""


def test_processes_that_share_a_journal_do_not_interleave(journal: JournalFile, path: Path) -> None:
    writers = [start(_WRITER, path, name) for name in range(4)]
    for writer in writers:
        finish(writer)
    assert journal.snapshot().mark == b"%08d" % 1200
    value = [line.split(b" ") for line in journal.lines()]
    for name in range(4):
        assert [int(number) for writer, number, _ in value if int(writer) == name] == list(range(300))
    assert all(len(filling) == int(number) * 20 + 1 for _, number, filling in value)


def test_a_forked_process_takes_its_own_lock(path: Path) -> None:
    """A descriptor that is shared with the parent would share its lock too."""
    journal = JournalFile(path, patience=0.0)
    with journal.lock(is_durable=False):
        child = os.fork()
        if child == 0:
            try:
                journal.append(b"from the child", is_durable=False)
            except Conflict:
                os._exit(7)
            os._exit(0)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
    assert list(journal.lines()) == []
    journal.close()


_DYING_HOLDER = """
import os, signal, sys
from pathlib import Path
from handrail.stores.local.journal import JournalFile
with JournalFile(Path(sys.argv[1])).lock(is_durable=False) as held:
    held.append(b"last words")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_kill_9_leaves_no_lock_behind(journal: JournalFile, path: Path) -> None:
    finish_killed(start(_DYING_HOLDER, path))
    journal.append(b"next", is_durable=False)
    assert list(journal.lines()) == [b"last words\n", b"next\n"]


def test_a_lock_file_is_private_to_the_owner(tmp_path: Path) -> None:
    with locks.exclusive(tmp_path / "lock"):
        assert _mode(tmp_path / "lock") == 0o600
        with pytest.raises(Conflict), locks.exclusive(tmp_path / "lock", patience=0.0):
            pass
