"""One audit record, with and without its tree, and the verification of 100,000, compared with the bare system calls."""

import fcntl
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from handrail.kernel.audit import Audit
from handrail.kernel.checkpoint_maker import CheckpointMaker
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.record.factory import record_stores
from handrail.stores.local.secrets.keyring import OsKeyring

ROUNDS = 20_000
DURABLE_ROUNDS = 300
RECORDS = 100_000
BLOCKS = 20

RECORD = {
    "event": "end",
    "executionId": "exec_0123456789abcdef01234567",
    "tool": "read_file",
    "effect": "READ",
    "caller": "mcp:claude-code:uid:1000",
    "project": "/home/ada/projects/game",
    "target": "game/scene/start.txt",
    "decision": "allow (default)",
    "ok": True,
    "durationMs": 0.412,
}


def measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        audit = Audit(JournalFile(folder / "log.jsonl", folder / "head"))
        plain = JournalFile(folder / "plain.jsonl")
        line = b"x" * 400
        results = {
            "bare_locked_write_us": _median(_bare_write(folder / "bare.jsonl", line), ROUNDS),
            "journal_append_us": _median(lambda: plain.append(line, is_durable=False), ROUNDS),
            "audit_append_us": _median(lambda: audit.append(RECORD), ROUNDS),
            "journal_durable_append_us": _median(lambda: plain.append(line, is_durable=True), DURABLE_ROUNDS),
            "audit_durable_append_us": _median(lambda: audit.append(RECORD, durable=True), DURABLE_ROUNDS),
        }
        results |= _with_tree(folder)
        for _ in range(RECORDS - audit.verify()):
            audit.append(RECORD)
        started = time.perf_counter()
        audit.verify()
        results["verify_100k_s"] = time.perf_counter() - started
        audit.close()
        plain.close()
    results["audit_over_bare"] = results["audit_append_us"] / results["bare_locked_write_us"]
    return {name: round(value, 2) for name, value in results.items()}


def _with_tree(folder: Path) -> dict[str, float]:
    """Alternates, so that other load on the machine affects both."""
    plain = Audit(JournalFile(folder / "plain" / "log.jsonl", folder / "plain" / "head"))
    journal = JournalFile(folder / "state" / "audit" / "log.jsonl", folder / "state" / "audit" / "head")
    stores = record_stores(folder / "state", OsKeyring(), signer=(), witness_setting="")
    treed = Audit(journal, keeper=CheckpointMaker(journal, lambda: stores))
    ratios, times = [], []
    for _ in range(BLOCKS):
        without = _mean(lambda: plain.append(RECORD), ROUNDS // BLOCKS)
        times.append(_mean(lambda: treed.append(RECORD), ROUNDS // BLOCKS))
        ratios.append(times[-1] / without)
    started = time.perf_counter()
    checkpoint = treed.keeper.checkpoint() if treed.keeper is not None else None
    seconds = time.perf_counter() - started
    plain.close()
    treed.close()
    assert checkpoint is not None
    return {
        "audit_append_with_tree_us": statistics.median(times),
        "tree_over_without": statistics.median(ratios),
        "checkpoint_ms": seconds * 1000,
    }


def _mean(work: Callable[[], object], rounds: int) -> float:
    """CPU time of the whole process, including checkpoints in their thread."""
    started = time.process_time_ns()
    for _ in range(rounds):
        work()
    return (time.process_time_ns() - started) / rounds / 1000


def _bare_write(path: Path, line: bytes) -> Callable[[], object]:
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)

    def write() -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, line)
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    return write


def _median(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter_ns()
        work()
        times.append(time.perf_counter_ns() - started)
    return statistics.median(times) / 1000


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:28} {value}")
