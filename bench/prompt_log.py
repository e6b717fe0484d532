"""The prompt log: finding pending prompts when starting on a long log, and concurrent appends."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.comparison import Comparison, in_turns
from handrail.kernel.prompts.log import PromptLog
from handrail.stores.local.journal import JournalFile

_LINES = 1_000_000
_PENDING = 1_000
_WRITERS = 8
_APPENDS = 100
_START_ROUNDS = 11
_APPEND_ROUNDS = 7

# As in contract 5
_REQUEST = (
    '{"ts":"2026-01-11T00:00:00.000Z","type":"ui_prompt","action":"request","requestId":"%s","runId":"run-1",'
    '"prompt":{"kind":"file_change_confirm","title":"文件变更确认","message":"即将写入文件。","allowCancel":true,'
    '"source":"filesystem/write_file","path":"src/app.js",'
    '"diff":"--- a/src/app.js\\n+++ b/src/app.js\\n@@ -1 +1 @@\\n-a\\n+b\\n"}}\n'
)
_RESPONSE = (
    '{"ts":"2026-01-11T00:00:10.000Z","type":"ui_prompt","action":"response","requestId":"%s","runId":"run-1",'
    '"response":{"status":"ok","remark":"继续执行"}}\n'
)
_PROMPT = {"kind": "file_change_confirm", "path": "src/app.js", "diff": "--- a/src/app.js\n+++ b/src/app.js\n"}


def measure() -> list[Comparison]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-", dir=Path.cwd()) as folder:
        start = _start(Path(folder, "long.jsonl"))
        return [start, _appends(Path(folder), "write"), _appends(Path(folder), "write-named")]


def _start(log: Path) -> Comparison:
    _write_long_log(log)
    megabytes = int(_child("rss", log).communicate()[0])
    times = in_turns(lambda: _pending(log), lambda: _count_lines(log), rounds=_START_ROUNDS)
    return Comparison(
        f"pending prompts of a log of {_LINES:,} lines, in {megabytes} MB",
        "reading it and counting newlines",
        *times,
        target=4,
    )


def _write_long_log(log: Path) -> None:
    """Each answer follows a few requests later; every five-hundredth request stays open."""
    open_ids: list[str] = []
    with log.open("w", encoding="utf-8") as file:
        requests = (_LINES + _PENDING) // 2
        for number in range(requests):
            request_id = f"{number * 2654435761 % 2**32:08x}-7a3c-4e21-9b5d-{number:012x}"
            file.write(_REQUEST % request_id)
            if number % (requests // _PENDING):
                open_ids.append(request_id)
            if len(open_ids) > 20:
                file.write(_RESPONSE % open_ids.pop(number % 20))


def _pending(log: Path) -> int:
    return len(PromptLog(JournalFile(log)).view.pending())


def _count_lines(log: Path) -> int:
    count = 0
    with log.open("rb", buffering=0) as file:
        while block := file.read(1 << 20):
            count += block.count(b"\n")
    return count


def _appends(folder: Path, role: str) -> Comparison:
    """The time per append, of many writers and of one. Takes the round with the median ratio, because disks vary."""
    rounds = [
        Comparison(
            f"one prompt appended by {_WRITERS} writers at once" + ", each with its own ID" * (role == "write-named"),
            "one fsynced append, one writer",
            _append_together(folder / f"{role}.jsonl", role),
            _append_alone(folder / "alone.jsonl"),
            target=2,
        )
        for _ in range(_APPEND_ROUNDS)
    ]
    return sorted(rounds, key=lambda comparison: comparison.ratio)[_APPEND_ROUNDS // 2]


def _append_together(log: Path, role: str) -> float:
    writers = [_child(role, log) for _ in range(_WRITERS)]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    started = time.perf_counter()
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    elapsed = (time.perf_counter() - started) * 1000
    for writer in writers:
        writer.communicate()
    return elapsed / (_WRITERS * _APPENDS)


def _append_alone(log: Path) -> float:
    line = b"x" * 259 + b"\n"  # about as long as our entries
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    started = time.perf_counter()
    for _ in range(_WRITERS * _APPENDS):
        os.write(descriptor, line)
        os.fsync(descriptor)
    elapsed = (time.perf_counter() - started) * 1000
    os.close(descriptor)
    return elapsed / (_WRITERS * _APPENDS)


def _child(*args: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.prompt_log", *map(str, args)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _main(role: str, log: Path) -> None:
    if role == "rss":
        _pending(log)
        status = Path("/proc/self/status").read_text().split("VmHWM:")[1]
        print(int(status.split()[0]) // 1024)
        return
    prompts = PromptLog(JournalFile(log))
    prompts.view.pending()
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(_APPENDS):
        name = f"{os.getpid()}-{time.time_ns()}-{number}" if role == "write-named" else None
        prompts.request(_PROMPT, request_id=name)
    print("done", flush=True)


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]))
