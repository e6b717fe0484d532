"""`handrail call` of each tool that changes files, killed with kill -9 at a write, sync, rename or deletion."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from handrail.kernel.approval import PresetAnswer
from handrail.kernel.call import Call
from handrail.wiring import Wiring
from tests.e2e.servers import audit_records
from tests.e2e.test_every_fault import ACTS, AGENT, BEFORE, Act
from tests.effort import chance, count, tries
from tests.waiting import PATIENCE
from tests.wire.clients import HANDRAIL

KILLS = tries(2, 300)
KILLED = (-9, 137)
CALLS = (
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "renameat",
    "renameat2",
    "unlinkat",
    "linkat",
    "mkdirat",
    "ftruncate",
)
TRIED = [act for act in ACTS if not act.is_reading and act.first is None]
"""Without undo, and writes after a dry run, which test_kill.py tries."""


def run_until(act: Act, project: Path, state: Path, rule: str) -> int:
    strace = shutil.which("strace")
    assert strace, "strace is a package of the tests"
    place = ("--answer", "allow", "--project", str(project), "--state", str(state))
    command = (HANDRAIL, "call", act.tool, json.dumps(act.params), *place)
    tracing = (strace, "-f", "-qq", "-o", os.devnull, "-e", f"trace={rule.partition(':')[0]}", "-e", f"inject={rule}")
    return subprocess.run([*tracing, *command], capture_output=True, timeout=PATIENCE, check=False).returncode


async def settled(project: Path, state: Path) -> dict[str, str]:
    """Returns all files after the next call, which completes or takes back what was cut off."""
    opened = Wiring().open_project(project, state, PresetAnswer("allow"))
    try:
        await opened.gate.run(Call("make_folder", {"path": "after"}, AGENT))
    finally:
        opened.close()
    return texts(project)


def texts(project: Path) -> dict[str, str]:
    files = (path for path in project.rglob("*") if path.is_file())
    names = {str(path.relative_to(project)): path.read_text() for path in files}
    return {name: text for name, text in names.items() if not name.startswith(".")}


@pytest.mark.trial("kill")
@pytest.mark.timeout(tries(180, 7_200))
async def test_a_tool_that_is_killed_at_a_step_has_done_all_or_nothing(tmp_path: Path, state: Path) -> None:
    by, number, killed = chance(), 0, 0
    while killed < KILLS:
        number += 1
        act, project = by.choice(TRIED), tmp_path / f"project-{number}"
        for name, text in BEFORE.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text)
        rule = f"{by.choice(CALLS)}:signal=KILL:when={by.randint(1, 14)}"
        status = run_until(act, project, state, rule)
        assert status in (0, *KILLED), (act, rule, status)
        if status in KILLED:
            killed += 1
            count()
        files = await settled(project, state)
        assert files in (BEFORE, act.after), (act, rule)
        assert status != 0 or files == act.after, (act, rule)
        shutil.rmtree(project)
    audit_records(state)
