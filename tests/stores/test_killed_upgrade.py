"""The state of a released version, upgraded by this one and killed at any write or sync: nothing is lost."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.archives import unpack
from tests.effort import chance, count, tries
from tests.stores.test_conversations import OLD_STATE, rows_of, with_stores

RELEASED = [OLD_STATE]
UPGRADE = """
import sys
from pathlib import Path
from handrail.stores.local.browser_tables import browser_database
with browser_database(Path(sys.argv[1])).reading():
    pass
"""
CALLS = "pwrite64,write,fsync,fdatasync,ftruncate,unlink,rename,mkdir"


def extracted(archive: Path, folder: Path) -> Path:
    unpack(archive, folder)
    return folder / "state"


def upgraded(state: Path, *before: str) -> int:
    return subprocess.run([*before, sys.executable, "-c", UPGRADE, str(state)], check=False).returncode


def contents(state: Path) -> Any:
    async def work(tasks: Any, runs: Any) -> Any:
        matches = [record.task_id for record in await tasks.newest(100)]
        return {task: (await tasks.messages(task), await runs.turns(task), await runs.find(task)) for task in matches}

    return with_stores(state, work)


@pytest.mark.trial("upgrade")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("archive", RELEASED, ids=lambda archive: archive.name)
def test_a_killed_upgrade_is_resumed_without_losses(archive: Path, tmp_path: Path) -> None:
    whole = extracted(archive, tmp_path / "whole")
    trace = tmp_path / "trace"
    assert upgraded(whole, "strace", "-f", "-o", str(trace), "-e", f"trace={CALLS}") == 0
    expected, most = contents(whole), trace.read_text().count("\n")
    assert len(expected) > 0
    assert most > 20
    killed, places = 0, range(1, most)
    for when in chance().sample(places, min(tries(5, 400), len(places))):
        count()
        state = extracted(archive, tmp_path / str(when))
        inject = f"inject={CALLS}:signal=KILL:when={when}"
        killed += upgraded(state, "strace", "-f", "-o", "/dev/null", "-e", inject) != 0
        assert contents(state) == expected, f"killed at call {when}"
        assert rows_of(state, "PRAGMA integrity_check") == [("ok",)]
    assert killed
