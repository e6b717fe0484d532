"""Programs behind a keeper: a process between us and the command, which ends everything when we let go of it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from handrail.backends.programs import keeper
from handrail.backends.programs.listening import ports_below
from handrail.contract.errors import InputOutput

_KEEPER = str(Path(keeper.__file__).resolve())
_CHUNK = 256 * 1024
# Longer than a keeper asks and kills, so that only one that hangs itself is given up.
_ENDING_SECONDS = 10.0


class KeptPrograms:
    def start(self, command: Sequence[str], folder: int, environ: Mapping[str, str]) -> "KeptProgram":
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", _KEEPER, *command],
                cwd=f"/proc/self/fd/{folder}",
                pass_fds=(folder,),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=dict(environ),
                start_new_session=True,
            )
        except OSError as error:
            raise InputOutput(f"The command could not be started: {error.strerror}.") from None
        return KeptProgram(process)


class KeptProgram:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        self._process = process
        self._output = process.stdout
        os.set_blocking(self._output.fileno(), False)
        self._is_over = False

    @property
    def status(self) -> int | None:
        return self._process.poll()

    def ports(self) -> list[int]:
        return ports_below(self._process.pid)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The keeper holds the other end too: the stream ends when nothing is left that could print."""
        while not self._is_over:
            await _readable(self._output.fileno())
            with suppress(BlockingIOError):
                chunk = os.read(self._output.fileno(), _CHUNK)
                if chunk:
                    yield chunk
                else:
                    self._finish()

    def end(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    async def ended(self) -> None:
        if self._is_over:
            return
        import anyio  # 20 ms, and most programs end by themselves

        self.end()
        with anyio.CancelScope(shield=True):
            rest = asyncio.ensure_future(self._drained())
            while not rest.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({rest})
            rest.result()

    async def _drained(self) -> None:
        try:
            async with asyncio.timeout(_ENDING_SECONDS):
                async for _ in self.chunks():
                    pass
        except TimeoutError:
            self._process.kill()
            self._finish()

    def _finish(self) -> None:
        self._is_over = True
        self.end()
        self._output.close()
        self._process.wait()


async def _readable(descriptor: int) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
