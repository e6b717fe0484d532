"""Many small writes share a commit: in order, each with its own outcome, and visible to later reads."""

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from handrail.ports.errors import Conflict, InputOutput
from handrail.stores.local.batches import SqliteBatches
from handrail.stores.local.database import Database
from handrail.stores.shared.batches import Statement


def make(connection: Any) -> None:
    connection.execute("CREATE TABLE item (number INTEGER PRIMARY KEY)")
    connection.create_function("thread", 0, threading.get_ident)


def insert(number: int) -> Statement:
    return Statement("INSERT INTO item (number) VALUES ($1)", (number,))


async def numbers(batches: SqliteBatches) -> list[int]:
    return [number for (number,) in await batches.rows("SELECT number FROM item ORDER BY number")]


def open_batches(folder: Path) -> SqliteBatches:
    return SqliteBatches(Database(folder / "rows.db", steps=[make]))


def test_a_read_sees_every_write_that_was_asked_for_before(tmp_path: Path) -> None:
    async def run() -> None:
        batches = open_batches(tmp_path)
        for number in range(500):
            batches.write(insert(number))
        assert await numbers(batches) == list(range(500))
        await batches.close()

    asyncio.run(run())


def test_a_failing_write_does_not_fail_others(tmp_path: Path) -> None:
    nothing = Statement("UPDATE item SET number = 8 WHERE number = 9", refusal=Conflict("no"))

    async def run() -> None:
        batches = open_batches(tmp_path)
        outcomes = await asyncio.gather(
            batches.write(insert(1)),
            batches.write(insert(7), nothing),
            batches.write(insert(1)),
            batches.write(insert(2)),
            return_exceptions=True,
        )
        assert [type(outcome) for outcome in outcomes] == [type(None), Conflict, InputOutput, type(None)]
        assert await numbers(batches) == [1, 2]
        await batches.close()

    asyncio.run(run())


def test_an_abandoned_write_is_still_carried_out(tmp_path: Path) -> None:
    async def run() -> None:
        batches = open_batches(tmp_path)
        waiting = asyncio.ensure_future(batches.write(insert(1)))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        batches.write(insert(2))
        await batches.close()
        again = open_batches(tmp_path)
        assert await numbers(again) == [1, 2]
        await again.close()

    asyncio.run(run())


def test_a_read_sees_an_abandoned_write(tmp_path: Path) -> None:
    async def run() -> None:
        batches = open_batches(tmp_path)
        writes = [batches.write(insert(number)) for number in range(50)]
        for write in writes:
            write.cancel()
        assert await numbers(batches) == list(range(50))
        await batches.close()

    asyncio.run(run())


def test_sqlite_never_runs_on_the_loops_thread(tmp_path: Path) -> None:
    async def run() -> None:
        batches = open_batches(tmp_path)
        await batches.execute("INSERT INTO item (number) VALUES (thread())")
        threads = await batches.rows("SELECT number FROM item UNION SELECT thread()")
        assert (threading.get_ident(),) not in threads
        await batches.close()

    asyncio.run(run())


def test_the_event_loop_is_not_blocked_by_other_writers(tmp_path: Path) -> None:
    async def run() -> None:
        batches = open_batches(tmp_path)
        await batches.write(insert(1))
        with closing(sqlite3.connect(tmp_path / "rows.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            waiting = batches.write(insert(2))
            await asyncio.sleep(0)
            assert not waiting.done()
            other.execute("COMMIT")
        await waiting
        assert await numbers(batches) == [1, 2]
        await batches.close()

    asyncio.run(run())


def test_the_log_does_not_grow_with_the_writes(tmp_path: Path) -> None:
    async def run() -> int:
        batches = open_batches(tmp_path)
        for number in range(1000):
            await batches.write(insert(number))
            await asyncio.sleep(0)
        size = (tmp_path / "rows.db-wal").stat().st_size
        await batches.close()
        return size

    assert asyncio.run(run()) < 300 * 3 * 4200
