"""The supervisor of a narrow cage: the agent's parent, which answers its system calls and ends everything with it.

It is a separate process without threads. The agent can neither signal nor trace it.
"""

import ctypes
import errno
import os
import selectors
import signal
import socket
from collections.abc import Mapping
from contextlib import suppress

from handrail.features.cage.narrow.notifications import has_ended, receive_notification, respond
from handrail.features.cage.narrow.processes import descendants
from handrail.features.cage.narrow.syscall_handlers import SyscallHandler

_PR_SET_CHILD_SUBREAPER = 36
_ENDED_BY_LAUNCHER = 137


def become_subreaper() -> None:
    """Makes processes that the agent leaves behind our children."""
    if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(errno.ENOSYS, "prctl")


def supervise(agent: int, listener: int, channel: socket.socket, handlers: Mapping[int, SyscallHandler]) -> int:
    """Runs until the agent ends or the launcher closes the channel; returns the exit code."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with selectors.DefaultSelector() as selector:
        for descriptor in (listener, channel.fileno(), woken):
            selector.register(descriptor, selectors.EVENT_READ)
        code = _reap(agent)
        while code is None:
            ready = {key.fd for key, _ in selector.select()}
            if channel.fileno() in ready and not channel.recv(1):
                code = _ENDED_BY_LAUNCHER
                break
            if woken in ready:
                os.read(woken, 64)
            if listener in ready and not _answer(listener, handlers):
                selector.unregister(listener)
            code = _reap(agent)
    end_everything()
    return code


def end_everything() -> None:
    """Repeats until none is left, because killed processes may have started more."""
    while remaining := descendants():
        for pid in remaining:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)


def _answer(listener: int, handlers: Mapping[int, SyscallHandler]) -> bool:
    """Returns False when no process is left that could make a call."""
    notification = receive_notification(listener)
    if notification is None:
        return not has_ended(listener)
    try:
        value, error = handlers[notification.number](notification), 0
    except OSError as refusal:
        value, error = -1, refusal.errno or errno.EACCES
    except Exception:  # noqa: BLE001 - the agent controls the arguments: any error refuses the call
        value, error = -1, errno.EACCES
    respond(notification, value, error)
    return True


def _reap(agent: int) -> int | None:
    """Reaps ended children; returns the agent's exit code as shells report it, once it has ended."""
    code = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == agent:
                code = os.waitstatus_to_exitcode(ended[1])
    return None if code is None else 128 - code if code < 0 else code
