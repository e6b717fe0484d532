"""Starts programs behind a keeper: a process that ends everything below it when handrail lets go of it."""

import asyncio
import os
import secrets
import signal
import subprocess
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress

from handrail.ports.errors import InputOutput
from handrail.ports.process_supervisor import STDIN, find_descendants, supervised_command

_LISTENS = "0A"
_SOCKET = "socket:["


def ports_below(root: int) -> list[int]:
    """The ports that processes below this one listen on, sorted."""
    processes = find_descendants(root)
    sockets = {inode for pid in processes for inode in _sockets(pid)}
    found: set[int] = set()
    for pid in processes:
        for table in ("tcp", "tcp6"):
            with suppress(OSError), open(f"/proc/{pid}/net/{table}", encoding="ascii") as lines:
                found |= {port for port, inode in map(_listener, lines) if inode in sockets and port is not None}
        if found:
            break  # its children share the network with it
    return sorted(found)


def _sockets(pid: int) -> set[str]:
    found = set()
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")
                if target.startswith(_SOCKET):
                    found.add(target.removeprefix(_SOCKET).rstrip("]"))
    return found


def _listener(line: str) -> tuple[int | None, str]:
    fields = line.split()
    if len(fields) < 10 or fields[3] != _LISTENS:
        return None, ""
    return int(fields[1].rpartition(":")[2], 16), fields[9]


MARK_VARIABLE = "HANDRAIL_RUN"
_MARKED_END_SECONDS = 5.0
_MARKED_PAUSE_SECONDS = 0.01


def processes_with_mark(mark: str) -> list[int]:
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(int(name))
    return found


def kill_marked(mark: str) -> None:
    """Stops processes before it kills them, so that none starts another, and waits until all are gone."""
    until = time.monotonic() + _MARKED_END_SECONDS
    while (left := processes_with_mark(mark)) and time.monotonic() < until:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in left:
                with suppress(OSError):
                    os.kill(pid, number)
        time.sleep(_MARKED_PAUSE_SECONDS)


_CHUNK = 256 * 1024
_MOST_IN_A_PIPE = 1024 * 1024
# Longer than a keeper asks and kills, so that only one that hangs itself is given up.
_ENDING_SECONDS = 10.0


def start_program(command: Sequence[str], folder: int, environ: Mapping[str, str]) -> "SupervisedProgram":
    """`folder` is an open descriptor; `environ` is the command's whole environment. InputOutput."""
    mark = secrets.token_hex(16)
    try:
        process = subprocess.Popen(
            supervised_command(command, STDIN),
            cwd=f"/proc/self/fd/{folder}",
            pass_fds=(folder,),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**environ, MARK_VARIABLE: mark},
            start_new_session=True,
        )
    except OSError as error:
        raise InputOutput(f"The command could not be started: {error.strerror}.") from None
    return SupervisedProgram(process, mark)


class SupervisedProgram:
    """One running command. Its stdin is empty, and its output and that of its children come as one stream."""

    def __init__(self, process: "subprocess.Popen[bytes]", mark: str) -> None:
        assert process.stdout is not None
        self._process = process
        self._mark = mark
        self._keeper = os.pidfd_open(process.pid)
        self._output = process.stdout
        os.set_blocking(self._output.fileno(), False)
        self._is_over = False

    @property
    def status(self) -> int | None:
        """The command's exit status, 128 and more for a signal as in a shell; None while it runs."""
        code = self._process.poll()
        return code if code is None or code >= 0 else 128 - code

    @property
    def may_have_left_something(self) -> bool:
        """Whether the command killed its keeper. What it had started was searched and ended, as far as it was found."""
        return (self._process.poll() or 0) < 0

    def ports(self) -> list[int]:
        return ports_below(self._process.pid)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Ends with the keeper, which ends last; output after that is not the command's."""
        while not self._is_over:
            await _readable(self._output.fileno(), self._keeper)
            if self._process.poll() is None:
                if chunk := self._read(_CHUNK):
                    yield chunk
                continue
            await self._end_what_is_left()
            rest = self._read(_MOST_IN_A_PIPE)
            self._finish()
            if rest:
                yield rest

    def end(self) -> None:
        """Ends it and everything that it started, without waiting."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    async def end_and_wait(self) -> None:
        """Ends it and waits until nothing is left, even if the wait is cancelled."""
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
            self._process.wait()
            await self._end_what_is_left()
            self._finish()

    async def _end_what_is_left(self) -> None:
        if self.may_have_left_something:
            await asyncio.to_thread(kill_marked, self._mark)

    def _read(self, most: int) -> bytes:
        """What can be read without waiting."""
        try:
            return os.read(self._output.fileno(), most)
        except BlockingIOError:
            return b""

    def _finish(self) -> None:
        self._is_over = True
        self.end()
        self._output.close()
        self._process.wait()
        os.close(self._keeper)


async def _readable(*descriptors: int) -> None:
    """Waits until one of them can be read."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    for descriptor in descriptors:
        loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        for descriptor in descriptors:
            loop.remove_reader(descriptor)
