"""The log of a server: its stderr, its log messages and its mistakes. Bounded in size."""

import os
from contextlib import suppress
from pathlib import Path

from handrail.kernel.visible import visible

_LARGEST = 256 * 1024
_LONGEST_LINE = 2000


class ServerLog:
    """At most two files, the current and the previous one. Lines are written in batches, in a thread."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = folder / f"{name}.log"
        self._pending: list[str] = []
        self._size = 0
        self._rest = b""

    def add(self, line: str) -> None:
        """Buffers a line. During a flood, further lines are dropped until the buffer is written."""
        text = visible(line[:_LONGEST_LINE]).replace("\n", "\\n")
        if self._size < _LARGEST:
            self._pending.append(text)
            self._size += len(text) + 1

    def add_bytes(self, data: bytes) -> None:
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-_LONGEST_LINE:]
        for line in lines:
            if line.strip():
                self.add(line.decode(errors="replace").rstrip("\r"))

    def flush(self) -> None:
        """Blocks. An unwritable log isn't a reason to fail."""
        pending, self._pending, self._size = self._pending, [], 0
        if not pending:
            return
        with suppress(OSError):
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            with open(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600), "ab") as file:
                file.write("".join(f"{line}\n" for line in pending).encode())
                is_full = file.tell() > _LARGEST
            if is_full:
                os.replace(self._file, self._file.with_suffix(".log.1"))

    def read(self, lines: int) -> list[str]:
        """Returns the newest lines. Blocks."""
        entries: list[str] = []
        for path in (self._file.with_suffix(".log.1"), self._file):
            with suppress(OSError):
                entries += path.read_text(encoding="utf-8", errors="replace").splitlines()
        return entries[-lines:]

    def forget(self) -> None:
        for path in (self._file.with_suffix(".log.1"), self._file):
            with suppress(OSError):
                path.unlink()
