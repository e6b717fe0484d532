"""Records on their way into the audit: together where many wait, late where somebody else has the log, never lost."""

import asyncio
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.kernel.audit import Audit
from handrail.ports.errors import Conflict
from handrail.stores.local import private_file
from handrail.stores.local.journal import JournalFile
from tests.waiting import until


@pytest.fixture
def audit(tmp_path: Path) -> Iterator[Audit]:
    journal = JournalFile(tmp_path / "log.jsonl", tmp_path / "head", patience=0.2, later=lambda seconds, work: None)
    opened = Audit(journal)
    opened.append({"event": "first"})
    yield opened
    opened.close()


class Elsewhere:
    """Another process that has the log: a lock knows open files, so another one of these does."""

    def __init__(self, folder: Path) -> None:
        self._descriptor = os.open(folder / "log.jsonl", os.O_RDWR)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def lets_go(self) -> None:
        os.close(self._descriptor)


def events(audit: Audit) -> list[str]:
    assert audit.verify()
    return [record["event"] for record in audit.entries()]


async def test_records_that_wait_share_one_trip_to_the_disk(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    trips: list[int] = []
    real = private_file.fdatasync

    def counted(descriptor: int) -> None:
        trips.append(descriptor)
        real(descriptor)

    monkeypatch.setattr(private_file, "fdatasync", counted)
    await asyncio.gather(*(audit.add({"event": str(number)}, durable=True) for number in range(50)))
    assert sorted(events(audit)[1:], key=int) == [str(number) for number in range(50)]
    assert len(trips) < 50


async def test_a_thread_writes_its_own_record_and_later_records_share_the_next_write(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit.append({"event": "second"}, durable=True)  # the first one takes the head to the disk, too
    trips: list[threading.Thread] = []
    real = private_file.fdatasync

    def counted(descriptor: int) -> None:
        trips.append(threading.current_thread())
        until(lambda: len(trips) > 1 or len(audit._queue._waiting) == 3)
        real(descriptor)

    monkeypatch.setattr(private_file, "fdatasync", counted)
    first = threading.Thread(target=audit.put, args=({"event": "0"},), kwargs={"durable": True})
    first.start()
    until(lambda: trips)
    await asyncio.gather(*(asyncio.to_thread(audit.put, {"event": str(number)}, durable=True) for number in (1, 2, 3)))
    first.join()
    assert sorted(events(audit)) == ["0", "1", "2", "3", "first", "second"]
    assert (len(trips), trips[0]) == (2, first)


async def test_a_thread_is_told_when_its_record_could_not_be_written(audit: Audit, tmp_path: Path) -> None:
    other = Elsewhere(tmp_path)
    with pytest.raises(Conflict, match="held a lock"):
        await asyncio.to_thread(audit.put, {"event": "begin"}, durable=True)
    other.lets_go()
    await asyncio.to_thread(audit.put, {"event": "later"}, durable=True)
    assert events(audit) == ["first", "later"]


async def test_a_record_that_need_not_be_durable_holds_nobody_up_and_follows(audit: Audit, tmp_path: Path) -> None:
    other = Elsewhere(tmp_path)
    for number in range(3):
        await audit.add({"event": f"read {number}"})
    assert (tmp_path / "log.jsonl").read_bytes().count(b"\n") == 1, "nothing is written where somebody else writes"
    other.lets_go()
    await asyncio.to_thread(audit.flush)
    assert events(audit) == ["first", "read 0", "read 1", "read 2"]


async def test_a_durable_record_fails_with_a_clear_error_and_late_ones_stay(audit: Audit, tmp_path: Path) -> None:
    other = Elsewhere(tmp_path)
    await audit.add({"event": "read"})
    with pytest.raises(Conflict, match="held a lock"):
        await audit.add({"event": "begin"}, durable=True)
    other.lets_go()
    await audit.add({"event": "later"}, durable=True)
    assert events(audit) == ["first", "read", "later"]


async def test_a_caller_cancelled_while_its_record_is_written_waits_for_the_write(audit: Audit, tmp_path: Path) -> None:
    other = Elsewhere(tmp_path)
    adding = asyncio.create_task(audit.add({"event": "begin"}, durable=True))
    await asyncio.sleep(0)
    adding.cancel()
    await asyncio.sleep(0)
    assert not adding.done()
    other.lets_go()
    with pytest.raises(asyncio.CancelledError):
        await adding
    assert events(audit) == ["first", "begin"]


async def test_what_the_log_never_takes_is_told_when_the_audit_is_closed(
    audit: Audit, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = Elsewhere(tmp_path)
    await audit.add({"event": "read"})
    await asyncio.to_thread(audit.close)
    assert "a record of the audit is lost" in caplog.text
    other.lets_go()
