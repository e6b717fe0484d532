"""The host as a program to start: its command, and the log that it writes to."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


async def started(
    socket: Path, root: str, state: Path, *more: str, stdin: int = subprocess.DEVNULL
) -> asyncio.subprocess.Process:
    """In a session of its own, so that Ctrl-C at a terminal reaches only who started it."""
    log = os.open(_log(socket), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        return await asyncio.create_subprocess_exec(
            *_command(socket, root, state, more), stdin=stdin, stdout=log, stderr=log, start_new_session=True
        )
    finally:
        os.close(log)


def last_words(socket: Path) -> str:
    """The last line of its log, for people who wonder why it ended."""
    try:
        lines = _log(socket).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1][:500] if lines else ""


def _log(socket: Path) -> Path:
    return socket.with_suffix(".log")


def _command(socket: Path, root: str, state: Path, more: Sequence[str]) -> list[str]:
    places = ["--socket", str(socket), "--workspace-root", root, "--state", str(state)]
    return [sys.executable, "-m", "handrail", "desktop-host", *places, *more]
