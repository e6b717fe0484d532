"""Ports that protect the audit from outside: checkpoints, their signer, their copies, and a witness.

Everything blocks, so it is called in threads, and raises conditions of `ports/errors.py`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from handrail.ports.journal import Journal
from handrail.ports.state_writes import FileContent

PUBLIC_KEY_BYTES = 32
SIGNATURE_BYTES = 64


class Signer(Protocol):
    """Signs with Ed25519. The key may be in a keyring, in a file, or in another program."""

    def public_key(self) -> bytes | None:
        """None if there is no key."""
        ...

    def make(self) -> bytes:
        """The public key; makes a new key if there is none."""
        ...

    def sign(self, message: bytes) -> bytes: ...


class KnownCheckpoint(NamedTuple):
    """The newest checkpoint of a copy; settled once it is in the file of checkpoints too."""

    line: bytes
    is_settled: bool


class CheckpointCopy(Protocol):
    """A copy of the newest checkpoint in another file."""

    @property
    def name(self) -> str:
        """The file's name in the state directory."""
        ...

    def is_used(self) -> bool:
        """Whether checkpoints are written to it; if another part creates the file, only once it exists."""
        ...

    def read(self) -> KnownCheckpoint | None:
        """None if it has none or doesn't exist."""
        ...

    def check(self) -> None:
        """Damaged: it can't be read completely. Takes a while."""
        ...

    def write(self, known: KnownCheckpoint) -> None: ...


class Witness(Protocol):
    """Stores all checkpoints where programs of this machine can't remove them."""

    @property
    def name(self) -> str: ...

    def add(self, line: bytes) -> None: ...

    def lines(self) -> Sequence[bytes]:
        """All checkpoints of this record that it has."""
        ...


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that handrail writes: its current content, and its contents since the state was accepted."""

    digest: str | None
    contents: Sequence[FileContent]
    is_known: bool
    """The content is the last one that handrail wrote."""
    is_edited_by_people: bool


class StateFiles(Protocol):
    """Other files of the state directory that a checkpoint describes."""

    def written(self) -> Mapping[str, WrittenFile]:
        """The files that only handrail writes, or handrail and people, all read at the same time."""
        ...

    def settle(self, *, accepts: bool = False) -> None:
        """Notes what others have written to them. `accepts`: a person accepts that as correct."""
        ...

    def replaced(self) -> Iterable[str]:
        """Names of files that are replaced as a whole."""
        ...

    def growing(self) -> Mapping[str, str]:
        """Names of files that only grow, and the units in which they are counted."""
        ...

    def foreign(self) -> Iterable[str]:
        """Faults in rows that other programs have written to a database."""
        ...

    def digest(self, name: str) -> str | None:
        """SHA-256 of a file that is replaced as a whole; None if it doesn't exist."""
        ...

    def size(self, name: str) -> int | None: ...

    def read(self, name: str, start: int, until: int) -> Iterable[bytes]: ...

    def sync(self) -> None:
        """Syncs growing files to disk; a database is synced with its next checkpoint."""
        ...


@dataclass(frozen=True, slots=True)
class RecordStores:
    """`id` identifies this record to its witness; it never changes for this state directory on this machine.

    `lock` is held by a process while it makes a checkpoint.
    """

    id: str
    checkpoints: Journal
    signer: Signer
    places: Sequence[CheckpointCopy]
    witness: Witness | None
    open_witness: Callable[[str], Witness | None]
    """The witness that a setting names."""
    files: StateFiles
    lock: Callable[[], AbstractContextManager[None]]
    rewrite: Callable[[Sequence[bytes]], None]
    """Replaces all lines of `checkpoints`; durable."""
