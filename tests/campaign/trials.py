"""One run of one trial, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

PYTEST = [sys.executable, "-m", "pytest", "-p", "tests.campaign.plugin", "-p", "no:cacheprovider", "-q"]
NO_TESTS = 5
TO_CLEAR_UP = 60.0
WAYS: Mapping[str, Sequence[str]] = {"together": ("-n", "2", "--dist", "loadfile"), "alone": ()}


@dataclass(frozen=True)
class Outcome:
    seed: int
    seconds: float
    passed: int
    failed: Sequence[str]


@dataclass
class Trial:
    name: str
    files: Mapping[str, Sequence[str]]
    """Those whose tests run side by side, and those that want the machine for themselves."""
    outcomes: list[Outcome] = field(default_factory=list)

    def run(self, seed: int) -> Outcome:
        """Shows what pytest says, and keeps what came of it."""
        print(f"\n=== {self.name}, seed {seed}", flush=True)
        started, passed, failed = time.monotonic(), 0, list[str]()
        for way, files in self.files.items():
            if files:
                found = self._run(seed, way, files)
                passed, failed = passed + found[0], failed + found[1]
        outcome = Outcome(seed, time.monotonic() - started, passed, failed)
        self.outcomes.append(outcome)
        return outcome

    def passes(self, test: str, seed: int) -> bool:
        """One of its tests, by itself."""
        picked = ["--trial", self.name, f"--hypothesis-seed={seed}", test]
        return run([*PYTEST, *picked], _with_seed(seed)) == 0

    def _run(self, seed: int, way: str, files: Sequence[str]) -> tuple[int, list[str]]:
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder, "outcome")
            picked = ["--trial", self.name, "-m", "alone" if way == "alone" else "not alone"]
            options = [*WAYS[way], *picked, "--outcome", str(told), f"--hypothesis-seed={seed}"]
            status = run([*PYTEST, *options, *files], _with_seed(seed))
            if status == NO_TESTS or not told.exists():
                return 0, [f"{self.name} ({way}): pytest ended with {status}"]
            outcome = json.loads(told.read_text())
        if status and not outcome["failed"]:
            return outcome["passed"], [f"{self.name} ({way}): pytest ended with {status}"]
        return outcome["passed"], outcome["failed"]


def run(command: Sequence[str], env: Mapping[str, str]) -> int:
    """Interrupted, it passes that on and waits: what the tests have started is ended by them.

    They have a session of their own, so that a Ctrl-C reaches them once, and none of them is forgotten.
    """
    with subprocess.Popen(command, env=env, start_new_session=True) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            os.killpg(process.pid, signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(TO_CLEAR_UP)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise


def all_trials(seed: int) -> list[Trial]:
    """As the marks in the tests name them."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "trials")
        subprocess.run(
            [*PYTEST, "--collect-only", "--list-trials", str(told), "tests"],
            env=_with_seed(seed),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return [Trial(name, files) for name, files in sorted(json.loads(told.read_text()).items())]


def _with_seed(seed: int) -> dict[str, str]:
    """The console is shown by the whole browser there, not by Chromium's headless shell."""
    return {**os.environ, "HANDRAIL_CAMPAIGN_SEED": str(seed), "CHROMIUM": "/usr/bin/chromium"}
