"""Tells whether anything in some folders has changed since it was last asked: one system call where the kernel keeps
count, a look at the folders elsewhere. Knows nothing of what is in them.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache

_IN_CLOSE_WRITE, _IN_MOVED, _IN_CREATE, _IN_DELETE, _IN_SELF = 0x8, 0xC0, 0x100, 0x200, 0xC00
_MASK = _IN_CLOSE_WRITE | _IN_MOVED | _IN_CREATE | _IN_DELETE | _IN_SELF
_ENOUGH = 1 << 16
_LOOK_EVERY_SECONDS = 1.0
"""Where the kernel does not tell: an app that was installed a second ago need not be there yet."""


class FolderWatch:
    def __init__(self, *, with_inotify: bool = sys.platform == "linux") -> None:
        calls = _calls() if with_inotify else None
        self._add_watch = None if calls is None else calls[1]
        self._inotify = -1 if calls is None else calls[0](os.O_NONBLOCK | os.O_CLOEXEC)
        self._watched: set[str] = set()
        self._is_whole = False
        self._looked_at = 0.0

    def watch(self, folders: Iterable[str]) -> None:
        """From now on, before they are read: what happens in between counts as a change."""
        self._is_whole = self._inotify >= 0
        self._looked_at = time.monotonic()
        for folder in folders:
            if folder in self._watched or self._add_watch is None or self._inotify < 0:
                continue
            if self._add_watch(self._inotify, os.fsencode(folder), _MASK) < 0:
                self._is_whole = False  # there is no more to be had: then we look ourselves
            else:
                self._watched.add(folder)

    def has_changed(self) -> bool:
        """True where it can't be told, but not more often than each second."""
        if self._inotify >= 0 and self._drained():
            self._watched.clear()  # a folder that was made again is another one; watching twice is once
            return True
        return not self._is_whole and time.monotonic() - self._looked_at >= _LOOK_EVERY_SECONDS

    def close(self) -> None:
        if self._inotify >= 0:
            os.close(self._inotify)
        self._inotify, self._is_whole = -1, False

    def _drained(self) -> bool:
        is_changed = False
        try:
            while os.read(self._inotify, _ENOUGH):
                is_changed = True
        except BlockingIOError:
            pass
        return is_changed


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
