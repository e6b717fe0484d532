"""A team's server: a read and the local server's, the audit and bare inserts, an approval and a bare LISTEN."""

import asyncio
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import asyncpg
import httpx2 as httpx

from bench import team_browsers
from bench.audit_append import RECORD
from bench.comparison import Comparison, in_turns
from handrail.kernel.audit import Audit
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.stores.team.factory import OpenTeam, TeamAddress
from tests.credentials import agent_token
from tests.features.team.servers import ACCEPT, Team
from tests.team_engines import S3, Nats, Postgres, engine_folder, free_port
from tests.waiting import eventually, until

_READS = 300
_WRITERS = 16
_RECORDS = 100
_APPROVALS = 60
_ASK = {"kind": "kv", "title": "Name", "fields": [{"key": "name"}]}
_ANSWER = {"status": "ok", "values": {"name": "Ada"}}
_CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
         "params": {"name": "read_file", "arguments": {"path": "README.md"}}}  # fmt: skip


def measure() -> list[Comparison]:
    nats, s3 = Nats(), S3()
    with engine_folder("bench", on_disk=True) as folder, tempfile.TemporaryDirectory() as where:
        postgres = Postgres(folder / "postgres", is_durable=True)
        engines = (postgres, nats, s3)
        for engine in engines:
            engine.start()
        team = Team(Path(where), postgres, nats, s3)
        try:
            return [
                _compare_read(team),
                _compare_audit(postgres, nats),
                _compare_approval(postgres, nats),
                team_browsers.compare_across(team),
                *team_browsers.many(team),
            ]
        finally:
            team.stop()
            for engine in reversed(engines):
                engine.stop()


def _compare_read(team: Team) -> Comparison:
    (server,) = team.start()
    with _reader(server.url, team.token("bench", "agent")) as ours, _local(team) as theirs:
        times = in_turns(ours, theirs, rounds=_READS, warm_up=20)
    return Comparison("allowed read over MCP HTTP, one team server", "local server", *times, target=2)


@contextmanager
def _local(team: Team) -> Iterator[Callable[[], None]]:
    state, port = team.where / "local", free_port()
    words = [sys.executable, "-m", "handrail", "up", "--project", str(team.project), "--state", str(state),
             "--port", str(port), "--no-open"]  # fmt: skip
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ))
    try:
        until(lambda: (state / "server.json").exists())
        with _reader(f"http://127.0.0.1:{port}", agent_token(state)) as read:
            yield read
    finally:
        server.terminate()
        server.wait()


@contextmanager
def _reader(url: str, token: str) -> Iterator[Callable[[], None]]:
    """One client on one connection, with a session if the server has sessions."""
    headers = {"authorization": f"Bearer {token}", "accept": ACCEPT}
    with httpx.Client(base_url=url, headers=headers, timeout=30) as client:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
        until(lambda: _answers(client))
        response = client.post("/mcp", json=message)
        response.raise_for_status()
        client.headers["mcp-protocol-version"] = "2025-06-18"
        if (session := response.headers.get("mcp-session-id")) is not None:
            client.headers["mcp-session-id"] = session
            client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})

        def read() -> None:
            result = client.post("/mcp", json=_CALL)
            assert "hello" in result.text, result.text

        yield read


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/health").status_code == 200
    except httpx.TransportError:
        return False


def _compare_audit(postgres: Postgres, nats: Nats) -> Comparison:
    url = postgres.tenant()
    with _open_team(url, nats) as team:
        audit = Audit(team.audit)
        rows = _RECORDS * _WRITERS

        async def ours() -> None:
            async def write() -> None:
                for _ in range(_RECORDS):
                    await audit.add(RECORD, durable=True)

            await asyncio.gather(*(write() for _ in range(_WRITERS)))

        async def bare() -> None:
            """The same rows by the same number of writers, in batches of those that wait together."""
            connection = await asyncpg.connect(url)
            line = next(team.audit.lines())
            for start in range(0, rows, _WRITERS):
                place = secrets.randbits(50)
                starts, lines = [place + number for number in range(_WRITERS)], [line] * _WRITERS
                query = (
                    "INSERT INTO handrail.journal_line (journal, start, line)"
                    " SELECT 'bare', * FROM unnest($1::bigint[], $2::bytea[])"
                )
                await connection.execute(query, starts, lines)
                assert start < rows
            await connection.close()

        times = in_turns(lambda: asyncio.run(ours()), lambda: asyncio.run(bare()), rounds=5)
        assert audit.verify() == rows * 6
        audit.close()
    what = f"{rows:,} audit records, durable, {_WRITERS} writers"
    return Comparison(what, "the same rows inserted in batches", *times, target=2)


def _compare_approval(postgres: Postgres, nats: Nats) -> Comparison:
    url = postgres.tenant()
    with _open_team(url, nats) as asking, _open_team(url, nats) as answering:
        ours = asyncio.run(_measure_answer(asking, answering))
        theirs = asyncio.run(_measure_notify(url))
    return Comparison("approval given → agent continues, across servers", "LISTEN alone", ours, theirs, target=3)


async def _measure_answer(asking: OpenTeam, answering: OpenTeam) -> float:
    """From the answer being in the database until the asker has it."""
    waits, answers = LogPromptQueue(asking.prompts), LogPromptQueue(answering.prompts)
    times = []
    for number in range(_APPROVALS):
        waiting = asyncio.create_task(waits.ask(_ASK, request_id=f"r{number}"))
        await eventually(partial(answers.find, f"r{number}"))
        await asyncio.sleep(0.02)
        started = time.perf_counter()
        await answers.respond(f"r{number}", _ANSWER)
        await waiting
        times.append((time.perf_counter() - started) * 1000)
    await waits.close()
    await answers.close()
    return statistics.median(times)


async def _measure_notify(url: str) -> float:
    """A row is inserted and announced in one transaction; measures when another connection is notified."""
    one, two = await asyncpg.connect(url), await asyncpg.connect(url)
    notified = asyncio.Event()
    await two.add_listener("bench", lambda *_: notified.set())
    times = []
    for number in range(_APPROVALS):
        notified.clear()
        await asyncio.sleep(0.02)
        started = time.perf_counter()
        async with one.transaction():
            await one.execute("INSERT INTO handrail.claimed (key) VALUES ($1)", f"bench {number}")
            await one.execute("SELECT pg_notify('bench', '')")
        await notified.wait()
        times.append((time.perf_counter() - started) * 1000)
    await one.close()
    await two.close()
    return statistics.median(times)


@contextmanager
def _open_team(url: str, nats: Nats) -> Iterator[OpenTeam]:
    team = OpenTeam(TeamAddress(url, nats.url))
    yield team
    team.close()
