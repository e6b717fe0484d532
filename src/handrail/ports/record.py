"""What vouches for the audit from outside: checkpoints, who signs them, and where else they are known.

Everything blocks, so it is called in threads, and raises conditions of the error tree.
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
    """Signs with Ed25519. The key may be in a keyring, a file, or held by another program."""

    def public_key(self) -> bytes | None:
        """None where there is no key yet, or none any more."""
        ...

    def make(self) -> bytes:
        """The public key, of a new key where there is none."""
        ...

    def sign(self, message: bytes) -> bytes: ...


class KnownCheckpoint(NamedTuple):
    """The newest checkpoint that a place knows; settled once it is in the file of checkpoints as well."""

    line: bytes
    is_settled: bool


class CheckpointCopy(Protocol):
    """Somewhere else that knows the newest checkpoint."""

    @property
    def name(self) -> str:
        """Which file of the state directory it is."""
        ...

    def is_used(self) -> bool:
        """Whether a checkpoint is written there: where somebody else makes it, only once it is there."""
        ...

    def read(self) -> KnownCheckpoint | None:
        """None where it knows none, or is not there."""
        ...

    def check(self) -> None:
        """Damaged where it can't be read as a whole; takes a while."""
        ...

    def write(self, known: KnownCheckpoint) -> None: ...


class Witness(Protocol):
    """Keeps every checkpoint where this machine's programs can't take it back."""

    @property
    def name(self) -> str: ...

    def add(self, line: bytes) -> None: ...

    def lines(self) -> Sequence[bytes]:
        """All that it has from this record."""
        ...


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that handrail writes itself: what it has now, and every content that it had since it was accepted."""

    digest: str | None
    contents: Sequence[FileContent]
    is_known: bool
    """The content is the one that handrail gave it last."""
    is_edited_by_people: bool


class StateFiles(Protocol):
    """Other files of the state directory that a checkpoint describes."""

    def written(self) -> Mapping[str, WrittenFile]:
        """Those that only handrail writes, or handrail and people; all at one moment."""
        ...

    def settle(self, *, accepts: bool = False) -> None:
        """Notes what others have written to them; accepts: takes it for the right content."""
        ...

    def replaced(self) -> Iterable[str]:
        """Names of those that are written as a whole."""
        ...

    def growing(self) -> Mapping[str, str]:
        """Names of those that only get longer, and what they are counted in."""
        ...

    def foreign(self) -> Iterable[str]:
        """What is wrong with rows that somebody else has written to a database."""
        ...

    def digest(self, name: str) -> str | None:
        """SHA-256 of a file that is written as a whole; None where there is none."""
        ...

    def size(self, name: str) -> int | None: ...

    def read(self, name: str, start: int, until: int) -> Iterable[bytes]: ...

    def sync(self) -> None:
        """Those that grow are on disk when this returns; a database is with the next checkpoint that it knows."""
        ...


@dataclass(frozen=True, slots=True)
class RecordStores:
    """`id` names this record to its witness: the same for this state directory on this machine, whatever happens.

    `lock` is held by one process at a time, while it makes a checkpoint.
    """

    id: str
    checkpoints: Journal
    signer: Signer
    places: Sequence[CheckpointCopy]
    witness: Witness | None
    files: StateFiles
    lock: Callable[[], AbstractContextManager[None]]
    rewrite: Callable[[Sequence[bytes]], None]
    """Replaces all lines of `checkpoints`; durable."""
