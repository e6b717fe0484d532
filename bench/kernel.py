"""The gate compared with that of version 0.1, which is checked out: reads, writes, and a caller that hangs."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.comparison import Comparison

BEFORE = "dd50e5e"
_HERE = Path(__file__).parents[1]
_CHUNKS = 20
_READS = 300
_WRITES = 5
_CROWDS = 3


def measure() -> list[Comparison]:
    with ExitStack() as stack:
        ours = stack.enter_context(_child(_HERE))
        before = stack.enter_context(_child(stack.enter_context(_check_out(BEFORE))))
        reads: dict[str, list[float]] = {"ours": [], "before": []}
        writes: dict[str, list[float]] = {"ours": [], "before": []}
        syncs: dict[str, list[float]] = {"ours": [], "before": []}
        for child in (ours, before):
            _ask(child, "read", _READS)
            _ask(child, "write", 25)  # until the limit of kept snapshots is reached
        for _ in range(_CHUNKS):
            for name, child in (("ours", ours), ("before", before)):
                reads[name] += _ask(child, "read", _READS)
                answer = _ask(child, "write", _WRITES)
                writes[name] += answer["times"]
                syncs[name] += answer["syncs"]
        crowd, hanging, sequential = _crowds(ours)
    peer = f"the same in {BEFORE}"
    return [
        Comparison("an allowed `read_file` of 1 KB through the gate, p50", peer, *_medians(reads), 0.7),
        Comparison("`write_to_file` allowed by a rule, p50", peer, *_medians(writes), 0.7),
        Comparison("the same, disk syncs", peer, *_medians(syncs), 0.6, unit="syncs"),
        Comparison(
            "64 reads at once from 8 callers, one hanging: p99 of the others",
            "without the hanging one",
            _p99(hanging.times),
            _p99(crowd.times),
            2,
        ),
        Comparison(
            "the same, time of one read",
            "one after the other",
            1000 / statistics.median(hanging.rates),
            1000 / statistics.median(sequential),
            1,
        ),
    ]


class _CrowdResult:
    def __init__(self) -> None:
        self.times: list[float] = []
        self.rates: list[float] = []


def _crowds(child: "subprocess.Popen[str]") -> tuple[_CrowdResult, _CrowdResult, list[float]]:
    """Without a hanging caller, with one, and sequentially; alternately, because the machine is never quiet."""
    crowd, hanging, sequential = _CrowdResult(), _CrowdResult(), list[float]()
    _ask(child, "crowd", _CROWDS)
    for _ in range(_CHUNKS):
        for what, results in (("crowd", crowd), ("hanging", hanging)):
            answer = _ask(child, what, _CROWDS)
            results.times += answer["times"]
            results.rates.append(answer["rate"])
        sequential.append(_ask(child, "sequential", _CROWDS))
    return crowd, hanging, sequential


def _medians(samples: dict[str, list[float]]) -> tuple[float, float]:
    return statistics.median(samples["ours"]), statistics.median(samples["before"])


def _p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98]


@contextmanager
def _check_out(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="handrail-before-") as folder:
        tree = Path(folder, "tree")
        subprocess.run(["git", "-C", _HERE, "worktree", "add", "-q", "--detach", tree, commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run(["git", "-C", _HERE, "worktree", "remove", "--force", tree], check=True)


@contextmanager
def _child(tree: Path) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, _HERE / "bench/gate_child.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tree / "src")},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.stdin.close()
        process.wait(60)
    finally:
        process.kill()
        process.wait()


def _ask(child: "subprocess.Popen[str]", what: str, rounds: int) -> Any:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(f"{what} {rounds}\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())
