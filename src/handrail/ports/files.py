"""The port through which everything reaches the project's files.

One implementation opens every path of every tool, snapshot and evidence file. All methods
are synchronous and take a wire path (relative, POSIX); all raise conditions of the error tree:
OutsideRoot for links and closed folders, NotFound, TooLarge, InputOutput.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from handrail.ports.paths import Parts


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder. A link is neither a file nor a folder: it is never followed."""

    name: str
    is_folder: bool
    is_link: bool


class Stamp(NamedTuple):
    """By which a file that was changed is told from itself before, without reading it."""

    size: int
    changed_ns: int
    inode: int


Kind = Literal["file", "folder", "link", "other"]


class Status(NamedTuple):
    """What a name stands for; nothing of it is read. `mode` has the permission bits."""

    kind: Kind
    mode: int
    size: int
    changed_ns: int
    inode: int


class Folders(Protocol):
    """Any folder below one root, by its absolute path."""

    def open(self, path: str) -> "Folder":
        """OutsideRoot."""
        ...

    def close(self) -> None: ...


OnClosed = Callable[[str], None]


class Folder(Protocol):
    """A folder that can't be left: no link is followed, inside or at the end of a path."""

    @property
    def location(self) -> str:
        """The absolute path, for people to read; never used to open anything."""
        ...

    def parse(self, path: str) -> Parts:
        """The components of a wire path, or OutsideRoot / InvalidParams."""
        ...

    def subfolder(self, name: str) -> "Folder":
        """A view on a folder below, without this view's closed folders; made when first written to."""
        ...

    def private(self) -> "Folder":
        """The same folder, in which everything new is for its owner alone: folders 0700, files 0600."""
        ...

    def make_private(self, path: str) -> int:
        """Takes from others what they may do in that folder and below; returns how much was open to them."""
        ...

    def read(self, path: str, limit: int | None = None) -> bytes:
        """The whole regular file; TooLarge beyond `limit` bytes."""
        ...

    def read_at(self, path: str, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`."""
        ...

    def mode(self, path: str) -> int | None:
        """The permission bits of a regular file, or None when nothing or something else is there."""
        ...

    def status(self, path: str) -> Status | None:
        """Of whatever the name stands for, were it a link; None if there is nothing."""
        ...

    def has(self, path: str) -> bool:
        """Whether anything stands there, were it a link; the cheapest way to learn that nothing does."""
        ...

    def entries(self, path: str, on_closed: OnClosed | None = None) -> list[Entry]:
        """What a folder holds, unsorted, without what is closed (`on_closed` gets its name) and our temporary files."""
        ...

    def names(self, path: str) -> list[str]:
        """The bare names of all that a folder of ours holds, unsorted: cheaper than entries by far."""
        ...

    def is_temporary(self, name: str) -> bool:
        """Whether a file of this name is one that a write of ours leaves for a moment. No tool can use such a name."""
        ...

    def walk(self, path: str, on_closed: OnClosed | None = None) -> Iterator[tuple[str, Entry]]:
        """Everything below a folder, (path relative to it, entry), without what is closed, which `on_closed` gets."""
        ...

    def stamp(self, path: str) -> Stamp | None:
        """Of one regular file; None when nothing or something else is there."""
        ...

    def stamps(self, path: str) -> dict[str, Stamp]:
        """Every regular file below a folder, by its path relative to it; closed folders left out, no link followed."""
        ...

    def write(
        self,
        path: str,
        data: bytes,
        *,
        is_durable: bool = True,
        guard: Callable[[], None] | None = None,
        mode: int | None = None,
    ) -> None:
        """Replaces or creates the file in one step: a reader sees the old content or the new one.

        Missing folders are made; mode (unless another one is given), owner and extended attributes of the old file
        stay. Durable: file and folder are fsynced before this returns. `guard` is called right before the file
        appears; when it raises, nothing has changed.
        """
        ...

    def adopt(
        self, source: str, path: str, *, guard: Callable[[], None] | None = None, mode: int | None = None
    ) -> None:
        """Like `write`, with a finished file of ours below the same root, given by its path from there.

        Not durable: `sync` is. The source's name is gone afterwards.
        """
        ...

    def move(self, path: str, to: str, *, guard: Callable[[], None] | None = None) -> None:
        """Renames a file or a folder; Conflict when the new name is taken. Missing folders above it are made."""
        ...

    def link_target(self, path: str) -> str:
        """Where a symbolic link leads, as it says; nothing is followed. InvalidParams if that isn't UTF-8."""
        ...

    def put_link(
        self, path: str, target: str | None, *, is_durable: bool = True, guard: Callable[[], None] | None = None
    ) -> None:
        """Makes a symbolic link, or replaces or removes (None) the one that is there. Conflict over anything else."""
        ...

    def make_folder(self, path: str, mode: int | None = None, *, is_durable: bool = True) -> None:
        """Conflict when the name is taken. Missing folders above it are made."""
        ...

    def remove_folder(self, path: str, *, is_durable: bool = True) -> None:
        """Conflict when it isn't empty."""
        ...

    def sync_file(self, path: str) -> None:
        """A file is on disk with its name when this returns, whoever wrote it."""
        ...

    def sync(self) -> None:
        """Everything that was written to this file system before is on disk when this returns."""
        ...

    def create(self, path: str, data: bytes, *, is_durable: bool = True) -> None:
        """Like `write`, but Conflict when the name is taken."""
        ...

    def put(self, path: str, data: bytes) -> None:
        """A new file of ours that nobody looks at before this returns, on disk with its name in one trip.

        The file is synced under its own name: the journals of ext4, XFS and Btrfs then have the name, too.
        Where that is not known of the file system, the folder is synced as well.
        Conflict when the name is taken.
        """
        ...

    def append(self, path: str, data: bytes) -> None:
        """Adds whole lines in one step, under a lock that processes share; all of them or none.

        What is missing is made. A torn tail gets the LF that it lacks.
        """
        ...

    def remove(self, path: str, *, is_durable: bool = True, guard: Callable[[], None] | None = None) -> bool:
        """Unlinks a file; False when there was none. Of many callers at once one gets True.

        Durable: the folder is fsynced before this returns. `guard` as with `write`.
        """
        ...

    def remove_tree(self, path: str) -> None:
        """Removes a folder of ours with all that it holds."""
        ...

    def total_size(self, path: str) -> int:
        """The bytes of all files below a folder."""
        ...

    def open_descriptor(self, path: str) -> AbstractContextManager[int]:
        """A descriptor of a folder, for a child process that starts in it."""
        ...

    def lock(
        self, path: str, timeout: float, on_wait: Callable[[], None] = lambda: None
    ) -> AbstractContextManager[None]:
        """An exclusive lock across processes on a file of ours; Conflict after `timeout` seconds.

        `on_wait` is called again and again while somebody else holds it; when it raises, the wait is over.
        """
        ...

    def sweep(self, path: str) -> None:
        """Removes the temporary file that a killed write of `path` may have left."""
        ...

    def sweep_all(self, path: str) -> None:
        """The same for every path below a folder of ours in which nobody else may replace a file meanwhile."""
        ...

    def close(self) -> None: ...


class EvidenceFolder(Protocol):
    """What evidence is kept in: the part of a folder that it needs, which a bucket can be, too."""

    @property
    def location(self) -> str: ...

    def private(self) -> "EvidenceFolder": ...

    def read(self, path: str, limit: int | None = None) -> bytes: ...

    def mode(self, path: str) -> int | None: ...

    def write(self, path: str, data: bytes, *, is_durable: bool = True) -> None: ...

    def create(self, path: str, data: bytes, *, is_durable: bool = True) -> None: ...

    def put(self, path: str, data: bytes) -> None: ...

    def entries(self, path: str) -> list[Entry]: ...

    def total_size(self, path: str) -> int: ...

    def remove_tree(self, path: str) -> None: ...

    def make_private(self, path: str) -> int: ...

    def sweep_all(self, path: str) -> None: ...

    def sync_file(self, path: str) -> None: ...

    def sync(self) -> None: ...

    def close(self) -> None: ...


class OverlaidFolder(Folder, Protocol):
    def overlay(self, texts: Mapping[str, str]) -> None:
        """From now on these are read in the place of their files."""
        ...
