"""The agent's own terminal, and the person's in front of it: keys in, screen out, size, Ctrl-Z and the end.

The person's terminal is never the agent's: what a program can do to a terminal, the agent does to its own.
"""

from __future__ import annotations

import fcntl
import os
import selectors
import signal
import struct
import termios
import time
import tty
from contextlib import ExitStack, contextmanager, suppress

from handrail.features.cage.launch import Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from handrail.features.cage.launch import Caged

_SUSPEND = b"\x1a"
_LOOKS = (0.02, 0.05, 0.1, 0.2, 0.4)
"""How long after Ctrl-Z we look whether the agent has stopped, in seconds."""
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_LAST_OUTPUT_SECONDS = 0.2
_CHUNK = 65536


class Terminal:
    """The launcher's side of the agent's streams. `streams` goes into the cage, `run` follows, `close` ends it."""

    def __init__(self) -> None:
        self._master: int | None = None
        self._input: int | None = None
        """What the person types is written here."""
        self._outputs: dict[int, int] = {}
        """What is read here is written to our stdout or stderr."""
        self._agents: list[int] = []
        slave = None
        if os.isatty(0) and os.isatty(1):
            self._master, slave = os.openpty()
            self._input, self._outputs, self._agents = self._master, {self._master: 1}, [slave]
            self._resize()
        self.streams = Streams(
            (self._stream(0, slave), self._stream(1, slave), self._stream(2, slave)), slave is not None
        )

    def _stream(self, number: int, slave: int | None) -> int:
        """A terminal of ours becomes the agent's own one, or a pipe; a file or pipe is passed on as it is."""
        if not os.isatty(number):
            return number
        if slave is not None:
            return slave
        read, write = os.pipe()
        if number == 0:
            self._input = write
        else:
            self._outputs[read] = number
        self._agents.append(read if number == 0 else write)
        return self._agents[-1]

    def run(self, caged: Caged) -> int:
        """Until the agent ends; its exit code. The person's terminal is as before, however it ends."""
        self._close_agents()
        with ExitStack() as stack:
            saved = stack.enter_context(_raw()) if self._master is not None else None
            woken = stack.enter_context(_signals())
            selector = stack.enter_context(selectors.DefaultSelector())
            for descriptor in (caged.pidfd, woken, *self._outputs):
                selector.register(descriptor, selectors.EVENT_READ)
            if self._input is not None:
                selector.register(0, selectors.EVENT_READ)
            self._pump(caged, selector, woken, saved)
            return caged.wait()

    def close(self) -> None:
        self._close_agents()
        for descriptor in {*self._outputs, *([] if self._input is None else [self._input])}:
            os.close(descriptor)
        self._outputs, self._input = {}, None

    def _close_agents(self) -> None:
        for descriptor in self._agents:
            os.close(descriptor)
        self._agents = []

    def _pump(self, caged: Caged, selector: selectors.BaseSelector, woken: int, saved: list[Any] | None) -> None:
        has_ended = False
        times_asked = 0
        while not has_ended or self._outputs:
            ready = {key.fd for key, _ in selector.select(_LAST_OUTPUT_SECONDS if has_ended else None)}
            if not ready:
                return  # something that outlives the agent keeps its output open
            for descriptor in ready & self._outputs.keys():
                self._copy(descriptor, selector)
            if 0 in ready and not has_ended:
                self._read_keys(caged, selector, saved)
            for number in os.read(woken, 64) if woken in ready else b"":
                if number == signal.SIGWINCH:
                    self._resize()
                elif number in _ENDING:
                    times_asked += 1
                    caged.signal(number if times_asked < 3 else signal.SIGKILL)
            if caged.pidfd in ready:
                has_ended = True
                selector.unregister(caged.pidfd)

    def _copy(self, descriptor: int, selector: selectors.BaseSelector) -> None:
        try:
            data = os.read(descriptor, _CHUNK)
            _write(self._outputs[descriptor], data)
        except OSError:  # EIO is how a terminal says that its other end is closed
            data = b""
        if not data:
            selector.unregister(descriptor)
            del self._outputs[descriptor]
            if descriptor != self._input:
                os.close(descriptor)

    def _read_keys(self, caged: Caged, selector: selectors.BaseSelector, saved: list[Any] | None) -> None:
        assert self._input is not None
        keys = os.read(0, _CHUNK)
        with suppress(OSError):
            _write(self._input, keys)
            if saved is not None and _SUSPEND in keys:
                self._suspend_if_stopped(caged, saved)
        if not keys:
            selector.unregister(0)
            if self._master is None:
                os.close(self._input)
                self._input = None

    def _suspend_if_stopped(self, caged: Caged, saved: list[Any]) -> None:
        """Ctrl-Z is the agent's. When it has stopped by it, we stop too, and the person's shell has the terminal."""
        assert self._master is not None
        agent = caged.agent()
        if agent is None:
            return
        if self._makes_signals() and os.tcgetpgrp(self._master) == agent:
            os.kill(agent, signal.SIGSTOP)  # the kernel ignores Ctrl-Z for a group that no shell looks after
        for pause in _LOOKS:
            if _is_stopped(agent):
                self._suspend(agent, saved)
                return
            time.sleep(pause)

    def _makes_signals(self) -> bool:
        """Whether the agent's terminal makes a signal of Ctrl-Z, or a plain key."""
        assert self._master is not None
        attributes = termios.tcgetattr(self._master)
        return bool(attributes[3] & termios.ISIG) and attributes[6][termios.VSUSP] == _SUSPEND

    def _suspend(self, agent: int, saved: list[Any]) -> None:
        raw = termios.tcgetattr(0)
        termios.tcsetattr(0, termios.TCSADRAIN, saved)
        os.kill(os.getpid(), signal.SIGSTOP)
        termios.tcsetattr(0, termios.TCSADRAIN, raw)
        self._resize()
        with suppress(ProcessLookupError):
            os.kill(agent, signal.SIGCONT)

    def _resize(self) -> None:
        if self._master is not None:
            with suppress(OSError):
                fcntl.ioctl(self._master, termios.TIOCSWINSZ, fcntl.ioctl(1, termios.TIOCGWINSZ, struct.pack("8x")))


@contextmanager
def _raw() -> Iterator[list[Any]]:
    saved = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSADRAIN)
    try:
        yield saved
    finally:
        # Unread input may be what the terminal answered to the agent: the person's shell must not read it as typed.
        termios.tcsetattr(0, termios.TCSAFLUSH, saved)


@contextmanager
def _signals() -> Iterator[int]:
    """A descriptor on which each signal is a byte, so that one wait covers everything."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    handlers = {number: signal.signal(number, lambda *_: None) for number in (*_ENDING, signal.SIGWINCH)}
    try:
        yield read
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        os.close(read)
        os.close(write)


def _is_stopped(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
