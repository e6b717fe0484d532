"""The agent's own terminal, and the person's in front of it: keys in, screen out, size, Ctrl-Z and the end.

The person's terminal is never the agent's: what a program can do to a terminal, the agent does to its own.
"""

from __future__ import annotations

import fcntl
import os
import select
import selectors
import signal
import struct
import termios
import time
import tty
from contextlib import ExitStack, contextmanager, suppress

from handrail.features.cage.agent_streams import AgentStreams
from handrail.features.cage.process_status import state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from handrail.features.cage.launch import Caged

_SUSPEND = b"\x1a"
_LOOKS = (0.02, 0.05, 0.1, 0.2, 0.4)
"""How long after Ctrl-Z we look whether the agent has stopped, in seconds."""
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_MOST_ASKED = 3
"""From the third on, the cage is ended, whatever the agent makes of signals."""
_LAST_OUTPUT_SECONDS = 0.2
_LOOK_SECONDS = 1.0
_CHUNK = 65536


class Terminal:
    """The launcher's side of the agent's streams. `streams` goes into the cage, `run` follows, `close` ends it."""

    def __init__(self) -> None:
        self._ours = AgentStreams()
        self.streams = self._ours.streams
        self._resize()

    def close(self) -> None:
        self._ours.close()

    def run(self, caged: Caged) -> int:
        """Until the agent ends; its exit code. The person's terminal is as before, however it ends."""
        ours = self._ours
        ours.close_agents()
        with ExitStack() as stack:
            saved = stack.enter_context(_raw()) if ours.terminal is not None else None
            woken = stack.enter_context(_signals())
            selector = stack.enter_context(selectors.DefaultSelector())
            for descriptor in (caged.pidfd, woken, *ours.outputs):
                selector.register(descriptor, selectors.EVENT_READ)
            if ours.keys is not None:
                selector.register(0, selectors.EVENT_READ)
            if ours.file_input is not None:
                selector.register(ours.file_input, selectors.EVENT_WRITE)
            early = self._pump(caged, selector, woken, saved)
            code = caged.wait()
            return code if early is None else early

    def _pump(self, caged: Caged, selector: selectors.BaseSelector, woken: int, saved: list[Any] | None) -> int | None:
        """The exit code of an agent whose end was not noticed inside."""
        ours, code = self._ours, None
        has_ended, times_asked = False, 0
        next_look = time.monotonic() + _LOOK_SECONDS
        while not has_ended or ours.outputs:
            ready = {key.fd for key, _ in selector.select(_LAST_OUTPUT_SECONDS if has_ended else _LOOK_SECONDS)}
            if not ready and has_ended:
                return code  # something that outlives the agent keeps its output open
            for descriptor in ready & ours.outputs.keys():
                self._copy(descriptor, selector)
            if 0 in ready and not has_ended:
                self._read_keys(caged, selector, saved)
            if ours.file_input in ready and not has_ended:
                self._read_file(selector)
            for number in os.read(woken, 64) if woken in ready else b"":
                if number == signal.SIGWINCH:
                    self._resize()
                elif number in _ENDING:
                    times_asked += 1
                    if times_asked < _MOST_ASKED:
                        caged.signal(number)
                    else:
                        caged.kill()
            if caged.pidfd in ready:
                has_ended = True
                selector.unregister(caged.pidfd)
                self._close_file_input(selector)
            elif code is None and time.monotonic() >= next_look:
                next_look = time.monotonic() + _LOOK_SECONDS
                code = caged.unnoticed_end()
                if code is not None:
                    caged.kill()
        return code

    def _copy(self, descriptor: int, selector: selectors.BaseSelector) -> None:
        ours = self._ours
        try:
            data = os.read(descriptor, _CHUNK)
            _write(ours.outputs[descriptor], data)
        except OSError:  # EIO is how a terminal says that its other end is closed
            data = b""
        if not data:
            selector.unregister(descriptor)
            del ours.outputs[descriptor]
            if descriptor != ours.keys:
                os.close(descriptor)

    def _read_keys(self, caged: Caged, selector: selectors.BaseSelector, saved: list[Any] | None) -> None:
        ours = self._ours
        assert ours.keys is not None
        keys = os.read(0, _CHUNK)
        with suppress(OSError):
            _write(ours.keys, keys)
            if saved is not None and _SUSPEND in keys:
                self._suspend_if_stopped(caged, saved)
        if not keys:
            selector.unregister(0)
            if ours.terminal is None:
                os.close(ours.keys)
                ours.keys = None

    def _read_file(self, selector: selectors.BaseSelector) -> None:
        """No more than a pipe with room takes at once: to wait for the agent would keep its output waiting."""
        assert self._ours.file_input is not None
        data = b""
        with suppress(OSError):  # an agent may have closed its end
            data = os.read(0, select.PIPE_BUF)
            _write(self._ours.file_input, data)
        if not data:
            self._close_file_input(selector)

    def _close_file_input(self, selector: selectors.BaseSelector) -> None:
        if self._ours.file_input is not None:
            selector.unregister(self._ours.file_input)
            os.close(self._ours.file_input)
            self._ours.file_input = None

    def _suspend_if_stopped(self, caged: Caged, saved: list[Any]) -> None:
        """Ctrl-Z is the agent's. When it has stopped by it, we stop too, and the person's shell has the terminal."""
        assert self._ours.terminal is not None
        agent = caged.agent()
        if agent is None:
            return
        if self._makes_signals() and os.tcgetpgrp(self._ours.terminal) == agent:
            os.kill(agent, signal.SIGSTOP)  # the kernel ignores Ctrl-Z for a group that no shell looks after
        for pause in _LOOKS:
            if state_of(agent) == "T":
                self._suspend(agent, saved)
                return
            time.sleep(pause)

    def _makes_signals(self) -> bool:
        """Whether the agent's terminal makes a signal of Ctrl-Z, or a plain key."""
        assert self._ours.terminal is not None
        attributes = termios.tcgetattr(self._ours.terminal)
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
        terminal = self._ours.terminal
        if terminal is not None:
            with suppress(OSError):
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, fcntl.ioctl(1, termios.TIOCGWINSZ, struct.pack("8x")))


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


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
