"""What the tools that ask people share, the queue of questions; and what looks after it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from handrail.kernel.queue_approver import AbandonedPrompts

if TYPE_CHECKING:
    from handrail.kernel.project import Project
    from handrail.ports.prompt_queue import PromptQueue


_LOG = "up.log"
_MARK = "summons"
_START_SECONDS = 20.0
_LOOK_EVERY_SECONDS = 0.05
_UNUSED_SECONDS = 600
_AGAIN_AFTER_SECONDS = 60.0  # a browser that was just asked for may still be loading the console
_BY_TERMINAL = "`handrail prompts` answers in a terminal"


class Summons:
    """Calls a person to the console when a question finds nobody watching: starts the server, opens a browser.

    The server that is started here holds the other end of a pipe of ours, and ends by itself once that is closed and
    nobody has used it for a while. What is said to the caller holds no code that would let it in: the caller is the
    agent's own program.
    """

    def __init__(self, project: Project) -> None:
        stores = project.stores
        self._state, self._project = stores.path, project.location
        self._running_server, self._is_watched = stores.running_server, stores.is_watched
        self._opens_console = project.settings.open_console and project.machine.has_display()
        self._turn = asyncio.Lock()
        self._pipe: int | None = None

    async def call(self) -> str | None:
        """Words for the caller on where the person finds the question; None when somebody watches already."""
        async with self._turn:
            if await asyncio.to_thread(self._is_watched):
                return None
            may_open = self._opens_console and not self._has_just_called()
            address = self._address()
            if address is not None and may_open:
                await self._open()
            elif address is None:
                address = await self._start()
            if address is None:
                return f"No one is watching, and the console could not be started; {_BY_TERMINAL}."
            if self._opens_console:
                return f"No one was watching: the console opens in a browser ({address}); {_BY_TERMINAL} as well."
            return (
                f"No one is watching: the console is at {address} "
                f"(`handrail open --print` lets a browser in); {_BY_TERMINAL} as well."
            )

    def close(self) -> None:
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    def _address(self) -> str | None:
        """Of the server that runs on this state directory."""
        server = self._running_server()
        return server.url if server is not None and server.is_running else None

    def _has_just_called(self) -> bool:
        """By this process or another."""
        try:
            return time.time() - os.stat(self._state / _MARK).st_mtime < _AGAIN_AFTER_SECONDS
        except FileNotFoundError:
            return False

    def _note_call(self) -> None:
        with suppress(OSError):
            (self._state / _MARK).touch(mode=0o600)

    async def _open(self) -> None:
        self._note_call()
        opening = await asyncio.create_subprocess_exec(
            *_command("open", "--state", str(self._state)),
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
        folders = ["--state", str(self._state), "--project", self._project]
        self.close()
        reading, self._pipe = os.pipe()
        log = os.open(self._state / _LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
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
        while (address := self._address()) is None and time.monotonic() < deadline:
            if await _has_ended(server, _LOOK_EVERY_SECONDS):
                return self._address()
        return address


async def _has_ended(process: asyncio.subprocess.Process, seconds: float) -> bool:
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        return False
    return True


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "handrail", *words]


def open_queue(project: Project) -> PromptQueue:
    return project.stores.prompts


@asynccontextmanager
async def withdrawing(project: Project) -> AsyncIterator[None]:
    """While a server runs, approvals whose callers went are withdrawn in their time."""
    watching = asyncio.create_task(AbandonedPrompts(project.stores.prompts).watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
