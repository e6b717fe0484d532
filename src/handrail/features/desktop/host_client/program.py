"""The host as a program to start: its command, and the log that it writes to."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_LARGEST_LOG = 1 << 20


async def started(socket: Path, root: str, state: Path, *more: str, stdin: int) -> asyncio.subprocess.Process:
    """For who waits for its end. In a session of its own, so that Ctrl-C at a terminal reaches only who started it."""
    with _log_of(socket) as log:
        return await asyncio.create_subprocess_exec(
            *_command(socket, root, state, more), stdin=stdin, stdout=log, stderr=log, start_new_session=True
        )


def detached(socket: Path, root: str, state: Path, *more: str) -> "subprocess.Popen[bytes]":
    """For who may end before it: asyncio would kill a child whose loop is closed."""
    with _log_of(socket) as log:
        return subprocess.Popen(
            _command(socket, root, state, more),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def last_words(socket: Path) -> str:
    """The last line of its log, for people who wonder why it ended."""
    try:
        lines = _log(socket).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1][:500] if lines else ""


@contextmanager
def _log_of(socket: Path) -> Iterator[int]:
    log = os.open(_log(socket), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        if os.fstat(log).st_size > _LARGEST_LOG:
            os.ftruncate(log, 0)
        yield log
    finally:
        os.close(log)


def _log(socket: Path) -> Path:
    return socket.with_suffix(".log")


def _command(socket: Path, root: str, state: Path, more: Sequence[str]) -> list[str]:
    places = ["--socket", str(socket), "--workspace-root", root, "--state", str(state)]
    return [sys.executable, "-m", "handrail", "desktop-host", *places, *more]
