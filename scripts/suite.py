"""Runs every test: most of them side by side, then those marked `alone`.

In CI, up to three failed tests are named and run once more (`scripts/reruns.py`).
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts import reruns

ROOT = Path(__file__).parents[1]
WORKERS = "5"
"""For two cores: tests spend more than half of their time waiting for programs and disks."""
NO_TESTS = 5
PYTEST = [sys.executable, "-m", "pytest"]
LAST_FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"


def main(arguments: Sequence[str]) -> int:
    is_ci = bool(os.environ.get("CI"))
    pytest = [*PYTEST, "-p", "scripts.no_skips"] if is_ci else PYTEST
    LAST_FAILED.unlink(missing_ok=True)
    side_by_side = ["-n", WORKERS, "--dist", "loadfile", "--no-loadscope-reorder", "-m", "not alone"]
    together = _run([*pytest, *side_by_side, *arguments])
    alone = _run([*pytest, "-m", "alone", *(arguments or files_alone())])
    for status in (together, alone):
        # Arguments may select tests of only one kind.
        if status not in (0, 1) and not (status == NO_TESTS and arguments):
            return status
    failed = list(json.loads(LAST_FAILED.read_text())) if 1 in (together, alone) else []
    return finish(failed, most=reruns.remaining(), run=lambda test: _run([*pytest, "-v", test]))


def files_alone() -> list[str]:
    """Files with tests marked `alone`: collecting all others would take longer than these tests."""
    files = (*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("examples/apps/**/test_*.py"))
    return sorted(str(file.relative_to(ROOT)) for file in files if "mark.alone" in file.read_text())


def finish(failed: Sequence[str], *, most: int, run: Callable[[str], int]) -> int:
    """Returns the exit code of the whole run. At most `most` failed tests run once more."""
    for test in failed:
        print(f"Failed: {test}", flush=True)
    if len(failed) > most:
        return 1
    reruns.record(failed)
    return max(map(run, failed), default=0)


def _run(command: Sequence[str]) -> int:
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
