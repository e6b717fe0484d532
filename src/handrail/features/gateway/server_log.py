"""The log of each server: what it writes to stderr, sends as log messages, or gets wrong. Kept short."""

import os
from contextlib import suppress
from pathlib import Path

from handrail.kernel.visible import visible

_LARGEST = 256 * 1024
_LONGEST_LINE = 2000


class ServerLog:
    """Two files at most: the present one and the one before. Lines are written in batches, in a thread."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = folder / f"{name}.log"
        self._waiting: list[str] = []
        self._size = 0
        self._rest = b""

    def add(self, line: str) -> None:
        """Remembers a line. Of a flood, the rest is dropped until what came before is written."""
        shown = visible(line[:_LONGEST_LINE]).replace("\n", "\\n")
        if self._size < _LARGEST:
            self._waiting.append(shown)
            self._size += len(shown) + 1

    def add_bytes(self, data: bytes) -> None:
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-_LONGEST_LINE:]
        for line in lines:
            if line.strip():
                self.add(line.decode(errors="replace").rstrip("\r"))

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    def flush(self) -> None:
        """Blocks. A log that can't be written is no reason to fail."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if not waiting:
            return
        with suppress(OSError):
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            with open(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600), "ab") as file:
                file.write("".join(f"{line}\n" for line in waiting).encode())
                is_full = file.tell() > _LARGEST
            if is_full:
                os.replace(self._file, self._file.with_suffix(".log.1"))

    def read(self, lines: int) -> list[str]:
        """The newest lines. Blocks."""
        found: list[str] = []
        for path in (self._file.with_suffix(".log.1"), self._file):
            with suppress(OSError):
                found += path.read_text(encoding="utf-8", errors="replace").splitlines()
        return found[-lines:]

    def forget(self) -> None:
        for path in (self._file.with_suffix(".log.1"), self._file):
            with suppress(OSError):
                path.unlink()
