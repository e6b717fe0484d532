"""How long the cage delays an agent: its start compared with other sandboxes, and work on 20,000 files without one."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.comparison import Comparison

_HANDRAIL = str(Path(sys.executable).with_name("handrail"))
_RIPGREP = Path(sys.executable).with_name("rg")
_ROOT = Path(__file__).parents[1]
_CODEX = _ROOT / "tests/peers/node_modules/.bin/codex"
_SRT = _ROOT / "bench/peers/node_modules/.bin/srt"
_STARTS = 15
_WORK_ROUNDS = 15
_WARM_SECONDS = 5.0
_FILES, _FOLDERS = 20_000, 200
_TIMED = 'while read -r; do a=$EPOCHREALTIME; {command} < /dev/null > /dev/null; b=$EPOCHREALTIME; echo "$a $b"; done'


def measure() -> list[Comparison]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        path = f"{os.environ.get('PATH', '')}:{_RIPGREP.parent}"  # srt needs ripgrep and socat in PATH
        environment = {**os.environ, "HANDRAIL_STATE": str(state), "PATH": path}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed programs have compiled bytecode
        comparisons = [_start(project, environment, *peer) for peer in _peers()]
        _fill(project)
        work = (("`git status`", "git status --porcelain"), ("`rg`", f"{_RIPGREP} -c needle ."))
        return [*comparisons, *(_work(project, environment, name, command) for name, command in work)]


def _peers() -> list[tuple[str, list[str], float]]:
    return [
        ("`codex sandbox`", [str(_CODEX), "sandbox", "--"], 0.5),
        ("`srt` (@anthropic-ai/sandbox-runtime)", [str(_SRT)], 0.3),
    ]


def _start(project: Path, environment: dict[str, str], name: str, command: list[str], target: float) -> Comparison:
    """From starting the command to the first byte that the program inside writes, alternately."""
    commands = ([_HANDRAIL, "run", "--", "echo", "x"], [*command, "echo", "x"])
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(_STARTS + 1):
        for words, samples in zip(commands, times, strict=True):
            samples.append(_first_byte(words, project, environment))
    ours, theirs = (statistics.median(samples[1:]) for samples in times)
    return Comparison("cage: start to first instruction", name, ours, theirs, target)


def _first_byte(command: Sequence[str], project: Path, environment: dict[str, str]) -> float:
    started = time.perf_counter()
    with subprocess.Popen(
        command, cwd=project, env=environment, stdin=-3, stdout=subprocess.PIPE, stderr=-3
    ) as process:
        assert process.stdout is not None
        if not os.read(process.stdout.fileno(), 1):
            raise RuntimeError(f"{command} wrote nothing")
        elapsed = (time.perf_counter() - started) * 1000
        process.communicate()
    return elapsed


def _fill(project: Path) -> None:
    for number in range(_FILES):
        file = project / f"folder-{number % _FOLDERS}" / f"file-{number}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"line {number}\n" * 20 + ("needle\n" if number % 500 == 0 else ""))
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=project, check=True)


def _work(project: Path, environment: dict[str, str], name: str, command: str) -> Comparison:
    """Inside and outside in turns. Warm: at first, handrail is still being imported and saves the project's state."""
    script = ["bash", "-c", _TIMED.format(command=command)]
    caged = [_HANDRAIL, "run", "--mount", str(_RIPGREP.parent.parent), "--", *script]
    with _shell(caged, project, environment) as inside, _shell(script, project, environment) as outside:
        started = time.monotonic()
        while time.monotonic() - started < _WARM_SECONDS:
            inside()
            outside()
        rounds = [(inside(), outside()) for _ in range(_WORK_ROUNDS)]
    ours, theirs = (statistics.median(times) for times in zip(*rounds, strict=True))
    return Comparison(f"cage: {name} over {_FILES:,} files, warm", "the same outside", ours, theirs, 1.5)


@contextmanager
def _shell(command: Sequence[str], project: Path, environment: dict[str, str]) -> Iterator[Callable[[], float]]:
    """Yields a function that runs the shell's work once and returns the milliseconds that it took."""
    with subprocess.Popen(
        command, cwd=project, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=-3, text=True
    ) as process:

        def run() -> float:
            assert process.stdin is not None
            assert process.stdout is not None
            print(file=process.stdin, flush=True)
            start, end = process.stdout.readline().split()
            return (float(end) - float(start)) * 1000

        yield run
