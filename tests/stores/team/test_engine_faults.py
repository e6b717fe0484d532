"""Engines that are full, frozen or being upgraded, and wrong clocks."""

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.kernel.audit import Audit
from handrail.ports.errors import Declined, Failure, InputOutput
from handrail.ports.team import Limits
from handrail.ports.tokens import TokenScope
from handrail.stores.team import setup
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.journal import TeamJournal
from handrail.stores.team.schema import STEPS, TABLES
from tests.stores.team.test_faults import opened
from tests.team_engines import Nats, Postgres, engine_folder, new_tenant
from tests.waiting import until

SKEW = 300.0
SCOPE = TokenScope("agent", "write_to_file", "digest")


@pytest.fixture
def small_postgres() -> Iterator[Postgres]:
    """PostgreSQL on a separate disk, which a test can fill."""
    with engine_folder("small") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "size=140m,mode=755", "none", str(folder)]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            pytest.skip("mounting needs root")
        server = Postgres(folder / "cluster")
        server.start()
        try:
            yield server
        finally:
            server.stop()
            subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    ballast = folder / "ballast"
    with ballast.open("wb") as file:
        try:
            while True:
                file.write(b"x" * 65_536)
                file.flush()
        except OSError:
            return ballast


@pytest.mark.trial("team", is_long=True)
async def test_on_a_full_disk_writes_are_refused_until_there_is_room(small_postgres: Postgres, nats: Nats) -> None:
    with opened(small_postgres.tenant(), nats) as team:
        audit = Audit(team.audit)
        await audit.add({"event": "before"}, durable=True)
        ballast = fill(small_postgres.folder.parent)
        refused = 0
        for number in range(400):
            try:
                await audit.add({"event": f"full {number}", "text": "y" * 60_000}, durable=True)
            except Failure:
                refused += 1
                break
        assert refused, "the disk was never full"
        ballast.unlink()
        if not small_postgres.is_running:  # PostgreSQL ends if there is no room for its own log
            small_postgres.start()
        await _again(audit)
        audit.close()
        names = [each["event"] for each in Audit(team.audit).entries()]
        assert len(names) == len(set(names))
        assert (names[0], names[-1]) == ("before", "after")
        assert Audit(team.audit).verify() == len(names)


async def _again(audit: Audit) -> None:
    while True:
        try:
            await audit.add({"event": "after"}, durable=True)
            return
        except InputOutput:
            await asyncio.sleep(0.1)


def test_a_servers_wrong_clock_does_not_change_timeouts(
    postgres: Postgres, nats: Nats, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, now = postgres.tenant(), time.time

    async def work() -> None:
        with opened(url, nats) as right, opened(url, nats) as wrong:
            for skew in (SKEW, -SKEW):
                monkeypatch.setattr(time, "time", lambda skew=skew: now() + skew)
                token = await wrong.tokens.issue(SCOPE, 60)
                expired = await wrong.tokens.issue(SCOPE, -1)
                lease = await wrong.leases.take(f"lease {skew}", 60)
                monkeypatch.setattr(time, "time", now)
                assert lease is not None
                assert await right.leases.take(lease.name, 60) is None, "it is the other's for a minute"
                await right.tokens.consume(token, SCOPE)
                with pytest.raises(Declined, match="expired"):
                    await right.tokens.consume(expired, SCOPE)
            ada, _ = right.members.add("ada", "viewer", Limits(), owner="", by="tests")
            secrets = right.team.sessions.start(ada.id, "")
            monkeypatch.setattr(time, "time", lambda: now() + SKEW)
            await wrong.members.refresh()
            assert wrong.team.sessions.find(*secrets) is not None

    asyncio.run(work())


def test_an_upgrade_while_servers_write_loses_nothing(
    postgres: Postgres, nats: Nats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From each version to the newest, with two servers of the earlier version at work."""
    owner = postgres.new_database()
    monkeypatch.setattr(setup, "STEPS", STEPS[:1])
    monkeypatch.setattr(setup, "TABLES", [name for name in TABLES if f"CREATE TABLE {name} " in STEPS[0]])
    assert setup.migrate(owner) == (0, 1)
    url = new_tenant(owner, "upgraded")
    tenant = setup.look(url).tenant
    monkeypatch.undo()
    is_over, counts, faults = threading.Event(), [0, 0], list[BaseException]()

    def write(number: int) -> None:
        database = TeamDatabase(url)
        audit = Audit(TeamJournal(database, "audit"))
        try:
            while not is_over.is_set() or counts[number] < 5:
                audit.append({"server": number, "number": counts[number]}, durable=True)
                counts[number] += 1
        except BaseException as fault:
            faults.append(fault)
        finally:
            audit.close()
            database.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for writer in writers:
        writer.start()
    until(lambda: min(counts) >= 3 or bool(faults), "the writers write nothing")
    assert setup.migrate(owner) == (1, len(STEPS))
    is_over.set()
    for writer in writers:
        writer.join()
    assert faults == []
    with opened(url, nats) as team:
        assert team.tenant == tenant
        assert Audit(team.audit).verify() == sum(counts)


@pytest.mark.trial("team", is_long=True)
async def test_a_frozen_nats_is_reported_within_seconds_and_works_again(postgres: Postgres) -> None:
    own = Nats()
    own.start()
    try:
        url = postgres.tenant()
        with opened(url, own) as one, opened(url, own) as two:
            await asyncio.to_thread(one.messages.set_answer, "ping", lambda message: {"pong": message["n"]})
            own.signal(signal.SIGSTOP)
            with pytest.raises(InputOutput, match="can't be reached"):
                await two.messages.ask_async(one.messages.server, "ping", {"n": 1})
            own.signal(signal.SIGCONT)
            assert await two.messages.ask_async(one.messages.server, "ping", {"n": 2}) == {"pong": 2}
            own.signal(signal.SIGSTOP)
            with pytest.raises(InputOutput, match="No answer"):
                await two.messages.ask_async(one.messages.server, "ping", {"n": 3})
            own.signal(signal.SIGCONT)
            assert await two.messages.ask_async(one.messages.server, "ping", {"n": 4}) == {"pong": 4}
    finally:
        own.stop()


@pytest.mark.trial("team", is_long=True)
def test_a_frozen_engine_is_named_within_seconds(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A load balancer asks `/health`, and doesn't wait."""
    with engine_folder("looked-at") as folder:
        own, nats = Postgres(folder / "cluster"), Nats()
        own.start()
        nats.start()
        try:
            with opened(own.tenant(), nats, blobs=tmp_path.as_uri()) as team:
                assert team.parts() == {"database": None, "nats": None, "blobs": None}
                for frozen, name in ((own, "database"), (nats, "nats")):
                    frozen.signal(signal.SIGSTOP)
                    begin = time.monotonic()
                    assert [part for part, fault in team.parts().items() if fault is not None] == [name]
                    assert time.monotonic() - begin < 5
                    frozen.signal(signal.SIGCONT)
                    until(lambda: set(team.parts().values()) == {None}, f"the {name} to answer again")
                nats.stop()
                until(lambda: "lost" in str(team.parts()["nats"]), "the loss of NATS to be noticed")
                nats.start()
                until(lambda: set(team.parts().values()) == {None}, "the connection to NATS")
                caplog.clear()
            assert caplog.text == "", "a connection that is closed on purpose isn't lost"
        finally:
            own.signal(signal.SIGCONT)
            own.stop()
            nats.stop()


@pytest.mark.trial("team", is_long=True)
async def test_a_frozen_postgresql_is_reported_and_nothing_is_written_twice_when_it_resumes(nats: Nats) -> None:
    with engine_folder("frozen") as folder:
        own = Postgres(folder / "cluster")
        own.start()
        try:
            with opened(own.tenant(), nats) as team:
                audit = Audit(team.audit)
                await audit.add({"event": "before"}, durable=True)
                own.signal(signal.SIGSTOP)
                with pytest.raises(Failure):
                    await audit.add({"event": "frozen"}, durable=True)
                own.signal(signal.SIGCONT)
                await _again(audit)
                audit.close()
                names = [each["event"] for each in Audit(team.audit).entries()]
                assert len(names) == len(set(names))
                assert {"before", "after"} <= set(names)
                assert Audit(team.audit).verify() == len(names)
        finally:
            own.signal(signal.SIGCONT)
            own.stop()
