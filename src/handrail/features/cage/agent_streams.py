"""The agent's stdin, stdout and stderr, and the launcher's ends of them.

An agent can reopen its own descriptors through /proc, with write access too. So only pipes and sockets are passed on as
they are.
"""

from __future__ import annotations

import os
import stat

from handrail.features.cage.launch import Streams

_MEMORY_DEVICES = 1
"""The major number of /dev/null and similar devices, which every cage has anyway."""


class AgentStreams:
    """`streams` goes into the cage. `outputs` maps each descriptor to read from to our stdout or stderr."""

    def __init__(self) -> None:
        self.terminal: int | None = None
        """Our side of the agent's own terminal, where the person has one."""
        self.keys: int | None = None
        """The launcher writes what the person types here; without room it doesn't block."""
        self.file_input: int | None = None
        """The launcher copies our stdin here if it is a file."""
        self.outputs: dict[int, int] = {}
        self._agent_ends: list[int] = []
        self._pipes: dict[tuple[int, int], int] = {}
        slave = None
        if os.isatty(0) and os.isatty(1):
            self.terminal, slave = os.openpty()
            self.keys, self.outputs, self._agent_ends = os.dup(self.terminal), {self.terminal: 1}, [slave]
        self.streams = Streams((self._input(slave), self._output(1, slave), self._output(2, slave)), slave is not None)
        if self.keys is not None:
            os.set_blocking(self.keys, False)

    def close_agent_ends(self) -> None:
        """Called once the agent has inherited them."""
        for descriptor in self._agent_ends:
            os.close(descriptor)
        self._agent_ends = []

    def close(self) -> None:
        self.close_agent_ends()
        for descriptor in {each for each in (*self.outputs, self.keys, self.file_input) if each is not None}:
            os.close(descriptor)
        self.outputs, self.keys, self.file_input = {}, None, None

    def _input(self, slave: int | None) -> int:
        if _is_passed_on(0):
            return 0
        if slave is not None:
            return slave
        read, write = os.pipe()
        if stat.S_ISCHR(os.fstat(0).st_mode):
            self.keys = write
        else:
            self.file_input = write
        self._agent_ends.append(read)
        return read

    def _output(self, number: int, slave: int | None) -> int:
        if _is_passed_on(number):
            return number
        if slave is not None and os.isatty(number):
            return slave
        status = os.fstat(number)
        file_key = (status.st_dev, status.st_ino)
        if (
            file_key not in self._pipes
        ):  # if stdout and stderr are the same file, they share a pipe, so that lines stay in order
            read, self._pipes[file_key] = os.pipe()
            self.outputs[read] = number
            self._agent_ends.append(self._pipes[file_key])
        return self._pipes[file_key]


def _is_passed_on(number: int) -> bool:
    status = os.fstat(number)
    is_memory_device = stat.S_ISCHR(status.st_mode) and os.major(status.st_rdev) == _MEMORY_DEVICES
    return is_memory_device or stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)
