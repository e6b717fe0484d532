"""Opens the question queue for the tools that ask, and the console when nobody is watching the queue."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from handrail.kernel.abandoned_prompts import AbandonedPrompts

if TYPE_CHECKING:
    from handrail.kernel.project import Project
    from handrail.ports.prompt_queue import PromptQueue


_LOG = "up.log"
_MARK = "summons"
_START_SECONDS = 20.0
_POLL_SECONDS = 0.05
_UNUSED_SECONDS = 600
_COOLDOWN_SECONDS = 60.0  # a browser that was just opened may still be loading the console
_IN_TERMINAL = "answer in a terminal with `handrail prompts`."


class ConsoleOpener:
    """Brings a person to the console when nobody is watching a new question: starts the server, opens a browser.

    A server that is started here holds the other end of our pipe, and ends by itself once the pipe is closed and
    nobody has used the server for a while. The text for the caller contains no sign-in code, because the caller is
    the agent's own program.
    """

    def __init__(self, project: Project) -> None:
        stores = project.stores
        self._state, self._project = stores.path, project.location
        self._running_server, self._is_watched = stores.running_server, stores.is_watched
        self._opens_console = project.settings.open_console and project.machine.has_display()
        self._lock = asyncio.Lock()
        self._pipe: int | None = None

    async def call(self) -> str | None:
        """Returns a text for the caller on where the question is; None if somebody is watching already."""
        async with self._lock:
            if await asyncio.to_thread(self._is_watched):
                return None
            may_open = self._opens_console and not self._was_just_opened()
            address = self._address()
            if address is not None and may_open:
                await self._open()
            elif address is None:
                address = await self._start()
            if address is None:
                return f"No one is watching, and the console could not be started. Please {_IN_TERMINAL}"
            if self._opens_console:
                return f"No one was watching, so the console opens in a browser ({address}). Or {_IN_TERMINAL}"
            return (
                f"No one is watching. Open the console at {address} "
                f"(`handrail open --print` prints a sign-in link), or {_IN_TERMINAL}"
            )

    def close(self) -> None:
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    def _address(self) -> str | None:
        """The address of the server that runs on this state directory."""
        server = self._running_server()
        return server.url if server is not None and server.is_running else None

    def _was_just_opened(self) -> bool:
        """Whether this or another process opened it recently."""
        try:
            return time.time() - os.stat(self._state / _MARK).st_mtime < _COOLDOWN_SECONDS
        except FileNotFoundError:
            return False

    def _record_opening(self) -> None:
        with suppress(OSError):
            (self._state / _MARK).touch(mode=0o600)

    async def _open(self) -> None:
        self._record_opening()
        process = await asyncio.create_subprocess_exec(
            *_command("open", "--state", str(self._state)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        await process.wait()

    async def _start(self) -> str | None:
        """Starts it on the port of the settings, or on any free port if that is taken."""
        self._record_opening()
        for options in ([], ["--port", "0"]):
            if (address := await self._start_server(options)) is not None:
                return address
        return None

    async def _start_server(self, options: Sequence[str]) -> str | None:
        folders = ["--state", str(self._state), "--project", self._project]
        self.close()
        read_end, self._pipe = os.pipe()
        log = os.open(self._state / _LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            server = await asyncio.create_subprocess_exec(
                *_command("up", *folders, "--until-unused", str(_UNUSED_SECONDS), *options),
                stdin=read_end,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        finally:
            os.close(read_end)
            os.close(log)
        deadline = time.monotonic() + _START_SECONDS
        while (address := self._address()) is None and time.monotonic() < deadline:
            if await _has_ended(server, _POLL_SECONDS):
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
async def withdraw_abandoned(project: Project) -> AsyncIterator[None]:
    """While a server runs, withdraws approvals whose callers have gone away."""
    watching = asyncio.create_task(AbandonedPrompts(project.stores.prompts).watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
