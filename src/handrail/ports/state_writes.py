"""`<stateDir>/writes.jsonl`: a journal of what handrail wrote to state files that grant permissions.

The digest of new content is on disk before the content, and is confirmed afterwards. So content whose digest isn't the
last one here came from outside handrail, and content with an earlier digest was rolled back. Checkpoints sign this
journal. It is here because every layer writes such files; it imports only the standard library and msgspec.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec

from handrail.ports.atomic_file import replace_file
from handrail.ports.unreadable_json import UNREADABLE_JSON

JOURNAL = "writes.jsonl"
EDITED_BY_PEOPLE = ("config.toml",)
"""A person may edit these; only handrail writes the other files."""
WRITTEN_FILES = (
    *EDITED_BY_PEOPLE,
    "agents.json",
    "clients.json",
    "passkeys.json",
    "removed-rules.json",
    "secrets.json",
    "server.json",
    "servers.json",
    "sessions.json",
    "team.json",
    "trusted.json",
)
PROOFS = "presence"
"""The folder with one file for each proof of presence."""
_BEGINNING = b'{"ts":"'
_PATIENCE = 10.0
_NAP = 0.002
_NOT_THERE = frozenset(
    {
        errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EACCES, errno.EPERM, errno.EINVAL,
        errno.ESPIPE,
    }
)  # fmt: skip
"""Other errors don't mean that a file is missing, only that it can't be read now."""


class WriteLine(msgspec.Struct, frozen=True):
    """`sha256` is null if the file doesn't exist. `as` says how the content was written.

    `begun` and `done`: before and after handrail's own write; `found`: it existed when the journal began; `outside`:
    another program wrote it; `accepted`: a person accepted it as correct. `at` is the line's offset in the journal, so
    that a copied line doesn't count; older versions didn't write it.
    """

    ts: str
    file: str
    sha256: str | None
    how: Literal["begun", "done", "found", "outside", "accepted"] = msgspec.field(name="as")
    at: int | None = None


@dataclass(frozen=True, slots=True)
class FileContent:
    """Content that a file had from `ts` on. If not `is_done`, it was about to be written, and perhaps never was."""

    ts: str
    sha256: str | None
    is_outside: bool = False
    is_done: bool = True


_lines = msgspec.json.Decoder(WriteLine)


class WriteJournal:
    """The journal while it is locked, so nobody else writes to it or to the files that it describes."""

    def __init__(self, state: Path, descriptor: int) -> None:
        self._state = state
        self._descriptor = descriptor
        self._contents: dict[str, list[FileContent]] = {}
        self.misplaced: list[int] = []
        """Offsets of lines that weren't written there, since a person last accepted the state."""
        self._has_places = False
        at = 0
        for raw in _whole(descriptor).split(b"\n"):
            try:
                self._take(_lines.decode(raw), at)
            except UNREADABLE_JSON:
                if not _is_torn(raw):
                    self.misplaced.append(at)
            at += len(raw) + 1

    def contents(self, name: str) -> Sequence[FileContent]:
        """A file's contents since a person last accepted the state, the newest last."""
        return self._contents.get(name, ())

    def names(self) -> Sequence[str]:
        return tuple(self._contents)

    def is_known(self, name: str, digest: str | None) -> bool:
        """Whether this is the content that handrail wrote last, or started to write."""
        history = self.contents(name)
        if not history:
            return digest is None
        before = history[-2].sha256 if len(history) > 1 else None
        return digest == history[-1].sha256 or (not history[-1].is_done and digest == before)

    def settle(self, name: str, digest: str | None) -> None:
        """Notes content that handrail didn't write; completes a write that a crash interrupted."""
        if not self.is_known(name, digest):
            self.add(name, digest, "outside")
        elif self.contents(name) and not self.contents(name)[-1].is_done:
            self.add(name, digest, "done")

    def add(self, name: str, digest: str | None, how: Literal["begun", "done", "found", "outside", "accepted"]) -> None:
        size = os.fstat(self._descriptor).st_size
        is_torn = size > 0 and os.pread(self._descriptor, 1, size - 1) != b"\n"
        now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        line = WriteLine(now, name, digest, how, size + is_torn)
        data = b"\n" * is_torn + msgspec.json.encode(line) + b"\n"
        if os.write(self._descriptor, data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if how != "done":  # if a power cut loses it, the `begun` line still describes the content
            os.fsync(self._descriptor)
        self._take(line, size + is_torn)

    def _take(self, line: WriteLine, at: int) -> None:
        self._has_places = self._has_places or line.at is not None
        if self._has_places and line.at != at:
            self.misplaced.append(at)
            return
        if line.how == "accepted":
            self.misplaced.clear()
        if line.file == JOURNAL:
            return
        history = self._contents.setdefault(line.file, [])
        if line.how == "accepted":
            history.clear()
        if line.how == "done" and history and not history[-1].is_done and history[-1].sha256 == line.sha256:
            history[-1] = replace(history[-1], is_done=True)
            return
        history.append(FileContent(line.ts, line.sha256, line.how == "outside", line.how != "begun"))


@contextmanager
def open_write_journal(state: Path) -> Iterator[WriteJournal]:
    """Opens and locks the journal. The first time, it notes all existing files. OSError."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(state / JOURNAL, flags, 0o600)
    try:
        _lock(descriptor)
        writes = WriteJournal(state, descriptor)
        if not os.fstat(descriptor).st_size:
            writes.add(JOURNAL, None, "found")  # so that it is never empty, and later files are known to be new
            for name in (*WRITTEN_FILES, *proof_names(state)):
                if (digest := digest_of(state / name)) is not None:
                    writes.add(name, digest, "found")
        yield writes
    finally:
        os.close(descriptor)


@contextmanager
def record_write(state: Path, name: str, before: Callable[[], str | None], after: str | None) -> Iterator[None]:
    """Put this around handrail's own write; an exception inside leaves it `begun`. `before` gives the old digest."""
    with open_write_journal(state) as writes:
        there = before()
        if not writes.contents(name) and there is not None and name not in WRITTEN_FILES:
            writes.add(name, there, "found")  # rows of a database that is older than this journal
        writes.settle(name, there)
        writes.add(name, after, "begun")
        yield
        with suppress(OSError):  # a write that was begun counts as done if the content exists
            writes.add(name, after, "done")


def write_state(path: Path, data: bytes) -> None:
    """Like `replace_file`, for a file of the state directory that grants permissions. OSError."""
    with record_write(path.parent, path.name, lambda: digest_of(path), sha256(data).hexdigest()):
        replace_file(path, data)


def proof_names(state: Path) -> Sequence[str]:
    with suppress(OSError):
        return [f"{PROOFS}/{name}" for name in sorted(os.listdir(state / PROOFS)) if not name.startswith(".")]
    return ()


def digest_of(path: Path) -> str | None:
    """The digest of a file, following links; None if there is no readable file. OSError for temporary errors."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            return sha256(_whole(descriptor)).hexdigest()
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise
        return None


def _is_torn(raw: bytes) -> bool:
    """Whether it is empty or the beginning of a line, which is what a power cut can leave."""
    text = raw.strip(b"\0")
    return text.startswith(_BEGINNING) or _BEGINNING.startswith(text)


def _whole(descriptor: int) -> bytes:
    parts, at = [], 0
    while part := os.pread(descriptor, 1 << 20, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _lock(descriptor: int) -> None:
    """Waits no longer than `_PATIENCE`, because the process that has the lock may be stopped."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise OSError(errno.EAGAIN, "another process holds the journal of writes") from None
            time.sleep(_NAP)
