"""Starts programs behind a supervisor: a process that ends everything below it when handrail exits or lets go."""

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
    """Returns the ports that the processes below this one listen on, sorted."""
    processes = find_descendants(root)
    sockets = {inode for pid in processes for inode in _sockets(pid)}
    ports: set[int] = set()
    for pid in processes:
        for table in ("tcp", "tcp6"):
            with suppress(OSError), open(f"/proc/{pid}/net/{table}", encoding="ascii") as lines:
                ports |= {port for port, inode in map(_listener, lines) if inode in sockets and port is not None}
        if ports:
            break  # its children share the network with it
    return sorted(ports)


def _sockets(pid: int) -> set[str]:
    inodes = set()
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")
                if target.startswith(_SOCKET):
                    inodes.add(target.removeprefix(_SOCKET).rstrip("]"))
    return inodes


def _listener(line: str) -> tuple[int | None, str]:
    fields = line.split()
    if len(fields) < 10 or fields[3] != _LISTENS:
        return None, ""
    return int(fields[1].rpartition(":")[2], 16), fields[9]


MARK_VARIABLE = "HANDRAIL_RUN"
_MARKED_END_SECONDS = 5.0
_MARKED_PAUSE_SECONDS = 0.01


def processes_with_mark(mark: str) -> list[int]:
    assignment = f"{MARK_VARIABLE}={mark}".encode()
    pids = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                if assignment in file.read().split(b"\0"):
                    pids.append(int(name))
    return pids


def kill_marked(mark: str) -> None:
    """Stops the processes before killing them, so that none starts another, and waits until all are gone."""
    deadline = time.monotonic() + _MARKED_END_SECONDS
    while (pids := processes_with_mark(mark)) and time.monotonic() < deadline:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                with suppress(OSError):
                    os.kill(pid, number)
        time.sleep(_MARKED_PAUSE_SECONDS)


_CHUNK = 256 * 1024
_MOST_IN_A_PIPE = 1024 * 1024
# Longer than the supervisor needs to end its processes, so that only a supervisor that hangs is killed.
_ENDING_SECONDS = 10.0


def start_program(command: Sequence[str], folder: int, environ: Mapping[str, str]) -> "SupervisedProgram":
    """`folder` is an open descriptor; `environ` is the whole environment. Raises InputOutput."""
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
    """A running command. Its stdin is empty; its output and its children's come as one stream."""

    def __init__(self, process: "subprocess.Popen[bytes]", mark: str) -> None:
        assert process.stdout is not None
        self._process = process
        self._mark = mark
        self._supervisor = os.pidfd_open(process.pid)
        self._output = process.stdout
        os.set_blocking(self._output.fileno(), False)
        self._has_ended = False

    @property
    def status(self) -> int | None:
        """The exit status, 128 and more for a signal as in a shell; None while it runs."""
        code = self._process.poll()
        return code if code is None or code >= 0 else 128 - code

    @property
    def may_have_left_something(self) -> bool:
        """Whether the command killed its supervisor, so that some of its processes may not have been found."""
        return (self._process.poll() or 0) < 0

    def ports(self) -> list[int]:
        return ports_below(self._process.pid)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Ends with the supervisor, which ends last; later output isn't the command's."""
        while not self._has_ended:
            await _readable(self._output.fileno(), self._supervisor)
            if self._process.poll() is None:
                if chunk := self._read(_CHUNK):
                    yield chunk
                continue
            await self._kill_remaining()
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
        if self._has_ended:
            return
        import anyio  # takes 20 ms, and most programs end on their own

        self.end()
        with anyio.CancelScope(shield=True):
            rest = asyncio.ensure_future(self._drain())
            while not rest.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({rest})
            rest.result()

    async def _drain(self) -> None:
        try:
            async with asyncio.timeout(_ENDING_SECONDS):
                async for _ in self.chunks():
                    pass
        except TimeoutError:
            self._process.kill()
            self._process.wait()
            await self._kill_remaining()
            self._finish()

    async def _kill_remaining(self) -> None:
        if self.may_have_left_something:
            await asyncio.to_thread(kill_marked, self._mark)

    def _read(self, most: int) -> bytes:
        """Reads what is available without waiting."""
        try:
            return os.read(self._output.fileno(), most)
        except BlockingIOError:
            return b""

    def _finish(self) -> None:
        self._has_ended = True
        self.end()
        self._output.close()
        self._process.wait()
        os.close(self._supervisor)


async def _readable(*descriptors: int) -> None:
    """Waits until one of the descriptors can be read."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    for descriptor in descriptors:
        loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        for descriptor in descriptors:
            loop.remove_reader(descriptor)
