"""Runs every test for `scripts/test`: Python's side by side, then the web's, those marked `alone` at the end.

In CI, up to three tests that failed, of whichever kind, are named and run once more, alone (`scripts/again.py`).
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts import again

ROOT = Path(__file__).parents[1]
WORKERS = "4"
"""Twice the cores: a test computes for less than half of its time, and waits for programs and disks else."""
NO_TESTS = 5
PYTEST = [sys.executable, "-m", "pytest"]
LAST_FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"


@dataclass(frozen=True)
class Failed:
    """`again` runs it by itself; the specs of the web share a page, so that this is the whole file."""

    name: str
    again: tuple[str, ...]


def main(arguments: Sequence[str]) -> int:
    is_ci = bool(os.environ.get("CI"))
    pytest = [*PYTEST, "-p", "scripts.no_skips"] if is_ci else PYTEST
    LAST_FAILED.unlink(missing_ok=True)
    side_by_side = ["-n", WORKERS, "--dist", "loadfile", "--no-loadscope-reorder", "-m", "not alone"]
    together = _run([*pytest, *side_by_side, *arguments])
    failed = [] if arguments else run_web()
    alone = _run([*pytest, "-m", "alone", *(arguments or files_alone())])
    for status in (together, alone):
        # That no test was selected is right only where the arguments picked some.
        if status not in (0, 1) and not (status == NO_TESTS and arguments):
            return status
    if 1 in (together, alone):
        failed += [Failed(name, (*pytest, "-v", name)) for name in json.loads(LAST_FAILED.read_text())]
    return finish(failed, most=again.left(), run=_run)


def files_alone() -> list[str]:
    """Those with a test that is marked so: collecting all the others takes longer than the tests."""
    files = (*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("examples/apps/**/test_*.py"))
    return sorted(str(file.relative_to(ROOT)) for file in files if "mark.alone" in file.read_text())


def finish(failed: Sequence[Failed], *, most: int, run: Callable[[Sequence[str]], int]) -> int:
    """The status of the whole run. `most` is how many may run once more."""
    for one in failed:
        print(f"Failed: {one.name}", flush=True)
    if len(failed) > most:
        return 1
    statuses = []
    for command in dict.fromkeys(one.again for one in failed):
        again.note(one.name for one in failed if one.again == command)
        statuses.append(run(command))
    return max(statuses, default=0)


def run_web() -> list[Failed]:
    """One after the other; their output comes at the end."""
    with tempfile.TemporaryDirectory() as folder, Path(folder, "said").open("w+") as said:
        failed = list[Failed]()
        for package in ("@handrail/console", "@handrail/extension", "handrail-webgal"):
            failed += _run_vitest("test", package, said.fileno())
        failed += _run_console_specs(said.fileno())
        failed += _run_vitest("e2e", "@handrail/extension", said.fileno())
        said.seek(0)
        print(said.read(), flush=True)
        return failed


def _run_vitest(script: str, package: str, out: int) -> list[Failed]:
    command = _npm(script, package)
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "report.json")
        status = _run([*command, "--reporter=default", "--reporter=json", f"--outputFile.json={told}"], out)
        failed = failed_of_vitest(json.loads(told.read_text()), command) if told.exists() else []
    return failed if failed or not status else [Failed(f"{package}: npm run {script}", tuple(command))]


def failed_of_vitest(report: Mapping[str, Any], command: Sequence[str]) -> list[Failed]:
    failed = []
    for file in report["testResults"]:
        if file["status"] == "failed":
            names = [test["fullName"] for test in file["assertionResults"] if test["status"] == "failed"]
            path = Path(file["name"])
            failed += [Failed(f"{path.name}: {name}", (*command, path.name)) for name in names or ["the whole file"]]
    return failed


def _run_console_specs(out: int) -> list[Failed]:
    command = _npm("e2e", "@handrail/console")
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "failed.jsonl")
        status = _run(command, out, {"FAILED_TESTS": str(told)})
        lines = told.read_text().splitlines() if told.exists() else []
    failed = [Failed(f"{spec}.spec.mjs: {name}", (*command, spec)) for spec, name in map(json.loads, lines)]
    return failed if failed or not status else [Failed("console: npm run e2e", tuple(command))]


def _npm(script: str, package: str) -> list[str]:
    npm = [str(ROOT / "scripts" / "npm"), "--prefix", str(ROOT / "web"), "run", "--silent"]
    return [*npm, script, "--workspace", package, "--"]


def _run(command: Sequence[str], out: int | None = None, more: Mapping[str, str] | None = None) -> int:
    env = {**os.environ, **(more or {})}
    return subprocess.run(
        command, cwd=ROOT, env=env, stdout=out, stderr=out and subprocess.STDOUT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
