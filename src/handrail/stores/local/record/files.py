"""The files of the state directory that a checkpoint describes.

A database is never opened beside SQLite: of it, the rows are described that allow somebody something.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from handrail.stores.local.private_file import open_private, read_plain
from handrail.stores.local.prompt_store import LOG

CHECKPOINTS = "checkpoints.jsonl"
_PASSING = frozenset({CHECKPOINTS, "server.json", "console.key"})
"""Checked in another way, or gone with the program that wrote it."""
_NOT_DESCRIBED = (".lock", ".sock", ".db", ".db-wal", ".db-shm", ".log", ".new")
_BLOCK = 1 << 20
_LARGEST = 16 << 20


class DescribedFiles:
    """`databases` has, by its name, what tells the digest of a database's permissions."""

    def __init__(self, state: Path, databases: Mapping[str, Callable[[], str | None]]) -> None:
        self._state = state
        self._databases = databases

    def replaced(self) -> Iterable[str]:
        names = list(self._databases)
        with os.scandir(self._state) as entries:
            for entry in entries:
                is_ours = not entry.name.startswith(".") and not entry.name.endswith(_NOT_DESCRIBED)
                if is_ours and entry.name not in (*_PASSING, *self.growing()) and entry.is_file(follow_symlinks=False):
                    names.append(entry.name)
        return names

    def growing(self) -> Iterable[str]:
        return (LOG,)

    def digest(self, name: str) -> str | None:
        if name in self._databases:
            return self._databases[name]()
        try:
            if (self._state / name).stat().st_size > _LARGEST:
                return None
            return sha256(read_plain(self._state / name)).hexdigest()
        except OSError:
            return None

    def size(self, name: str) -> int | None:
        try:
            status = os.lstat(self._state / name)
        except FileNotFoundError:
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def read(self, name: str, start: int, until: int) -> Iterator[bytes]:
        descriptor = open_private(self._state / name, os.O_RDONLY)
        try:
            while start < until and (block := os.pread(descriptor, min(_BLOCK, until - start), start)):
                yield block
                start += len(block)
        finally:
            os.close(descriptor)
