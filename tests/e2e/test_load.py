"""Everything at once on one server: nothing fails, and nothing that the server keeps grows over time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.effort import MINUTES, count

ROOT = Path(__file__).parents[2]
SECONDS = max(10.0, MINUTES * 6)
"""An hour in a campaign of ten hours."""


@pytest.mark.alone
@pytest.mark.trial("load", is_long=True)
@pytest.mark.timeout(300 + 3 * SECONDS)
def test_fifty_bridges_a_hundred_browsers_twenty_clients_and_five_chats_at_once() -> None:
    command = [sys.executable, "-m", "bench.mixed_load", str(SECONDS)]
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr[-4000:]
    result = json.loads(completed.stdout)
    print(result)
    count(result["operations"])
    assert result["errors"] == 0, result
    _, middle, last = result["held"]
    assert last["descriptors"] <= middle["descriptors"] + 20, result
    assert last["memoryKb"] <= middle["memoryKb"] * 1.1 + 10_000, result
