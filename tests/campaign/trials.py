"""Runs trials: first the tests that can run side by side, then those that need the machine for themselves."""

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scripts.suite import NO_TESTS, files_alone
from tests.campaign import outcome
from tests.campaign.outcome import Outcome
from tests.campaign.plugin import BEGUN

PYTEST = [sys.executable, "-m", "pytest", "-p", "tests.campaign.plugin", "-p", "no:cacheprovider", "-q"]
TO_CLEAR_UP = 60.0
_ENDED_BY_US = "still running after --at-most minutes, and ended"
_SIDE_BY_SIDE = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-m", "not alone")
_SIDE_BY_SIDE_SHARE = 0.85
"""Share of a round's time; tests that need the machine for themselves get the rest."""


@dataclass(frozen=True)
class Round:
    """Some trials, once each, with one seed. The campaign's `minutes` decide how much a test tries."""

    seed: int
    minutes: float
    outcomes: Mapping[str, Outcome]
    seconds: float
    faults: Sequence[str] = ()
    """Problems of the round itself, such as a crash of pytest or a trial without any result."""

    @property
    def failed(self) -> list[str]:
        return sorted({test for one in self.outcomes.values() for test in one.failed})


def run_round(names: Collection[str], seed: int, minutes: float, folder: Path, *, until: float, ends: float) -> Round:
    """Runs these trials, or all if there are no names. Results that are in the folder from an earlier run count.

    After `until`, only the first test of each trial starts. Tests that still run at `ends` are ended, which is a fault.
    """
    print(f"\n=== seed {seed}: {', '.join(names) or 'every trial'}", flush=True)
    began = time.monotonic()
    until_side_by_side = began + (until - began) * _SIDE_BY_SIDE_SHARE
    ways = {
        "side by side": (f"--until={until_side_by_side}", *_SIDE_BY_SIDE),
        "alone": (f"--until={until}", "-m", "alone", *files_alone()),
    }
    together, alone = (_run(way, names, seed, minutes, folder / name, ends) for name, way in ways.items())
    outcomes = _added(together[0], alone[0])
    faults = [
        _ENDED_BY_US if status is None else f"pytest ended with {status}"
        for _, status in (together, alone)
        if status not in (0, 1, NO_TESTS)
    ]
    faults += [f"{name}: no test was run" for name, one in outcomes.items() if not one.passed | one.failed]
    faults += [f"no such trial: {name}; --list names them" for name in names if name not in outcomes]
    return Round(seed, minutes, outcomes, time.monotonic() - began, faults)


def passes(test: str, seed: int, minutes: float) -> bool:
    """Whether a single test passes."""
    return run_pytest([f"--hypothesis-seed={seed}", test], seed, minutes, ends=math.inf) == 0


def all_trials() -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        command = [*PYTEST, "--collect-only", f"--outcome={folder}"]
        subprocess.run(command, env=_environment(1, 0), check=True, stdout=subprocess.DEVNULL)
        return sorted(outcome.read(Path(folder)))


def _run(
    way: Sequence[str], names: Collection[str], seed: int, minutes: float, folder: Path, ends: float
) -> tuple[Mapping[str, Outcome], int | None]:
    before = folder / "before"
    if (folder / outcome.OUTCOME).exists():  # it was interrupted: keep what it had done
        before.mkdir(exist_ok=True)
        done = _added(outcome.read(before), outcome.read(folder))
        (before / outcome.OUTCOME).write_text(json.dumps({name: one.to_json() for name, one in done.items()}))
        (folder / outcome.OUTCOME).unlink()
    folder.mkdir(parents=True, exist_ok=True)
    forget_cut_off(folder / BEGUN, outcome.read(before))
    options = [*(f"--trial={name}" for name in names), f"--outcome={folder}", f"--hypothesis-seed={seed}"]
    status = run_pytest([*options, f"--done={before}", *way], seed, minutes, ends)
    return _added(outcome.read(before), outcome.read(folder)), status


def forget_cut_off(begun: Path, done: Mapping[str, Outcome]) -> None:
    """Trials that had begun but have no result get their turn again."""
    for mark in begun.glob("*"):
        if not (mark.name in done and done[mark.name].passed | done[mark.name].failed):
            mark.unlink()


def _added(one: Mapping[str, Outcome], other: Mapping[str, Outcome]) -> dict[str, Outcome]:
    return {name: one.get(name, Outcome()).plus(other.get(name, Outcome())) for name in sorted({*one, *other})}


def run_pytest(options: Sequence[str], seed: int, minutes: float, ends: float) -> int | None:
    """Returns pytest's exit code, or None if it ran out of time.

    An interrupt is passed on, and pytest gets time to end what the tests have started. It runs in a session of its own,
    so that Ctrl-C reaches it only once and every process of it can be ended.
    """
    strict = ["-p", "scripts.no_skips"] if os.environ.get("CI") else []
    command = [*PYTEST, *strict, *options]
    with subprocess.Popen(command, env=_environment(seed, minutes), start_new_session=True) as process:
        try:
            return process.wait(None if math.isinf(ends) else max(0.0, ends - time.monotonic()))
        except (KeyboardInterrupt, subprocess.TimeoutExpired) as over:
            os.killpg(process.pid, signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(TO_CLEAR_UP)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(over, KeyboardInterrupt):
                raise
            return None


def _environment(seed: int, minutes: float) -> dict[str, str]:
    """Campaigns use the complete Chromium, not its headless shell, and cache Python's bytecode."""
    own = {"HANDRAIL_CAMPAIGN_SEED": str(seed), "HANDRAIL_CAMPAIGN_MINUTES": str(minutes)}
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, **own, "CHROMIUM": "/usr/bin/chromium"}
