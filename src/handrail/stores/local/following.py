"""Tells when a file has changed, or has come into being: at once where the kernel tells, otherwise after a look.

Compares what it sees with what it saw, so no change is missed between two waits, and a wake-up for
nothing stays inside. Knows nothing of what is in the file.
"""

import asyncio
import os
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_IN_MODIFY, _IN_MOVED_TO, _IN_CREATE, _IN_ONLYDIR = 0x2, 0x80, 0x100, 0x01000000
_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name that follows
_EVENTS_AT_ONCE = 1 << 16

# inotify hears nothing of other machines on a network drive.
_LOOK_EVERY_SECONDS = 5.0
_LOOK_EVERY_SECONDS_WITHOUT_INOTIFY = 0.1

Sight = tuple[int, int, int] | None
"""Device, inode and size."""


class FollowedFile:
    """All who watch, in one event loop, share one inotify instance, because a user has few. The last closes it."""

    def __init__(self, path: Path, *, with_inotify: bool = sys.platform == "linux") -> None:
        self._path = path
        self._with_inotify = with_inotify
        self._alarms: set[asyncio.Event] = set()
        self._inotify: int | None = None

    @contextmanager
    def watching(self) -> Iterator["Watch"]:
        """To be entered, used and left in one event loop."""
        alarm = asyncio.Event()
        self._alarms.add(alarm)
        try:
            yield Watch(self, alarm)
        finally:
            self._alarms.discard(alarm)
            if not self._alarms and self._inotify is not None:
                asyncio.get_running_loop().remove_reader(self._inotify)
                os.close(self._inotify)
                self._inotify = None

    def listen(self) -> float:
        """Asks the kernel to tell, where it can; for how many seconds to rely on that."""
        if self._inotify is None and self._with_inotify:
            self._inotify = _watch_folder(self._path.parent)
            if self._inotify is not None:
                asyncio.get_running_loop().add_reader(self._inotify, self._wake)
        return _LOOK_EVERY_SECONDS if self._inotify is not None else _LOOK_EVERY_SECONDS_WITHOUT_INOTIFY

    def look(self) -> Sight:
        try:
            status = os.stat(self._path)
        except OSError:
            return None
        return status.st_dev, status.st_ino, status.st_size

    def _wake(self) -> None:
        assert self._inotify is not None
        with suppress(BlockingIOError):
            events = os.read(self._inotify, _EVENTS_AT_ONCE)
            if _has_name(events, os.fsencode(self._path.name)):
                for alarm in self._alarms:
                    alarm.set()


class Watch:
    def __init__(self, file: FollowedFile, alarm: asyncio.Event) -> None:
        self._file = file
        self._alarm = alarm
        self._seen: Sight | bool = False

    async def change(self) -> None:
        """Returns when the file is not as it was when this returned before; at once the first time."""
        while True:
            seconds = self._file.listen()
            self._alarm.clear()
            now = self._file.look()
            if now != self._seen:
                self._seen = now
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._alarm.wait()


def _watch_folder(folder: Path) -> int | None:
    """An inotify descriptor; None where there is none to be had."""
    calls = _calls()
    if calls is None:
        return None
    init, add_watch = calls
    descriptor = init(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        return None
    if add_watch(descriptor, os.fsencode(folder), _IN_MODIFY | _IN_MOVED_TO | _IN_CREATE | _IN_ONLYDIR) < 0:
        os.close(descriptor)
        return None
    return descriptor


@cache
def _calls() -> tuple[Callable[[int], int], Callable[[int, bytes, int], int]] | None:
    import ctypes  # imported late: it costs milliseconds at start

    library = ctypes.CDLL(None)
    try:
        init, add_watch = library.inotify_init1, library.inotify_add_watch
    except AttributeError:
        return None
    init.argtypes = [ctypes.c_int]
    add_watch.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32]
    return init, add_watch


def _has_name(events: bytes, name: bytes) -> bool:
    """True as well for events without a name: the queue ran over, or the folder is gone."""
    at = 0
    while at < len(events):
        *_, length = _EVENT.unpack_from(events, at)
        at += _EVENT.size
        if length == 0 or events[at : at + length].rstrip(b"\0") == name:
            return True
        at += length
    return False
