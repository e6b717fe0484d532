"""A signal that reaches the hook after its answer: a client runs the tool if the hook's exit status isn't 2."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.hooks.hook_rig import Rig, make_rig
from tests.persons import HANDRAIL
from tests.waiting import PATIENCE

LATE = """
import os, signal

class Late:
    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGNAL):
        kill(pid, number)

late = Late()
"""


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    yield from make_rig(tmp_path)


@pytest.mark.parametrize("signal", ["SIGALRM", "SIGTERM"])
def test_a_signal_while_python_cleans_up_does_not_open_the_way(rig: Rig, tmp_path: Path, signal: str) -> None:
    """Python gives up its signal handlers before it removes modules, and an agent can slow the machine down."""
    (tmp_path / "sitecustomize.py").write_text(LATE.replace("SIGNAL", signal))
    (rig.project / ".env").write_text("token=1\n")
    hook = subprocess.run(
        [HANDRAIL, "hook", "claude", "--state", str(rig.state)],
        input=json.dumps(rig.event("Read", {"file_path": str(rig.project / ".env")})).encode(),
        capture_output=True,
        cwd=rig.project,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=PATIENCE,
    )
    assert (hook.returncode, b'"permissionDecision":"deny"' in hook.stdout) == (2, True), hook
