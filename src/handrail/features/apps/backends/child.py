"""A running process of a stdio app or server: lines in, lines out, the end of its stderr. Independent of protocols.

Standard error is read all the time, because a full pipe would stop the process.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Literal

from handrail.kernel.line_framer import LineFramer

_CHUNK = 1 << 18
_LAST_WORDS = 2000
_TIMEOUT_SECONDS = 2.0
"""How long an app may take to end before it is killed."""

OnLines = Callable[[list[bytes]], None]
OnStderr = Callable[[bytes], None]
EndReason = Literal["ended", "too long", "not understood"]


class Child:
    """`on_lines` gets the complete lines of each read; `on_end` is called once, when no more can come.

    `on_stderr` gets what it writes to stderr. `kill` replaces the signal to its session as the way to end it.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        longest: int,
        on_lines: OnLines,
        on_end: Callable[[EndReason], None],
        on_stderr: OnStderr | None = None,
        kill: Callable[[], None] | None = None,
    ) -> None:
        self._process = process
        self._on_stderr = on_stderr
        self._kill = kill
        self._longest = longest
        self._on_lines = on_lines
        self._on_end = on_end
        self._stderr_tail = bytearray()
        self._tasks = [asyncio.create_task(self._read_stdout()), asyncio.create_task(self._drain_stderr())]
        self.is_alive = True

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        env: Mapping[str, str],
        folder: str,
        longest: int,
        on_lines: OnLines,
        on_end: Callable[[EndReason], None],
        *,
        on_stderr: OnStderr | None = None,
        kill: Callable[[], None] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> "Child":
        """Starts it in a session of its own, so that everything it starts ends with it. OSError."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=dict(env),
            cwd=folder,
            start_new_session=True,
            pass_fds=pass_fds,
        )
        return cls(process, longest, on_lines, on_end, on_stderr, kill)

    async def write(self, line: bytes) -> None:
        """ConnectionError: the process has closed its stdin."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        await self._process.stdin.drain()

    @property
    def last_words(self) -> str:
        return bytes(self._stderr_tail[-_LAST_WORDS:]).decode(errors="replace").strip()

    def kill(self) -> None:
        self.is_alive = False
        if self._kill is not None:
            self._kill()
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def close(self) -> None:
        """Closes its stdin, which asks the app to end, and kills it if it doesn't end in time."""
        self.is_alive = False
        if self._process.stdin is not None:
            self._process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                await self._process.wait()
        await self.destroy()

    async def destroy(self) -> None:
        self.kill()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # asyncio considers a process ended only when its pipes are, and notices that of a full pipe only on a read.
        await asyncio.gather(self._process.wait(), _empty(self._process.stdout), _empty(self._process.stderr))

    async def _read_stdout(self) -> None:
        """Reports the end, whatever caused it."""
        reason: EndReason = "not understood"
        try:
            reason = await self._read_lines()
        except asyncio.CancelledError:
            reason = "ended"
            raise
        finally:
            self.kill()
            self._on_end(reason)

    async def _read_lines(self) -> EndReason:
        assert self._process.stdout is not None
        framer = LineFramer(self._longest)
        while part := await self._process.stdout.read(_CHUNK):
            lines = framer.feed(part)
            complete = [line for line in lines if isinstance(line, bytes)]
            if len(complete) < len(lines):
                return "too long"
            if complete:
                self._on_lines(complete)
            if framer.is_overlong:
                return "too long"
        return "ended"

    async def _drain_stderr(self) -> None:
        assert self._process.stderr is not None
        while part := await self._process.stderr.read(_CHUNK):
            if self._on_stderr is not None:
                self._on_stderr(part)
            self._stderr_tail += part
            del self._stderr_tail[:-_LAST_WORDS]


async def _empty(pipe: asyncio.StreamReader | None) -> None:
    while pipe is not None and await pipe.read(_CHUNK):
        pass
