"""Calls a person to the console when a question finds nobody watching: starts the server, opens a browser.

The server that is started here outlives neither its use nor its users: it holds the other end of a pipe of ours, and
ends by itself once that is closed and nobody has used it for a while. What is said to the caller holds no code that
would let it in: the caller is the agent's own program.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LOG = "up.log"
_MARK = "summons"
_START_SECONDS = 20.0
_LOOK_EVERY_SECONDS = 0.05
_UNUSED_SECONDS = 600
_AGAIN_AFTER_SECONDS = 60.0  # a browser that was just asked for may still be loading the console
_BY_TERMINAL = "`handrail prompts` answers in a terminal"


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where the question is asked: the folders that the server is to work on, and how to find it."""

    state: Path
    project: Path
    running: Callable[[], str | None]
    """The address of the server that runs on this state directory."""
    is_watched: Callable[[], bool]
    opens_console: bool
    """Whether there is a display to open it on, and the user wants that."""


class Summons:
    def __init__(self, place: Whereabouts) -> None:
        self._place = place
        self._turn = asyncio.Lock()
        self._pipe: int | None = None

    async def call(self) -> str | None:
        """Words for the caller on where the person finds the question; None when somebody watches already."""
        async with self._turn:
            if await asyncio.to_thread(self._place.is_watched):
                return None
            may_open = self._place.opens_console and not self._has_just_called()
            address = self._place.running()
            if address is not None and may_open:
                await self._open()
            elif address is None:
                address = await self._start()
            if address is None:
                return f"Nobody is watching, and the console could not be started; {_BY_TERMINAL}."
            if self._place.opens_console:
                return f"Nobody was watching: the console opens in a browser ({address}); {_BY_TERMINAL} as well."
            return (
                f"Nobody is watching: the console is at {address} "
                f"(`handrail open --print` lets a browser in); {_BY_TERMINAL} as well."
            )

    def close(self) -> None:
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    def _has_just_called(self) -> bool:
        """By this process or another."""
        try:
            return time.time() - os.stat(self._place.state / _MARK).st_mtime < _AGAIN_AFTER_SECONDS
        except FileNotFoundError:
            return False

    def _note_call(self) -> None:
        with suppress(OSError):
            (self._place.state / _MARK).touch(mode=0o600)

    async def _open(self) -> None:
        self._note_call()
        opening = await asyncio.create_subprocess_exec(
            *_command("open", "--state", str(self._place.state)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        await opening.wait()

    async def _start(self) -> str | None:
        """On the port of the settings, or on any where that is taken."""
        self._note_call()
        for more in ([], ["--port", "0"]):
            if (address := await self._started(more)) is not None:
                return address
        return None

    async def _started(self, more: Sequence[str]) -> str | None:
        folders = ["--state", str(self._place.state), "--project", str(self._place.project)]
        self.close()
        reading, self._pipe = os.pipe()
        log = os.open(self._place.state / _LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            server = await asyncio.create_subprocess_exec(
                *_command("up", *folders, "--until-unused", str(_UNUSED_SECONDS), *more),
                stdin=reading,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        finally:
            os.close(reading)
            os.close(log)
        deadline = time.monotonic() + _START_SECONDS
        while (address := self._place.running()) is None and time.monotonic() < deadline:
            if await _has_ended(server, _LOOK_EVERY_SECONDS):
                return self._place.running()
        return address


async def _has_ended(process: asyncio.subprocess.Process, seconds: float) -> bool:
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        return False
    return True


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "handrail", *words]
