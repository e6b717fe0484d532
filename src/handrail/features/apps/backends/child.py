"""One running process of a stdio app or server: lines in, lines out, the end of its standard error. Knows no request.

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
_PATIENCE = 2.0
"""How long an app may take to end before it is killed."""

Heard = Callable[[list[bytes]], None]
Said = Callable[[bytes], None]
Why = Literal["ended", "too long", "not understood"]


class Child:
    """`heard` gets the whole lines of one reading at a time; `ended` is called once, when nothing more can come.

    `said` gets what it writes to standard error. `kill` ends it in another way than by a signal to its session.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        longest: int,
        heard: Heard,
        ended: Callable[[Why], None],
        said: Said | None = None,
        kill: Callable[[], None] | None = None,
    ) -> None:
        self._process = process
        self._report = said
        self._kill = kill
        self._longest = longest
        self._heard = heard
        self._ended = ended
        self._said = bytearray()
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._drain())]
        self.is_alive = True

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        env: Mapping[str, str],
        folder: str,
        longest: int,
        heard: Heard,
        ended: Callable[[Why], None],
        *,
        said: Said | None = None,
        kill: Callable[[], None] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> "Child":
        """OSError. In a session of its own, so that all that it starts ends with it."""
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
        return cls(process, longest, heard, ended, said, kill)

    async def write(self, line: bytes) -> None:
        """ConnectionError: it has closed its input."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        await self._process.stdin.drain()

    @property
    def last_words(self) -> str:
        return bytes(self._said[-_LAST_WORDS:]).decode(errors="replace").strip()

    def kill(self) -> None:
        self.is_alive = False
        if self._kill is not None:
            self._kill()
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def close(self) -> None:
        """Closes its input, which tells the app to end, and waits a little before it is killed."""
        self.is_alive = False
        if self._process.stdin is not None:
            self._process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._process.wait()
        await self.destroy()

    async def destroy(self) -> None:
        self.kill()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # asyncio takes a process for ended once its pipes are, and a full one is not looked at until somebody reads.
        await asyncio.gather(self._process.wait(), _empty(self._process.stdout), _empty(self._process.stderr))

    async def _listen(self) -> None:
        """However it ends, waiting callers are told."""
        why: Why = "not understood"
        try:
            why = await self._heard_to_the_end()
        except asyncio.CancelledError:
            why = "ended"
            raise
        finally:
            self.kill()
            self._ended(why)

    async def _heard_to_the_end(self) -> Why:
        assert self._process.stdout is not None
        framer = LineFramer(self._longest)
        while part := await self._process.stdout.read(_CHUNK):
            lines = framer.feed(part)
            whole = [line for line in lines if isinstance(line, bytes)]
            if len(whole) < len(lines):
                return "too long"
            if whole:
                self._heard(whole)
            if framer.is_overlong:
                return "too long"
        return "ended"

    async def _drain(self) -> None:
        assert self._process.stderr is not None
        while part := await self._process.stderr.read(_CHUNK):
            if self._report is not None:
                self._report(part)
            self._said += part
            del self._said[:-_LAST_WORDS]


async def _empty(pipe: asyncio.StreamReader | None) -> None:
    while pipe is not None and await pipe.read(_CHUNK):
        pass
