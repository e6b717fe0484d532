"""The keeper of a narrow cage: the agent's parent, which answers its system calls and ends everything with it.

A process of its own without threads. The agent can neither signal nor trace it.
"""

import ctypes
import errno
import os
import selectors
import signal
import socket
from collections.abc import Mapping
from contextlib import suppress

from handrail.features.cage.narrow.answers import Answer
from handrail.features.cage.narrow.notifications import has_ended, received, respond
from handrail.features.cage.narrow.processes import descendants

_PR_SET_CHILD_SUBREAPER = 36
_ENDED_BY_LAUNCHER = 137


def adopt() -> None:
    """From now on, what the agent leaves behind is our child."""
    if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(errno.ENOSYS, "prctl")


def keep(agent: int, listener: int, line: socket.socket, answers: Mapping[int, Answer]) -> int:
    """Until the agent or the launcher, at the other end of the line, ends; the exit code."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with selectors.DefaultSelector() as selector:
        for descriptor in (listener, line.fileno(), woken):
            selector.register(descriptor, selectors.EVENT_READ)
        code = _reaped(agent)
        while code is None:
            ready = {key.fd for key, _ in selector.select()}
            if line.fileno() in ready and not line.recv(1):
                code = _ENDED_BY_LAUNCHER
                break
            if woken in ready:
                os.read(woken, 64)
            if listener in ready and not _answer(listener, answers):
                selector.unregister(listener)
            code = _reaped(agent)
    end_everything()
    return code


def end_everything() -> None:
    """More are born while some are killed: until none is left."""
    while left := descendants():
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)


def _answer(listener: int, answers: Mapping[int, Answer]) -> bool:
    """False when none can ask any more."""
    asked = received(listener)
    if asked is None:
        return not has_ended(listener)
    try:
        value, error = answers[asked.number](asked), 0
    except OSError as refusal:
        value, error = -1, refusal.errno or errno.EACCES
    except Exception:  # noqa: BLE001 - whatever the agent made up, the answer is no
        value, error = -1, errno.EACCES
    respond(asked, value, error)
    return True


def _reaped(agent: int) -> int | None:
    """The agent's exit code, as shells have it, once it has ended."""
    code = None
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == agent:
                code = os.waitstatus_to_exitcode(found[1])
    return None if code is None else 128 - code if code < 0 else code
