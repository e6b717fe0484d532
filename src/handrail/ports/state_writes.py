"""`<stateDir>/writes.jsonl`: what handrail itself wrote to the state files that allow somebody something.

The digest of a content is on disk before the content is, and is confirmed after it. So a content that is not the last
one here came from outside handrail, and an earlier one was put back. Checkpoints sign this journal. Every layer
writes such files, so this is here, with nothing but the standard library and msgspec.
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

JOURNAL = "writes.jsonl"
EDITED_BY_PEOPLE = ("config.toml",)
"""A person may change these with an editor; everything else in the list is handrail's alone."""
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
    {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EACCES, errno.EPERM, errno.EINVAL}
)
"""With any other error a file isn't missing: it just can't be read now."""


class WriteLine(msgspec.Struct, frozen=True):
    """`sha256` is null where the file is not there. `as`: how the content came about.

    `begun` and `done` stand before and after handrail's own write, `found` for what was there when the journal began,
    `outside` for what somebody else wrote, `accepted` for what a person took for the right one. `at` is the byte of the
    journal where the line begins, so that a copy of it counts for nothing; older versions didn't write it.
    """

    ts: str
    file: str
    sha256: str | None
    how: Literal["begun", "done", "found", "outside", "accepted"] = msgspec.field(name="as")
    at: int | None = None


@dataclass(frozen=True, slots=True)
class FileContent:
    """A content that a file had from `ts` on. Not done: it was about to be written, and may not have been."""

    ts: str
    sha256: str | None
    is_outside: bool = False
    is_done: bool = True


_lines = msgspec.json.Decoder(WriteLine)


class WriteJournal:
    """The journal while nobody else writes to it, or to a file that it describes."""

    def __init__(self, state: Path, descriptor: int) -> None:
        self._state = state
        self._descriptor = descriptor
        self._known: dict[str, list[FileContent]] = {}
        self.misplaced: list[int] = []
        """Where something begins that wasn't written for that place, since a person last accepted the state."""
        self._has_places = False
        at = 0
        for raw in _whole(descriptor).split(b"\n"):
            try:
                self._take(_lines.decode(raw), at)
            except (msgspec.DecodeError, UnicodeDecodeError):
                if not _is_torn(raw):
                    self.misplaced.append(at)
            at += len(raw) + 1

    def contents(self, name: str) -> Sequence[FileContent]:
        """Since a person last accepted the state, the newest last."""
        return self._known.get(name, ())

    def names(self) -> Sequence[str]:
        return tuple(self._known)

    def is_known(self, name: str, digest: str | None) -> bool:
        """Whether a file has the content that handrail gave it last, or began to give it."""
        known = self.contents(name)
        if not known:
            return digest is None
        before = known[-2].sha256 if len(known) > 1 else None
        return digest == known[-1].sha256 or (not known[-1].is_done and digest == before)

    def settle(self, name: str, digest: str | None) -> None:
        """Notes a content that handrail did not write; ends a write that a crash cut short."""
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
        if how != "done":  # when a power cut takes this one, the content is still the one that was begun
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
        known = self._known.setdefault(line.file, [])
        if line.how == "accepted":
            known.clear()
        if line.how == "done" and known and not known[-1].is_done and known[-1].sha256 == line.sha256:
            known[-1] = replace(known[-1], is_done=True)
            return
        known.append(FileContent(line.ts, line.sha256, line.how == "outside", line.how != "begun"))


@contextmanager
def open_write_journal(state: Path) -> Iterator[WriteJournal]:
    """OSError. The first who holds it notes what is there."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(state / JOURNAL, flags, 0o600)
    try:
        _lock(descriptor)
        writes = WriteJournal(state, descriptor)
        if not os.fstat(descriptor).st_size:
            writes.add(JOURNAL, None, "found")  # so that it is never empty, and what comes later is known as new
            for name in (*WRITTEN_FILES, *proof_names(state)):
                if (found := digest_of(state / name)) is not None:
                    writes.add(name, found, "found")
        yield writes
    finally:
        os.close(descriptor)


@contextmanager
def record_write(state: Path, name: str, before: Callable[[], str | None], after: str | None) -> Iterator[None]:
    """Around a change of handrail's own: what raises inside leaves it begun. `before`: the digest that is there."""
    with open_write_journal(state) as writes:
        there = before()
        if not writes.contents(name) and there is not None and name not in WRITTEN_FILES:
            writes.add(name, there, "found")  # rows of a database that was there before this journal
        writes.settle(name, there)
        writes.add(name, after, "begun")
        yield
        with suppress(OSError):  # what was begun counts as written where it is there
            writes.add(name, after, "done")


def write_state(path: Path, data: bytes) -> None:
    """`replace_file` for a file of the state directory that allows somebody something. OSError."""
    with record_write(path.parent, path.name, lambda: digest_of(path), sha256(data).hexdigest()):
        replace_file(path, data)


def proof_names(state: Path) -> Sequence[str]:
    with suppress(OSError):
        return [f"{PROOFS}/{name}" for name in sorted(os.listdir(state / PROOFS)) if not name.startswith(".")]
    return ()


def digest_of(path: Path) -> str | None:
    """Of a regular file, behind a link too; None where there is none that can be read. OSError where that may pass."""
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
    """The beginning of a line, or nothing: all that a power cut leaves."""
    left = raw.strip(b"\0")
    return left.startswith(_BEGINNING) or _BEGINNING.startswith(left)


def _whole(descriptor: int) -> bytes:
    parts, at = [], 0
    while part := os.pread(descriptor, 1 << 20, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _lock(descriptor: int) -> None:
    """A holder may be stopped: waits no longer than `_PATIENCE`."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise OSError(errno.EAGAIN, "another process holds the journal of writes") from None
            time.sleep(_NAP)
