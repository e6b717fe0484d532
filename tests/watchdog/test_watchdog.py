"""The watchdog records blocking calls on a loop's thread, in this process and in programs that tests start."""

import asyncio
import fcntl
import os
import socket
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.watchdog import blocking

BLOCKING: dict[str, Callable[[Path], Any]] = {
    "fsync": lambda folder: os.fsync(os.open(folder, os.O_RDONLY)),
    "flock": lambda folder: fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX),
    "sqlite": lambda folder: sqlite3.connect(folder / "rows.db").execute("CREATE TABLE a (b)"),
    "connect": lambda folder: _refused(folder),
    "open": lambda folder: _fifo(folder),
}


def _refused(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as connecting:
        connecting.connect_ex(str(folder / "nobody.sock"))


def _fifo(folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    os.close(os.open(folder / "fifo", os.O_RDWR))


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Treats this file as part of handrail."""
    matches: list[str] = []
    monkeypatch.setattr(blocking, "_note", matches.append)
    monkeypatch.setattr(blocking, "_OURS", f"{os.sep}watchdog{os.sep}")
    monkeypatch.setattr(blocking, "_TESTS", "nowhere")
    return matches


@pytest.mark.parametrize("what", BLOCKING)
def test_blocking_calls_are_recorded_only_on_an_event_loop(reports: list[str], tmp_path: Path, what: str) -> None:
    async def on_a_loop() -> None:
        BLOCKING[what](tmp_path / "loop")

    async def in_a_thread() -> None:
        await asyncio.to_thread(BLOCKING[what], tmp_path / "thread")

    for name in ("loop", "thread"):
        (tmp_path / name).mkdir()
    asyncio.run(in_a_thread())
    assert reports == []
    asyncio.run(on_a_loop())
    assert any(what in note for note in reports)


def reported_by(script: Path, *, loop: str = "asyncio", starter: Path | None = None) -> str:
    """Returns the report of a program that blocks its own loop; the starter is what calls it, if not Python."""
    script.parent.mkdir(parents=True)
    script.write_text(
        textwrap.dedent(f"""
            import os, {loop}
            async def main():
                os.fsync(os.open("/", os.O_RDONLY))
            def start():
                {loop}.run(main())
            {"" if starter else "start()"}
        """)
    )
    if starter is not None:
        starter.parent.mkdir(parents=True)
        starter.write_text(f"import runpy\nrunpy.run_path({str(script)!r})['start']()\n")
    message = script.with_name("told")
    message.touch()
    env = {**os.environ, "HANDRAIL_TEST_WATCHDOG": str(message)}
    subprocess.run([sys.executable, starter or script], env=env, check=True)
    return message.read_text()


def test_programs_started_by_a_test_report_blocking_calls_too(tmp_path: Path) -> None:
    message = reported_by(tmp_path / "handrail" / "blocks.py")
    assert "fsync" in message
    assert "blocks.main" in message


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_program_that_the_tests_fork_reports_blocking_calls_too(tmp_path: Path, loop: str) -> None:
    """One of the tests' functions (`tests/quick_start.py`) called it, as if a test had blocked a loop of its own."""
    starter = tmp_path / "tests" / "quick_start.py"
    assert "blocks.main" in reported_by(tmp_path / "handrail" / "blocks.py", loop=loop, starter=starter)


def test_libraries_are_not_ours_even_in_a_checkout_named_handrail(tmp_path: Path) -> None:
    assert reported_by(tmp_path / "handrail" / ".venv" / "lib" / "site-packages" / "blocks.py") == ""
