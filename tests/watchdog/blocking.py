"""Records every call that can block the thread of a running event loop, for programs under test to load at start."""

import fcntl
import os
import sqlite3
import stat
import sys
import time
from collections.abc import Callable
from types import CodeType
from typing import Any

ALLOWED = frozenset(
    {
        "aai.tool.call",  # an app's own function, on the app's own loop
        "features.desktop.backends.x11.connection.open_another",  # the desktop's own thread, to the display's socket
        "features.desktop.backends.x11.connection.check_answers",  # the same, with a deadline
        "features.desktop.backends.wayland.connection.__init__",  # the same
        "features.desktop.backends.wayland.sway_windows._ask",  # the same
        "features.desktop.backends.kwin.bus._connected_socket",  # the same
    }
)
"""Our functions (`module.function`) that may still block, each with its reason."""

_OURS = f"{os.sep}handrail{os.sep}"
_TESTS = f"{os.sep}tests{os.sep}"
_LIBRARIES = f"{os.sep}site-packages{os.sep}"
"""In a checkout named handrail, these are below it, but aren't ours."""
_ASYNC = 0x80 | 0x200  # inspect.CO_COROUTINE and CO_ASYNC_GENERATOR, which would take a while to import
_note: Callable[[str], None] | None = None


def watch(note: Callable[[str], None]) -> None:
    """Watches until the process ends."""
    global _note
    _note = note
    sys.addaudithook(_on_event)
    for name in ("fsync", "fdatasync"):
        setattr(os, name, _watched(name, getattr(os, name)))
    time.sleep = _watched("sleep", time.sleep)
    connect = sqlite3.connect

    def connected(*arguments: Any, **more: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **more)
        connection.set_trace_callback(_on_statement)
        return connection

    setattr(sqlite3, "connect", connected)  # noqa: B010 - mypy takes no assignment to a function


def _watched(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*arguments: Any) -> Any:
        if _is_loop():
            _report(f"{name}{arguments}")
        return real(*arguments)

    return watched


def _on_event(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _HEARD and _is_loop() and _HEARD[event](*arguments):
        _report(f"{event}{arguments}")


def _on_statement(statement: str) -> None:
    if _is_loop():
        _report(f"sqlite: {statement[:80]}")


def _waits_for_lock(descriptor: int, operation: int) -> bool:
    return operation & (fcntl.LOCK_NB | fcntl.LOCK_UN) == 0


def _waits_for_peer(connecting: Any, address: object) -> bool:
    return bool(connecting.gettimeout() != 0.0)


def _waits_for_other_end(path: Any, mode: object, flags: int) -> bool:
    if not isinstance(path, str | bytes) or flags & os.O_NONBLOCK:
        return False
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


_HEARD: dict[str, Callable[..., bool]] = {
    "fcntl.flock": _waits_for_lock,
    "socket.connect": _waits_for_peer,
    "open": _waits_for_other_end,
}


def _is_loop() -> bool:
    running = getattr(sys.modules.get("asyncio.events"), "_get_running_loop", None)
    return running is not None and running() is not None


def _runs_loop(code: CodeType) -> bool:
    """asyncio's own loop, or the caller of uvloop's, which has no frame."""
    return code.co_name == "_run_once" or (code.co_name == "run" and code.co_filename.endswith("asyncio/runners.py"))


def _report(what: str) -> None:
    """Only reports what our own code does: a test may make blocking calls on a loop."""
    frame: Any = sys._getframe(1)
    ours: list[str] = []
    is_async = False
    while frame is not None and not _runs_loop(frame.f_code):  # frames below it are unrelated
        file = frame.f_code.co_filename
        if _OURS in file and _TESTS not in file and _LIBRARIES not in file:
            module = file.rpartition(_OURS)[2].removesuffix(".py").replace(os.sep, ".")
            ours.append(f"{module}.{frame.f_code.co_name}")
            is_async = bool(frame.f_code.co_flags & _ASYNC)
        elif ours and not is_async and _TESTS in file:
            return
        frame = frame.f_back
    if ours and ALLOWED.isdisjoint(ours) and _note is not None:
        _note(f"{what} in {' < '.join(ours[:6])}")
