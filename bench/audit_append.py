"""One audit record, and the check of 100,000 of them, beside the bare system calls that a shared log needs."""

import fcntl
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from handrail.kernel.audit import Audit
from handrail.stores.local.journal import JournalFile

ROUNDS = 20_000
DURABLE_ROUNDS = 300
RECORDS = 100_000

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
        for _ in range(RECORDS - audit.verify()):
            audit.append(RECORD)
        started = time.perf_counter()
        audit.verify()
        results["verify_100k_s"] = time.perf_counter() - started
        audit.close()
        plain.close()
    results["audit_over_bare"] = results["audit_append_us"] / results["bare_locked_write_us"]
    return {name: round(value, 2) for name, value in results.items()}


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
