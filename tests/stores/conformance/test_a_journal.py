"""A journal that many processes share, on this machine and in a team's database."""

import asyncio
import threading

import pytest

from handrail.kernel.audit import Audit
from handrail.ports.errors import Conflict
from tests.stores.conformance.conftest import ProcessStores


def test_lines_come_back_in_their_order_from_any_place_and_backwards(stores: ProcessStores) -> None:
    journal = stores.journal
    assert (journal.snapshot().size, list(journal.lines())) == (None, [])
    lines = [b"one", b"", b"three \r\x00\xff", "vier äöü".encode()]
    for line in lines:
        journal.append(line, is_durable=True)
    whole = b"".join(line + b"\n" for line in lines)
    assert b"".join(journal.lines()) == whole
    assert list(journal.lines_backwards()) == [line + b"\n" for line in reversed(lines)]
    for start in range(len(whole)):
        assert b"".join(journal.lines(start)) == whole[start:]
        assert b"".join(journal.lines(start, start + 3)) == whole[start : start + 3]
    assert journal.snapshot().size == len(whole)


def test_more_lines_than_are_read_at_once_come_back_whole(stores: ProcessStores) -> None:
    with stores.journal.lock(is_durable=False) as lock:
        for number in range(1203):
            lock.append(b"%d" % number)
    assert [int(line) for line in stores.journal.lines()] == list(range(1203))
    assert [int(line) for line in stores.journal.lines_backwards()] == list(reversed(range(1203)))


def test_lines_and_mark_change_together_or_not_at_all(stores: ProcessStores, other: ProcessStores) -> None:
    with stores.journal.lock(is_durable=True) as lock:
        lock.append(b"one")
        lock.set_mark(b"m1")
    with pytest.raises(KeyError), stores.journal.lock(is_durable=True) as lock:
        lock.append(b"two")
        lock.set_mark(b"m2")
        assert lock.read(2, 5) == b"e\ntwo"
        assert lock.size_after(b"three") == 14
        raise KeyError
    snapshot = other.journal.snapshot()
    assert (snapshot.size, snapshot.mark, list(other.journal.lines())) == (4, b"m1", [b"one\n"])


def test_a_line_with_a_line_feed_inside_is_refused(stores: ProcessStores) -> None:
    with pytest.raises(ValueError):
        stores.journal.append(b"a\nb", is_durable=False)
    assert list(stores.journal.lines()) == []


def test_a_held_lock_blocks_others_until_their_timeout(stores: ProcessStores, other: ProcessStores) -> None:
    stores.journal.append(b"one", is_durable=False)
    with stores.journal.lock(is_durable=False) as lock:
        lock.append(b"two")
        with pytest.raises(Conflict), other.journal.lock(is_durable=False, patience=0.05):
            pass
    other.journal.append(b"three", is_durable=False)
    assert list(stores.journal.lines()) == [b"one\n", b"two\n", b"three\n"]


def test_two_processes_write_one_chain(stores: ProcessStores, other: ProcessStores) -> None:
    audits = [Audit(each.journal) for each in (stores, other)]

    def write(audit: Audit) -> None:
        for number in range(20):
            audit.append({"number": number}, durable=number % 5 == 0)

    writers = [threading.Thread(target=write, args=(audit,)) for audit in audits for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert audits[0].verify() == 80
    assert [entry["seq"] for entry in audits[1].entries(reverse=True)] == list(range(80, 0, -1))


async def test_records_from_an_event_loop_share_their_trips(stores: ProcessStores) -> None:
    audit = Audit(stores.journal)
    await asyncio.gather(*(audit.add({"number": number}, durable=number % 2 == 0) for number in range(200)))
    audit.flush()
    assert audit.verify() == 200
