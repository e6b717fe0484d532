"""What `handrail run` imports before the agent starts: little, because a person waits for it."""

import subprocess
import sys

SLOW = ("asyncio", "click", "dataclasses", "inspect", "json", "msgspec", "pathlib", "re", "subprocess", "typing")
LOADED = """
import sys
before = set(sys.modules)
import handrail.features.cage.cli.quick
import handrail.features.cage.cli.launcher
print(*sorted(set(sys.modules) - before))
"""


def test_nothing_slow_is_loaded_before_the_agent_starts() -> None:
    loaded = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout.split()
    assert "handrail.features.cage.launch" in loaded
    assert set(SLOW) & set(loaded) == set()
