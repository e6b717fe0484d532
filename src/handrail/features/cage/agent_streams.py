"""What becomes the agent's stdin, stdout and stderr, and the launcher's ends of it.

A file that is open inside can be opened again through /proc, for writing too. So only pipes and sockets are passed on
as they are.
"""

from __future__ import annotations

import os
import stat

from handrail.features.cage.launch import Streams

_HARMLESS_DEVICES = 1
"""The major number of /dev/null and the like, which every cage has itself."""


class AgentStreams:
    """`streams` goes into the cage. What is read from a key of `outputs` belongs on its value: our stdout or stderr."""

    def __init__(self) -> None:
        self.terminal: int | None = None
        """Our side of the agent's own terminal, where the person has one."""
        self.keys: int | None = None
        """What the person types is written here."""
        self.file_input: int | None = None
        """What our stdin, a file, has in it is written here."""
        self.outputs: dict[int, int] = {}
        self._agents: list[int] = []
        self._pipes: dict[tuple[int, int], int] = {}
        slave = None
        if os.isatty(0) and os.isatty(1):
            self.terminal, slave = os.openpty()
            self.keys, self.outputs, self._agents = self.terminal, {self.terminal: 1}, [slave]
        self.streams = Streams((self._input(slave), self._output(1, slave), self._output(2, slave)), slave is not None)

    def close_agents(self) -> None:
        """Once the agent has them."""
        for descriptor in self._agents:
            os.close(descriptor)
        self._agents = []

    def close(self) -> None:
        self.close_agents()
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
        self._agents.append(read)
        return read

    def _output(self, number: int, slave: int | None) -> int:
        if _is_passed_on(number):
            return number
        if slave is not None and os.isatty(number):
            return slave
        status = os.fstat(number)
        place = (status.st_dev, status.st_ino)
        if place not in self._pipes:  # one for both where both are the same file: lines stay in order
            read, self._pipes[place] = os.pipe()
            self.outputs[read] = number
            self._agents.append(self._pipes[place])
        return self._pipes[place]


def _is_passed_on(number: int) -> bool:
    status = os.fstat(number)
    is_harmless = stat.S_ISCHR(status.st_mode) and os.major(status.st_rdev) == _HARMLESS_DEVICES
    return is_harmless or stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)
