"""Connects the agent's own terminal with the person's: keys, output, size, Ctrl-Z and the end.

The agent never gets the person's terminal: what a program can do to a terminal, it does only to its own.
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

    from handrail.features.cage.launch import CagedAgent

_SUSPEND = b"\x1a"
_SUSPEND_POLLS = (0.02, 0.05, 0.1, 0.2, 0.4)
"""How long after Ctrl-Z we check whether the agent has stopped, in seconds."""
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_MOST_SIGNALS = 3
"""The third signal ends the cage, even if the agent ignores signals."""
_HANG_UP_SECONDS = 5.0
"""How long an agent may go on after the person has closed its terminal."""
_LAST_OUTPUT_SECONDS = 0.2
_POLL_SECONDS = 1.0
_CHUNK = 65536


class Terminal:
    """The launcher's side of the agent's streams: `streams` goes into the cage, `run` copies data until the end."""

    def __init__(self) -> None:
        self._ours = AgentStreams()
        self.streams = self._ours.streams
        self._unwritten = b""
        """Keys for which the agent's side has no room yet. Until they are written, no more are read."""
        self._hung_up_at: float | None = None
        """When the person's terminal was closed: the kernel then sends SIGHUP, which the agent gets, too."""
        self._resize()

    def close(self) -> None:
        self._ours.close()

    def run(self, caged: CagedAgent) -> int:
        """Runs until the agent ends and returns its exit code. Always restores the person's terminal."""
        ours = self._ours
        ours.close_agent_ends()
        with ExitStack() as stack:
            saved = stack.enter_context(_raw()) if ours.terminal is not None else None
            wakeup = stack.enter_context(_signals())
            selector = stack.enter_context(selectors.DefaultSelector())
            for descriptor in (caged.pidfd, wakeup, *ours.outputs):
                selector.register(descriptor, selectors.EVENT_READ)
            if ours.keys is not None:
                selector.register(0, selectors.EVENT_READ)
            if ours.file_input is not None:
                selector.register(ours.file_input, selectors.EVENT_WRITE)
            early = self._pump(caged, selector, wakeup, saved)
            code = caged.wait()
            return code if early is None else early

    def _pump(
        self, caged: CagedAgent, selector: selectors.BaseSelector, wakeup: int, saved: list[Any] | None
    ) -> int | None:
        """Returns the exit code of an agent that ended without its cage noticing."""
        ours, code = self._ours, None
        has_ended, signal_count = False, 0
        next_poll = time.monotonic() + _POLL_SECONDS
        while not has_ended or ours.outputs:
            ready = {key.fd for key, _ in selector.select(_LAST_OUTPUT_SECONDS if has_ended else _POLL_SECONDS)}
            if not ready and has_ended:
                return code  # something that outlives the agent keeps its output open
            for descriptor in ready & ours.outputs.keys():
                self._copy(descriptor, selector)
            if 0 in ready and not has_ended:
                self._read_keys(caged, selector, saved)
            elif ours.keys in ready:
                self._write_keys(selector)
            if ours.file_input in ready and not has_ended:
                self._read_file(selector)
            for number in os.read(wakeup, 64) if wakeup in ready else b"":
                if number == signal.SIGWINCH:
                    self._resize()
                elif number in _ENDING:
                    signal_count += 1
                    if signal_count < _MOST_SIGNALS:
                        caged.signal(number)
                    else:
                        caged.kill()
            if caged.pidfd in ready:
                has_ended = True
                selector.unregister(caged.pidfd)
                self._close_file_input(selector)
            elif self._hung_up_at is not None and time.monotonic() > self._hung_up_at + _HANG_UP_SECONDS:
                caged.kill()
            elif code is None and time.monotonic() >= next_poll:
                next_poll = time.monotonic() + _POLL_SECONDS
                code = caged.unreaped_exit_code()
                if code is not None:
                    caged.kill()
        return code

    def _copy(self, descriptor: int, selector: selectors.BaseSelector) -> None:
        ours = self._ours
        try:
            data = os.read(descriptor, _CHUNK)
            _write(ours.outputs[descriptor], data)
        except OSError:  # a terminal whose other side is closed raises EIO
            data = b""
        if not data:
            selector.unregister(descriptor)
            del ours.outputs[descriptor]
            if descriptor != ours.terminal:
                os.close(descriptor)

    def _read_keys(self, caged: CagedAgent, selector: selectors.BaseSelector, saved: list[Any] | None) -> None:
        ours = self._ours
        assert ours.keys is not None
        selector.unregister(0)
        self._unwritten = os.read(0, _CHUNK)
        if self._unwritten:
            is_suspending = _SUSPEND in self._unwritten
            selector.register(ours.keys, selectors.EVENT_WRITE)
            self._write_keys(selector)
            if saved is not None and is_suspending:
                with suppress(OSError):
                    self._suspend_if_stopped(caged, saved)
        elif ours.terminal is None:
            os.close(ours.keys)
            ours.keys = None
        else:
            self._hung_up_at = time.monotonic()

    def _write_keys(self, selector: selectors.BaseSelector) -> None:
        """Never waits: an agent that reads nothing must not keep us from its output and from signals."""
        assert self._ours.keys is not None
        try:
            written = os.write(self._ours.keys, self._unwritten)
        except BlockingIOError:
            return
        except OSError:  # the agent has closed its end
            written = len(self._unwritten)
        self._unwritten = self._unwritten[written:]
        if not self._unwritten:
            selector.unregister(self._ours.keys)
            selector.register(0, selectors.EVENT_READ)

    def _read_file(self, selector: selectors.BaseSelector) -> None:
        """Writes no more than a pipe with room takes at once: waiting for the agent would block its output."""
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

    def _suspend_if_stopped(self, caged: CagedAgent, saved: list[Any]) -> None:
        """The agent gets Ctrl-Z. If it stops, so do we, and the person's shell gets the terminal."""
        assert self._ours.terminal is not None
        agent = caged.agent_pid()
        if agent is None:
            return
        if self._makes_signals() and os.tcgetpgrp(self._ours.terminal) == agent:
            os.kill(agent, signal.SIGSTOP)  # the kernel ignores Ctrl-Z for a process group without a controlling shell
        for pause in _SUSPEND_POLLS:
            if state_of(agent) == "T":
                self._suspend(agent, saved)
                return
            time.sleep(pause)

    def _makes_signals(self) -> bool:
        """Whether the agent's terminal turns Ctrl-Z into a signal or passes it as a key."""
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
        # Unread input may be the terminal's answers to the agent: the person's shell must not read them as typed.
        termios.tcsetattr(0, termios.TCSAFLUSH, saved)


@contextmanager
def _signals() -> Iterator[int]:
    """Yields a descriptor that gets a byte for each signal, so that one select covers everything."""
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
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]
