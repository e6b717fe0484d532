"""The port to the project's files, which tools, snapshots and evidence use.

All methods block and take a wire path (relative, POSIX). They raise conditions of `ports/errors.py`: OutsideRoot for
links and closed folders, NotFound, TooLarge, InputOutput.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from handrail.ports.paths import Parts


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a folder. A link is neither a file nor a folder, and is never followed."""

    name: str
    is_folder: bool
    is_link: bool


class Stamp(NamedTuple):
    """Shows whether a file has changed, without reading it."""

    size: int
    changed_ns: int
    inode: int


Kind = Literal["file", "folder", "link", "other"]


class Status(NamedTuple):
    """What is at a path. `mode` has the permission bits."""

    kind: Kind
    mode: int
    size: int
    changed_ns: int
    inode: int


class Folders(Protocol):
    """Opens any folder below a root by its absolute path."""

    def open(self, path: str) -> "Folder":
        """OutsideRoot."""
        ...

    def close(self) -> None: ...


OnClosed = Callable[[str], None]


class Folder(Protocol):
    """A folder whose paths can't leave it: links are never followed."""

    @property
    def location(self) -> str:
        """The absolute path for people to read; never used to open anything."""
        ...

    def parse(self, path: str) -> Parts:
        """The components of a wire path. OutsideRoot, InvalidParams."""
        ...

    def subfolder(self, name: str) -> "Folder":
        """A folder below this one, without the closed folders of this one; created when it is first written to."""
        ...

    def private(self) -> "Folder":
        """The same folder, but new folders and files are only for the owner (0700, 0600)."""
        ...

    def make_private(self, path: str) -> int:
        """Removes other users' permissions in a folder and below; returns how many entries were changed."""
        ...

    def read(self, path: str, limit: int | None = None) -> bytes:
        """The content of a regular file. TooLarge: more than `limit` bytes."""
        ...

    def read_at(self, path: str, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`."""
        ...

    def mode(self, path: str) -> int | None:
        """The permission bits of a regular file; None if there is none."""
        ...

    def status(self, path: str) -> Status | None:
        """The status of what is at the path, which may be a link; None if there is nothing."""
        ...

    def has(self, path: str) -> bool:
        """Whether anything is at the path, even a link. This is the fastest check."""
        ...

    def entries(self, path: str, on_closed: OnClosed | None = None) -> list[Entry]:
        """A folder's entries, unsorted, without closed ones (`on_closed` gets their names) and our temporary files."""
        ...

    def names(self, path: str) -> list[str]:
        """All names in a folder of handrail's own, unsorted; much faster than `entries`."""
        ...

    def is_temporary(self, name: str) -> bool:
        """Whether this is the name of a temporary file of a write. Tools can't use such names."""
        ...

    def walk(self, path: str, on_closed: OnClosed | None = None) -> Iterator[tuple[str, Entry]]:
        """Everything below a folder as (path relative to it, entry), without closed entries, which `on_closed` gets."""
        ...

    def stamp(self, path: str) -> Stamp | None:
        """The stamp of a regular file; None if there is none."""
        ...

    def stamps(self, path: str) -> dict[str, Stamp]:
        """The stamps of all regular files below a folder, by relative path, without closed folders and links."""
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
        """Replaces or creates a file atomically: readers see the old or the new content.

        Creates missing folders. Keeps the old file's mode (unless one is given), owner and extended attributes.
        Durable: file and folder are synced before this returns. `guard` is called right before the file appears; if it
        raises, nothing has changed.
        """
        ...

    def adopt(
        self, source: str, path: str, *, guard: Callable[[], None] | None = None, mode: int | None = None
    ) -> None:
        """Like `write`, but moves a finished file, given by its path from the same root.

        Not durable; call `sync` for that.
        """
        ...

    def move(self, path: str, to: str, *, guard: Callable[[], None] | None = None) -> None:
        """Renames a file or a folder, creating missing parent folders. Conflict: the new name is taken."""
        ...

    def link_target(self, path: str) -> str:
        """The text of a symbolic link. InvalidParams: it isn't UTF-8."""
        ...

    def put_link(
        self, path: str, target: str | None, *, is_durable: bool = True, guard: Callable[[], None] | None = None
    ) -> None:
        """Creates, replaces or removes (None) a symbolic link. Conflict: something else is there."""
        ...

    def make_folder(self, path: str, mode: int | None = None, *, is_durable: bool = True) -> None:
        """Creates a folder and missing parents. Conflict: the name is taken."""
        ...

    def remove_folder(self, path: str, *, is_durable: bool = True) -> None:
        """Conflict: it isn't empty."""
        ...

    def sync_file(self, path: str) -> None:
        """Syncs a file and its name to disk, whoever wrote it."""
        ...

    def sync(self) -> None:
        """Syncs everything that was written to this file system."""
        ...

    def create(self, path: str, data: bytes, *, is_durable: bool = True) -> None:
        """Like `write`, but Conflict if the name is taken."""
        ...

    def put(self, path: str, data: bytes) -> None:
        """Creates a durable file with one sync. It isn't atomic, so nobody may read the file before this returns.

        Syncing a file also saves its name on ext4, XFS and Btrfs; on other file systems the folder is synced too.
        Conflict: the name is taken.
        """
        ...

    def append(self, path: str, data: bytes) -> None:
        """Appends lines atomically, under a lock across processes. Creates the file and missing folders.

        A torn last line first gets its missing LF.
        """
        ...

    def remove(self, path: str, *, is_durable: bool = True, guard: Callable[[], None] | None = None) -> bool:
        """Removes a file; returns False if there was none. Of several concurrent callers only one gets True.

        Durable: the folder is synced before this returns. `guard` is as in `write`.
        """
        ...

    def remove_tree(self, path: str) -> None:
        """Removes a folder of handrail's own with its content."""
        ...

    def total_size(self, path: str) -> int:
        """The total size in bytes of all files below a folder."""
        ...

    def open_descriptor(self, path: str) -> AbstractContextManager[int]:
        """A descriptor of a folder, such as for a child process that starts in it."""
        ...

    def lock(
        self, path: str, timeout: float, on_wait: Callable[[], None] = lambda: None
    ) -> AbstractContextManager[None]:
        """An exclusive lock across processes on a file of handrail's own. Conflict after `timeout` seconds.

        `on_wait` is called repeatedly while it waits; if it raises, the wait ends.
        """
        ...

    def sweep(self, path: str) -> None:
        """Removes a temporary file that a killed write of `path` has left."""
        ...

    def sweep_all(self, path: str) -> None:
        """The same for all paths below a folder in which nobody else may be writing now."""
        ...

    def close(self) -> None: ...


class EvidenceFolder(Protocol):
    """The methods of a folder that evidence needs; a bucket can provide them too."""

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
        """From now on, these texts are read instead of their files."""
        ...
