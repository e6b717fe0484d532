"""What one call costs a team's engines: rows added, bytes of PostgreSQL's log, and NATS messages.

`python -m bench.team_costs` prints a table. The figures don't depend on other load.
"""

import asyncio
import tempfile
import time
import urllib.request
from collections.abc import Callable
from dataclasses import astuple, dataclass
from pathlib import Path

import msgspec

from bench.team_browsers import LOOK, LocalPlugin, bus_of
from handrail.kernel.task_ids import new_task_id
from handrail.stores.team.schema import TABLES
from tests.features.team.servers import Agent, Person, Team, edit, prompt_about
from tests.team_engines import S3, Nats, Postgres, engine_folder, free_port
from tests.waiting import eventually


@dataclass(frozen=True, slots=True)
class Counts:
    rows: float
    log_bytes: float
    messages: float


class Meter:
    def __init__(self, postgres: Postgres, monitor: int) -> None:
        self._postgres = postgres
        self._monitor = monitor

    def read(self) -> Counts:
        where, sql = self._postgres.team, self._postgres.sql
        rows = sql("SELECT " + " + ".join(f"(SELECT count(*) FROM handrail.{table})" for table in TABLES), where)
        log = sql("SELECT pg_current_wal_insert_lsn() - '0/0'", where)
        with urllib.request.urlopen(f"http://127.0.0.1:{self._monitor}/varz", timeout=10) as answer:
            messages = msgspec.json.decode(answer.read())["in_msgs"]
        return Counts(float(rows), float(log), float(messages))

    def of(self, what: str, times: int, act: Callable[[], object]) -> str:
        """Returns a row of the table: the cost of one call, minus what the servers do in the same time when idle."""
        before, started = self.read(), time.monotonic()
        act()
        after, elapsed = self.read(), time.monotonic() - started
        time.sleep(elapsed)
        idle = self.read()
        costs = [
            max(0.0, ((done - start) - (rest - done)) / times)
            for start, done, rest in zip(astuple(before), astuple(after), astuple(idle), strict=True)
        ]
        return f"| {what} | " + " | ".join(f"{cost:,.0f}" if cost >= 100 else f"{cost:.1f}" for cost in costs) + " |"


class MonitoredNats(Nats):
    """Serves its counters on a separate port."""

    def __init__(self) -> None:
        super().__init__()
        self.monitor = free_port()
        self.options = ("-m", str(self.monitor))


def main() -> None:
    nats, s3 = MonitoredNats(), S3()
    with engine_folder("costs", on_disk=True) as folder, tempfile.TemporaryDirectory() as where:
        postgres = Postgres(folder / "postgres", is_durable=True)
        for engine in (postgres, nats, s3):
            engine.start()
        team = Team(Path(where), postgres, nats, s3)
        try:
            _print(team, Meter(postgres, nats.monitor))
        finally:
            team.stop()
            for engine in (s3, nats, postgres):
                engine.stop()


def _print(team: Team, meter: Meter) -> None:
    (server,) = team.start()
    agent, person = Agent(team.token("agent", "agent")), Person(server.url, team.token("bo", "approver"))

    def read() -> None:
        for _ in range(50):
            agent.call(server.url, "read_file", path="README.md")

    def write() -> None:
        for number in range(10):
            name = f"file-{number}.txt"
            pending = edit(team, agent, name)
            person.answer(prompt_about(person, name))
            pending.wait()

    read()
    print("| call | rows | bytes of log | messages |\n|---|---|---|---|")
    print(meter.of("allowed read over MCP", 50, read), flush=True)
    print(meter.of("write that a person approves", 10, write), flush=True)
    print(meter.of("browser action across servers", 200, lambda: asyncio.run(_act(team))), flush=True)


async def _act(team: Team) -> None:
    with bus_of(team) as near, bus_of(team) as far:
        await near.start()
        await far.start()
        near.connected(near.plugins.connect("costs", LocalPlugin(near)))

        async def has_told() -> bool:
            return not near.is_notifying

        await eventually(has_told)
        task = new_task_id()
        await near.act(task, {"task_start": {}})
        for _ in range(200):
            await far.act(task, LOOK)


if __name__ == "__main__":
    main()
