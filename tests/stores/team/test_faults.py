"""Faults of a team's engines and servers: nothing is lost and nothing is applied twice."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handrail.kernel.audit import Audit
from handrail.kernel.checkpoint_maker import CheckpointMaker
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.kernel.record_check import verify_record
from handrail.ports.errors import Conflict, InputOutput, NotFound
from handrail.ports.journal import OutcomeUnknown
from handrail.ports.tokens import TokenScope
from handrail.stores.team import setup
from handrail.stores.team.factory import OpenTeam, TeamAddress
from handrail.stores.team.journal import TeamJournal
from handrail.stores.team.leases import TeamLeases, fence
from handrail.stores.team.messages import NoSuchServer
from handrail.stores.team.record import make_key
from tests.stores.team.cut_proxy import CutProxy
from tests.team_engines import S3, Nats, Postgres, engine_folder
from tests.waiting import eventually

ASK = {"kind": "kv", "title": "Name", "fields": [{"key": "name"}]}
OK = {"status": "ok", "values": {"name": "Ada"}}


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    """A PostgreSQL that the test may stop; it writes durably."""
    with engine_folder("postgres", on_disk=True) as folder:
        server = Postgres(folder / "cluster", is_durable=True)
        server.start()
        yield server
        server.stop()


@contextmanager
def opened(url: str, nats: Nats, **more: object) -> Iterator[OpenTeam]:
    team = OpenTeam(TeamAddress(url, nats.url, **more))  # type: ignore[arg-type]
    yield team
    team.close()


@pytest.fixture
def team(postgres: Postgres, nats: Nats) -> Iterator[OpenTeam]:
    with opened(postgres.tenant(), nats) as team:
        yield team


@pytest.mark.trial("team", is_long=True)
async def test_a_postgresql_restart_loses_neither_writes_nor_waiters(own_postgres: Postgres, nats: Nats) -> None:
    with opened(own_postgres.tenant(), nats) as team:
        queue, scope = LogPromptQueue(team.prompts), TokenScope("a", "b", "c" * 64)
        waiting = asyncio.create_task(queue.ask(ASK, request_id="r1"))
        await eventually(lambda: queue.find("r1"))
        audit, token = Audit(team.audit), await team.tokens.issue(scope, 60)
        for number in range(10):
            await audit.add({"number": number}, durable=True)
        await asyncio.to_thread(own_postgres.stop)
        with pytest.raises(InputOutput):
            await team.tokens.consume(token, scope)
        with pytest.raises(InputOutput):
            await audit.add({"number": 10}, durable=True)
        await asyncio.to_thread(own_postgres.start)
        await team.tokens.consume(token, scope)
        assert await asyncio.to_thread(audit.verify) == 10
        assert not waiting.done()
        await queue.respond("r1", OK)
        assert (await waiting).response.values == {"name": "Ada"}
        await queue.close()


async def test_when_nats_restarts_secrets_and_presence_work_again(postgres: Postgres) -> None:
    nats = Nats()
    nats.start()
    url = postgres.tenant()
    secret = {"kind": "kv", "title": "Password", "fields": [{"key": "word", "secret": True}]}
    with opened(url, nats) as one, opened(url, nats) as two:
        asking, answering = LogPromptQueue(one.prompts), LogPromptQueue(two.prompts)
        waiting = asyncio.create_task(asking.ask(secret, request_id="r1"))
        await eventually(lambda: answering.is_waiting("r1"))
        await asyncio.to_thread(nats.restart)

        async def is_heard() -> bool:
            """The subscription works again once the other server answers."""
            try:
                return await two.messages.ask_async(one.messages.server, "waiter", {"numbers": []}) is not None
            except (NoSuchServer, InputOutput):
                return False

        await eventually(is_heard)
        assert not (await answering.respond("r1", {"status": "ok", "values": {"word": "hunter2"}})).warnings
        assert (await waiting).response.values == {"word": "hunter2"}
        await asking.close()
        await answering.close()
    nats.stop()


_HOLDING = """
import sys
from handrail.stores.team import database, journal
database.SETTINGS["idle_in_transaction_session_timeout"] = "200"
opened = journal.TeamJournal(database.TeamDatabase(sys.argv[1]), "log")
try:
    with opened.lock(is_durable=True) as held:
        held.append(b"from the frozen one")
        print("held", flush=True)
        sys.stdin.readline()
except Exception as fault:
    print(type(fault).__name__, flush=True)
else:
    print("written", flush=True)
"""


def _started(url: str) -> "subprocess.Popen[str]":
    words = [sys.executable, "-c", _HOLDING, url]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


async def test_a_frozen_server_blocks_others_only_briefly_and_writes_nothing_when_it_resumes(
    postgres: Postgres, team: OpenTeam
) -> None:
    journal, url = TeamJournal(team.database, "log"), team.address.database
    frozen = await asyncio.to_thread(_started, url)
    assert frozen.stdin is not None
    assert frozen.stdout is not None
    try:
        assert await asyncio.to_thread(frozen.stdout.readline) == "held\n"
        os.kill(frozen.pid, signal.SIGSTOP)
        await asyncio.to_thread(journal.append, b"from another", is_durable=True)
        os.kill(frozen.pid, signal.SIGCONT)
        frozen.stdin.write("\n")
        frozen.stdin.flush()
        assert await asyncio.to_thread(frozen.stdout.readline) == "InputOutput\n"
    finally:
        frozen.kill()
        frozen.communicate()
    assert await asyncio.to_thread(lambda: list(journal.lines())) == [b"from another\n"]


async def test_a_lease_has_one_holder_and_the_previous_one_writes_nothing(team: OpenTeam) -> None:
    first, second = TeamLeases(team.database, "first"), TeamLeases(team.database, "second")
    lease = await first.take("run-1", 60)
    assert lease is not None
    assert await second.take("run-1", 60) is None
    assert await first.take("run-1", 60) == lease
    await team.database.write(lambda rows: fence(rows, lease))
    await first.give_back(lease)
    later = await second.take("run-1", 60)
    assert later is not None
    assert later.epoch == lease.epoch + 1
    assert not await first.keep(lease, 60)
    with pytest.raises(Conflict):
        await team.database.write(lambda rows: fence(rows, lease))
    await team.database.write(lambda rows: fence(rows, later))


async def test_an_expired_lease_is_lost_even_if_unclaimed(team: OpenTeam) -> None:
    leases = TeamLeases(team.database, "first")
    lease = await leases.take("run-1", 0)
    assert lease is not None
    assert not await leases.keep(lease, 60)
    with pytest.raises(Conflict):
        await team.database.write(lambda rows: fence(rows, lease))
    again = await leases.take("run-1", 60)
    assert again is not None
    assert again.epoch == lease.epoch + 1


async def test_only_one_of_many_concurrent_claims_gets_a_lease(team: OpenTeam) -> None:
    holders = [TeamLeases(team.database, f"server-{number}") for number in range(10)]
    result = await asyncio.gather(*(each.take("run-1", 60) for each in holders))
    assert sum(lease is not None for lease in result) == 1


@pytest.fixture
def s3_settings(s3: S3, monkeypatch: pytest.MonkeyPatch) -> S3:
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    return s3


@pytest.mark.trial("team", is_long=True)
def test_evidence_in_a_bucket_is_written_once(team: OpenTeam, s3_settings: S3, nats: Nats) -> None:
    with opened(team.address.database, nats, blobs=s3_settings.new_bucket()) as with_bucket:
        folder = with_bucket.blobs("evidence")
        folder.put("a/request.json", b"first")
        with pytest.raises(Conflict):
            folder.put("a/request.json", b"second")
        assert folder.read("a/request.json") == b"first"
        assert list(folder.names("a")) == ["request.json"]
        with pytest.raises(NotFound):
            folder.read("a/other.json")


def test_a_bucket_that_refuses_writes_is_reported(team: OpenTeam, nats: Nats, monkeypatch: pytest.MonkeyPatch) -> None:
    s3 = S3()
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    with opened(team.address.database, nats, blobs="s3://nowhere") as away:
        with pytest.raises(InputOutput, match="nowhere"):
            away.blobs("evidence").put("a", b"x")
        assert away.parts()["blobs"] is not None
        assert away.parts()["database"] is None


def test_a_forged_checkpoint_and_a_rolled_back_audit_are_found(
    postgres: Postgres, nats: Nats, s3_settings: S3, tmp_path: Path
) -> None:
    url, key = postgres.tenant(), tmp_path / "team.key"
    tenant, public = setup.look(url).tenant, make_key(tmp_path / "team.key")
    with opened(url, nats, blobs=s3_settings.new_bucket(), signing_key=key) as team:
        keeper = CheckpointMaker(team.audit, team.record)
        audit = Audit(team.audit)
        for number in range(5):
            audit.append({"number": number})
        first = keeper.checkpoint()
        assert first is not None
        assert first.key == public
        for number in range(5):
            audit.append({"number": number})
        assert keeper.checkpoint() is not None
        assert verify_record(audit, team.record()).is_intact
        with opened(url, nats, public_key="00" * 32) as stranger:
            assert "key" in " ".join(verify_record(audit, stranger.record()).faults)
        row = f"tenant = '{tenant}' AND journal = 'checkpoints' AND start > 0"
        changed = "convert_to(replace(convert_from(line, 'UTF8'), '\"count\":10', '\"count\":11'), 'UTF8')"
        postgres.sql(f"UPDATE handrail.journal_line SET line = {changed} WHERE {row}", postgres.team)
        assert not verify_record(audit, team.record()).is_intact
        postgres.sql(f"DELETE FROM handrail.journal_line WHERE {row}", postgres.team)
        rolled_back = verify_record(audit, team.record())
        assert not rolled_back.is_intact, "the witness in the bucket knows the checkpoint that is gone"


def test_two_servers_make_checkpoints_in_turn(postgres: Postgres, nats: Nats, tmp_path: Path) -> None:
    url, key = postgres.tenant(), tmp_path / "team.key"
    make_key(key)
    with opened(url, nats, signing_key=key) as one, opened(url, nats, signing_key=key) as two:
        for team in (one, two, one, two):
            Audit(team.audit).append({"from": team.team.server}, durable=True)
            assert CheckpointMaker(team.audit, team.record).checkpoint() is not None
        findings = verify_record(Audit(one.audit), one.record())
        assert (findings.is_intact, findings.checkpoints, findings.covered) == (True, 4, 4), findings.faults


@pytest.mark.parametrize(
    ("is_first", "trigger"),
    [pytest.param(True, b"COMMIT", id="a transaction"), pytest.param(False, b"marker-1", id="one trip")],
)
async def test_a_connection_lost_at_commit_puts_no_record_in_twice_and_none_is_called_lost(
    postgres: Postgres, nats: Nats, is_first: bool, trigger: bytes
) -> None:
    url = postgres.tenant()
    proxy = CutProxy(url)
    try:
        with opened(proxy.url, nats) as team, opened(url, nats) as other:
            audit = Audit(team.audit)
            if not is_first:
                await audit.add({"event": "before"}, durable=True)
                await audit.add({"event": "and before"}, durable=True)
            proxy.arm(trigger)
            await asyncio.gather(*(audit.add({"event": f"marker-{each}"}, durable=True) for each in (1, 2, 3)))
            assert proxy.was_cut.is_set()
            audit.close()
            written = [each["event"] for each in Audit(other.audit).entries()]
            assert sorted(each for each in written if each.startswith("marker")) == ["marker-1", "marker-2", "marker-3"]
            assert Audit(other.audit).verify() == len(written)
    finally:
        proxy.close()


async def test_a_record_with_an_unknown_outcome_is_not_written_again(own_postgres: Postgres, nats: Nats) -> None:
    url = own_postgres.tenant()
    proxy = CutProxy(url)
    try:
        with opened(proxy.url, nats) as team:
            audit = Audit(team.audit)
            await audit.add({"event": "before"}, durable=True)
            await audit.add({"event": "and before"}, durable=True)
            proxy.arm(b"marker-1")
            proxy.close()  # the outcome can't be looked up
            adding = [asyncio.ensure_future(audit.add({"event": f"marker-{each}"}, durable=True)) for each in (1, 2, 3)]
            outcomes = await asyncio.gather(*adding, return_exceptions=True)
            assert proxy.was_cut.is_set()
            assert isinstance(outcomes[0], OutcomeUnknown)
            with opened(url, nats) as other:
                written = [each["event"] for each in Audit(other.audit).entries()]
            assert len(written) == len(set(written))
    finally:
        proxy.close()
