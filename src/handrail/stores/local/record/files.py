"""Describes the files of the state directory for checkpoints.

A database file is never opened outside SQLite; instead, its rows that grant permissions are described.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from handrail.ports.record import WrittenFile
from handrail.ports.state_writes import (
    EDITED_BY_PEOPLE,
    JOURNAL,
    WRITTEN_FILES,
    WriteJournal,
    digest_of,
    open_write_journal,
    proof_names,
)
from handrail.stores.local.private_file import open_private, os_failure, read_plain, sync_file
from handrail.stores.local.prompt_store import LOG
from handrail.stores.local.record.rows import SealedRows

CHECKPOINTS = "checkpoints.jsonl"
_PASSING = frozenset({CHECKPOINTS, "server.json", "console.key"})
"""Files that are checked in another way, or removed when their program ends."""
_NOT_DESCRIBED = (".lock", ".sock", ".db", ".db-wal", ".db-shm", ".log", ".new")
_BLOCK = 1 << 20
_LARGEST = 16 << 20


class DescribedFiles:
    """`databases` and `permissions` return, by file name, a digest of all rows or of those that grant permissions."""

    def __init__(
        self,
        state: Path,
        databases: Mapping[str, Callable[[], str | None]],
        permissions: Mapping[str, Callable[[], str | None]],
        rows: SealedRows,
    ) -> None:
        self._state = state
        self._rows = rows
        self._databases = databases
        self._permissions = permissions

    def written(self) -> Mapping[str, WrittenFile]:
        with self._open_journal() as writes:
            return {name: self._describe(writes, name) for name in self._written_names(writes)}

    def settle(self, *, accepts: bool = False) -> None:
        if accepts:
            self._rows.accept()
        with self._open_journal() as writes:
            for name in self._written_names(writes):
                digest = self._written_digest(name)
                if accepts:
                    writes.add(name, digest, "accepted")
                elif name in self._permissions and not writes.contents(name):
                    writes.add(name, digest, "found")
                else:
                    writes.settle(name, digest)

    @contextmanager
    def _open_journal(self) -> Iterator[WriteJournal]:
        try:
            with open_write_journal(self._state) as writes:
                yield writes
        except OSError as error:
            raise os_failure(self._state / JOURNAL, error) from error

    def _describe(self, writes: WriteJournal, name: str) -> WrittenFile:
        digest, contents = self._written_digest(name), writes.contents(name)
        is_first = name in self._permissions and not contents  # rows that are older than this journal
        is_known = is_first or writes.is_known(name, digest)
        return WrittenFile(digest, contents, is_known, name in EDITED_BY_PEOPLE)

    def _written_names(self, writes: WriteJournal) -> Sequence[str]:
        databases = [name for name, digest in self._permissions.items() if digest() is not None]
        return sorted({*WRITTEN_FILES, *databases, *proof_names(self._state), *writes.names()})

    def _written_digest(self, name: str) -> str | None:
        return self._permissions[name]() if name in self._permissions else digest_of(self._state / name)

    def replaced(self) -> Iterable[str]:
        names = list(self._databases)
        with os.scandir(self._state) as entries:
            for entry in entries:
                is_ours = not entry.name.startswith(".") and not entry.name.endswith(_NOT_DESCRIBED)
                if is_ours and entry.name not in (*_PASSING, *self.growing()) and entry.is_file(follow_symlinks=False):
                    names.append(entry.name)
        return names

    def growing(self) -> Mapping[str, str]:
        return {LOG: "bytes", JOURNAL: "bytes", **dict.fromkeys(self._rows.tables, "rows")}

    def foreign(self) -> Iterable[str]:
        yield from self._rows.foreign()
        with self._open_journal() as writes:
            if writes.misplaced:
                where = f"what begins at byte {writes.misplaced[0]} doesn't belong there"
                yield f"{JOURNAL} was changed outside handrail: {where}"

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
        if name in self._rows.tables:
            return self._rows.count(name)
        try:
            status = os.lstat(self._state / name)
        except FileNotFoundError:
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def sync(self) -> None:
        for name in (LOG, JOURNAL):
            try:
                sync_file(self._state / name)
            except OSError as error:
                raise os_failure(self._state / name, error) from error

    def read(self, name: str, start: int, until: int) -> Iterator[bytes]:
        if name in self._rows.tables:
            yield from self._rows.between(name, start, until)
            return
        descriptor = open_private(self._state / name, os.O_RDONLY)
        try:
            while start < until and (block := os.pread(descriptor, min(_BLOCK, until - start), start)):
                yield block
                start += len(block)
        finally:
            os.close(descriptor)
