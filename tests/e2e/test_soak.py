"""Three months of work in minutes: the server is restarted with a clock that is ten days ahead each time.

What has a retention period stops growing once that is over. What is kept always grows with the work, not faster.
"""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from handrail.kernel.task_ids import new_task_id
from tests.effort import count, tries
from tests.persons import Person
from tests.set_clock import DAY, Clock
from tests.waiting import until
from tests.wire.clients import HANDRAIL, Api, Up

RULES = '[[rules]]\ntool = "write_to_file"\npath = "free/*"\ndecision = "allow"\n'
DAYS = 10
RETENTION = 30
KEPT_ALWAYS = ("audit/log.jsonl", "checkpoints.jsonl", "writes.jsonl", "ui-prompts.jsonl", "handrail.db")
SLACK = 64 * 1024
"""Bytes by which a folder or database may vary from one period to the next."""


class Machine:
    def __init__(self, folder: Path) -> None:
        self.project, self.state = folder / "project", folder / "state"
        self.project.mkdir()
        self.state.mkdir(mode=0o700)
        (self.state / "config.toml").write_text(RULES)
        self.clock = Clock(folder / "clock")
        self.person = Person(self.state)
        self.periods = 0

    @property
    def today(self) -> date:
        return (datetime.now(UTC) + timedelta(seconds=self.clock.offset)).date()

    def work(self) -> None:
        """Starts the server, lets it tidy up, works for a day, and stops it."""
        up = Up(self.project, self.state, environ=self.clock.environ)
        try:
            until(lambda: not self.overdue(), lambda: f"these are still there: {self.overdue()}")
            self._work(up)
        finally:
            up.close()
        self.periods += 1
        self.clock.set(self.clock.offset + DAYS * DAY)

    def overdue(self) -> list[str]:
        """What should have been removed by now."""
        first_day = self.today - timedelta(days=RETENTION + 1)
        evidence = self.project.glob(".handrail/artifacts/*/*")
        return [
            *map(str, self.project.glob(".webgal_agent/dry_runs/*")),
            *map(str, self.state.glob("uploads/artifacts/*")),
            *(str(day) for day in evidence if day.name < first_day.isoformat()),
        ]

    def _work(self, up: Up) -> None:
        agent = Api(up)
        for number in range(12):
            key = f"{self.periods}-{number}"
            agent.write(f"free/{number % 2}.txt", f"{self.periods}\n" * 50, idempotencyKey=key)
            agent.ok("write_to_file", path="free/never.txt", content=key, dryRun=True)
            assert agent.ok("read_file", path=f"free/{number % 2}.txt")["content"].startswith(f"{self.periods}\n")
            count()
        choice = {"title": "Which one?", "options": [{"value": "a"}, {"value": "b"}]}
        with ThreadPoolExecutor() as pool:
            asked = pool.submit(agent.ok, "prompt_choices", **choice)
            self._handrail("prompts", "answer", self.person.sees()["requestId"], "--ok", "--choose", "a")
            assert asked.result(60)["selection"] == "a"
        slot = {"taskId": new_task_id(), "kind": "screenshot", "contentType": "image/png"}
        for _ in range(3):
            upload = up.http.post("/api/artifacts/presign", json=slot).json()["data"]["uploadUrl"]
            assert up.http.post(upload, content=os.urandom(20_000)).status_code == 200
        self._sign_in(up)

    def _sign_in(self, up: Up) -> None:
        match = re.search(r"#code=([\w-]+)", self._handrail("open", "--print"))
        assert match is not None
        origin = {"origin": str(up.http.base_url).rstrip("/")}
        assert up.http.post("/api/session", headers=origin, json={"code": match[1]}).status_code == 200

    def _handrail(self, *words: str) -> str:
        command = [HANDRAIL, *words, "--state", str(self.state)]
        result = subprocess.run(command, env={**os.environ, **self.clock.environ}, capture_output=True, text=True)
        assert result.returncode == 0, (words, result.stdout, result.stderr)
        return result.stdout

    def verify(self) -> None:
        self._handrail("audit", "verify")

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Files and bytes of each part of the project's and the state's folders, without what is kept always."""
        parts: dict[str, tuple[int, int]] = {}
        for root in (self.project, self.state):
            for file in root.rglob("*"):
                path = file.relative_to(root)
                if file.is_file() and str(path) not in KEPT_ALWAYS:
                    part = f"{root.name}/{Path(*path.parts[:2])}"
                    files, size = parts.get(part, (0, 0))
                    parts[part] = (files + 1, size + file.stat().st_size)
        return parts

    def kept(self) -> dict[str, int]:
        return {name: (self.state / name).stat().st_size for name in KEPT_ALWAYS}


@pytest.mark.trial("soak", is_long=True)
def test_three_months_of_work_leave_no_more_than_one(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    periods = tries(9, 40)
    full = RETENTION // DAYS + 1  # from here on, as much is removed as is added
    sizes, kept = [], []
    for _ in range(periods):
        machine.work()
        sizes.append(machine.sizes())
        kept.append(machine.kept())
    machine.verify()
    for part in sizes[-1]:
        files, size = sizes[-1][part]
        most_files, most = max(each.get(part, (0, 0)) for each in sizes[full : full + 2])
        assert files <= most_files + 2, (part, [each.get(part) for each in sizes])
        assert size <= 1.1 * most + SLACK, (part, [each.get(part) for each in sizes])
    for name in KEPT_ALWAYS:
        steps = [after[name] - before[name] for before, after in pairwise(kept)]
        assert sum(steps[-4:]) <= 1.2 * sum(steps[:4]) + SLACK, (name, steps)
