"""The calls to the system that handrail makes in this process, counted; one of them fails.

Only calls from handrail's own modules count: what fails inside of SQLite, asyncio or the interpreter is tried with
strace (`test_failing_disk.py`).
"""

import fcntl
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from handrail.stores.local import private_file
from handrail.stores.local.files import beneath, moving

_CALLS = (
    *("open", "read", "pread", "write", "pwrite", "fsync", "ftruncate", "rename", "replace", "link", "unlink", "rmdir"),
    *("mkdir", "stat", "lstat", "fstat", "listdir", "scandir", "readlink", "symlink", "fchmod", "fchown", "utime"),
    *("getxattr", "listxattr", "setxattr"),
)


class FailingCalls:
    """`failing` makes the call with that number fail and sets `failed` to its name."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._turn = threading.Lock()
        self._is_on = False
        self._at = self._code = 0
        self.count = 0
        self.failed: str | None = None
        for name in _CALLS:
            monkeypatch.setattr(os, name, self._wrapped(name, getattr(os, name)))
        monkeypatch.setattr(private_file, "fdatasync", self._wrapped("fdatasync", private_file.fdatasync))
        monkeypatch.setattr(fcntl, "flock", self._wrapped("flock", fcntl.flock))
        monkeypatch.setattr(beneath, "_openat2", self._openat2(beneath._openat2()))
        monkeypatch.setattr(moving, "_libc", self._libc(moving._libc))
        # Delayed flushes and signatures run on their own timer, so they would be counted at random.
        monkeypatch.setattr(threading.Timer, "start", lambda timer: None)

    @contextmanager
    def failing(self, at: int, code: int) -> Iterator[None]:
        self._at, self._code, self.count, self.failed = at, code, 0, None
        self._is_on = True
        try:
            yield
        finally:
            self._is_on = False

    def _fails(self, name: str) -> bool:
        with self._turn:
            self.count += 1
            if self.count != self._at:
                return False
            self.failed = name
            return True

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self._is_on and "/handrail/" in sys._getframe(1).f_code.co_filename and self._fails(name):
                raise OSError(self._code, os.strerror(self._code))
            return real(*args, **kwargs)

        return call

    def _openat2(self, real: Callable[..., tuple[int, int]] | None) -> Callable[[], Callable[..., tuple[int, int]]]:
        assert real is not None, "this kernel has openat2"

        def call(*args: Any) -> tuple[int, int]:
            return (-1, self._code) if self._is_on and self._fails("openat2") else real(*args)

        return lambda: call

    def _libc(self, real: Callable[[str], Callable[..., int] | None]) -> Callable[[str], Callable[..., int] | None]:
        def found(name: str) -> Callable[..., int] | None:
            function = real(name)
            if function is None:
                return None
            return lambda *args: self._code if self._is_on and self._fails(name) else function(*args)

        return found
