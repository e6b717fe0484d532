"""The machine's clock jumps while a server runs: after a suspend, by hand, by a time server that was far off."""

import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.effort import chance, count, tries
from tests.set_clock import DAY, HOUR, Clock
from tests.waiting import until
from tests.wire.clients import HANDRAIL, Api, Json, Outcome, Up

JUMPS = (HOUR, -2 * HOUR, DAY, -DAY, 31 * DAY, -40 * DAY, 400 * DAY, -365 * DAY, 5, -5)
RULES = '[[rules]]\ntool = "write_to_file"\npath = "free/*"\ndecision = "allow"\n'


class Rig:
    def __init__(self, folder: Path) -> None:
        self.project, self.state = folder / "project", folder / "state"
        self.project.mkdir()
        self.state.mkdir(mode=0o700)
        (self.state / "config.toml").write_text(RULES)
        self.clock = Clock(folder / "clock")
        self.up = Up(self.project, self.state, environ=self.clock.environ)
        self.agent = Api(self.up)
        self.pool = ThreadPoolExecutor()

    def handrail(self, *words: str) -> str:
        command = [HANDRAIL, *words, "--state", str(self.state)]
        result = subprocess.run(command, env={**os.environ, **self.clock.environ}, capture_output=True, text=True)
        assert result.returncode == 0, (words, result.stdout, result.stderr)
        return result.stdout

    def pending(self) -> list[str]:
        return [one["requestId"] for one in json.loads(self.handrail("prompts", "list", "--json"))["prompts"]]

    def close(self) -> None:
        """Closing it twice is allowed."""
        self.pool.shutdown()
        if self.up.process.returncode is None:
            self.up.close()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


@pytest.mark.trial("clock", is_long=True)
def test_clock_jumps_neither_stop_calls_nor_damage_the_record(rig: Rig) -> None:
    by = chance()
    for number in range(tries(10, 300)):
        count()
        rig.clock.set(max(-30 * 365 * DAY, min(60 * 365 * DAY, rig.clock.offset + by.choice(JUMPS))))
        name = f"free/{number % 7}.txt"
        rig.agent.write(name, f"{number}\n")
        assert rig.agent.ok("read_file", path=name)["content"] == f"{number}\n"
        assert rig.up.http.get("/health").status_code == 200
    rig.handrail("audit", "verify")
    assert "free/" in rig.handrail("history", "--project", str(rig.project))
    rig.close()
    rig.handrail("audit", "verify")


@pytest.mark.trial("clock", is_long=True)
def test_an_approval_after_a_clock_jump_is_carried_out_or_refused_with_a_reason(rig: Rig) -> None:
    for number, jump in enumerate(JUMPS):
        count()
        rig.clock.set(0)
        params: Json = {"path": f"asked-{number}.txt", "content": "x\n", "dryRun": False}
        rig.agent.ok("write_to_file", **{**params, "dryRun": True})
        call = rig.pool.submit(rig.agent.call, "write_to_file", params)
        (request,) = until(rig.pending, "the question")
        rig.clock.set(jump)
        rig.handrail("prompts", "answer", request, "--ok")
        outcome: Outcome = call.result(60)
        is_written = (rig.project / params["path"]).exists()
        assert is_written == (outcome.error is None), (jump, outcome)
        assert outcome.error is None or outcome.error["message"], (jump, outcome)
