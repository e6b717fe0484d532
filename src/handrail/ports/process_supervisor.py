"""A separate program that runs one command for handrail and ends everything that the command started.

handrail holds a lifeline: its stdin, or the write end of a pipe. When that is closed, on purpose or because handrail
died, the command and all processes below it are ended. This program adopts processes that the command puts into other
sessions, so they are ended too. It imports only the standard library, because it is started for every command.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Sequence

STDIN = 0
"""If this is the lifeline, the command has an empty stdin."""
_SUBREAPER = 36
_DEATH_SIGNAL = 1
_GRACE_SECONDS = 1.0
_KILLING_SECONDS = 5.0
_PAUSE_SECONDS = 0.01
_ZOMBIE = "Z"


def supervised_command(command: Sequence[str], lifeline: int) -> list[str]:
    """The command line that starts a command under a supervisor, which inherits the descriptor `lifeline`."""
    return [sys.executable, "-I", "-S", os.path.realpath(__file__), str(lifeline), *command]


def find_descendants(root: int) -> list[int]:
    """All living processes below a process."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    # The name in brackets may contain anything, even brackets.
                    state, parent = file.read().rpartition(")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            if state != _ZOMBIE:
                children.setdefault(int(parent), []).append(int(name))
    descendants, waiting = [], [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        descendants += below
        waiting += below
    return descendants


def main(lifeline: int, command: list[str]) -> int:
    _control(_SUBREAPER, 1)
    _close_all_but(lifeline)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    child = os.fork()
    if child == 0:
        _become(command, lifeline)
    if lifeline != STDIN:
        _close_standard_streams()
    status = _watched(child, lifeline, woken)
    later = _end_everything()
    child_status = later.get(child, signal.SIGKILL) if status is None else status
    code = os.waitstatus_to_exitcode(child_status)
    return code if code >= 0 else 128 - code


def _close_all_but(lifeline: int) -> None:
    """Keeps also the standard streams. Closes the start folder's descriptor, which the command must not inherit."""
    for name in os.listdir("/dev/fd"):
        try:
            if int(name) > 2 and int(name) != lifeline:
                os.close(int(name))
        except OSError:
            continue  # the descriptor of the listing, which is closed already


def _close_standard_streams() -> None:
    """Only the command keeps stdin and stdout, so the program connected to them sees when the command closes them."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)


def _become(command: list[str], lifeline: int) -> None:
    os.setsid()
    _control(_DEATH_SIGNAL, signal.SIGKILL)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    if lifeline == STDIN:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    else:
        os.close(lifeline)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(127)


def _watched(child: int, lifeline: int, woken: int) -> int | None:
    """Waits until the command has ended and returns its status, or None if it has to be ended."""
    events = select.poll()  # select can't use descriptors above 1023
    for descriptor in (lifeline, woken):
        events.register(descriptor, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in events.poll()]
        if woken in ready and any(number != signal.SIGCHLD for number in os.read(woken, 512)):
            return None
        if lifeline in ready and not os.read(lifeline, 512):
            return None
        if (status := _reaped().get(child)) is not None:
            return status


def _reaped() -> dict[int, int]:
    """The exit status of each child that has ended, including adopted ones."""
    statuses: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return statuses
        if pid == 0:
            return statuses
        statuses[pid] = status


def _end_everything() -> dict[int, int]:
    """Sends SIGTERM, then stops all remaining processes before killing them, so that none can start another one.

    Returns the exit statuses.
    """
    terminated = _until_gone(_GRACE_SECONDS, (signal.SIGTERM,), is_repeated=False)
    return terminated | _until_gone(_KILLING_SECONDS, (signal.SIGSTOP, signal.SIGKILL), is_repeated=True)


def _until_gone(seconds: float, signals: tuple[signal.Signals, ...], *, is_repeated: bool) -> dict[int, int]:
    until, is_first = time.monotonic() + seconds, True
    ended: dict[int, int] = {}
    while (remaining := find_descendants(os.getpid())) and time.monotonic() < until:
        if is_first or is_repeated:
            for number in signals:
                for pid in remaining:
                    _send(pid, number)
        is_first = False
        time.sleep(_PAUSE_SECONDS)
        ended |= _reaped()
    return ended | _reaped()


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return


def _control(option: int, value: int) -> None:
    """prctl, if the system has it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
