"""The watchdog notes what blocks a loop's thread, in this process and in programs that tests start."""

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
def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """As if this file were one of ours."""
    matches: list[str] = []
    monkeypatch.setattr(blocking, "_note", matches.append)
    monkeypatch.setattr(blocking, "_OURS", f"{os.sep}watchdog{os.sep}")
    monkeypatch.setattr(blocking, "_TESTS", "nowhere")
    return matches


@pytest.mark.parametrize("what", BLOCKING)
def test_what_blocks_is_noted_on_a_loop_and_nowhere_else(noted: list[str], tmp_path: Path, what: str) -> None:
    async def on_a_loop() -> None:
        BLOCKING[what](tmp_path / "loop")

    async def in_a_thread() -> None:
        await asyncio.to_thread(BLOCKING[what], tmp_path / "thread")

    for name in ("loop", "thread"):
        (tmp_path / name).mkdir()
    asyncio.run(in_a_thread())
    assert noted == []
    asyncio.run(on_a_loop())
    assert any(what in note for note in noted)


def told_by(script: Path) -> str:
    """What a program told that blocks its own loop."""
    script.parent.mkdir(parents=True)
    script.write_text(
        textwrap.dedent("""
            import asyncio, os
            async def main():
                os.fsync(os.open("/", os.O_RDONLY))
            asyncio.run(main())
        """)
    )
    message = script.with_name("told")
    message.touch()
    subprocess.run([sys.executable, script], env={**os.environ, "HANDRAIL_TEST_WATCHDOG": str(message)}, check=True)
    return message.read_text()


def test_a_program_that_a_test_starts_tells_too(tmp_path: Path) -> None:
    message = told_by(tmp_path / "handrail" / "blocks.py")
    assert "fsync" in message
    assert "blocks.main" in message


def test_a_library_is_not_ours_in_a_checkout_of_our_name_either(tmp_path: Path) -> None:
    assert told_by(tmp_path / "handrail" / ".venv" / "lib" / "site-packages" / "blocks.py") == ""
