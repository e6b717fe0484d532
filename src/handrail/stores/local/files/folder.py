"""Implements the `Folder` port: a project's folder on the local disk.

Parses paths from the wire and refuses closed folders and handrail's temporary files; `Root` opens the rest.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from handrail.ports.errors import InvalidParams, NotFound, OutsideRoot, TooLarge
from handrail.ports.files import Entry, Kind, OnClosed, Stamp, Status
from handrail.ports.paths import ClosedFolders, Parts, fold_name, parse_path
from handrail.stores.local.files import atomic, links, moving, tree
from handrail.stores.local.files.appending import append
from handrail.stores.local.files.beneath import Opener, open_beneath
from handrail.stores.local.files.listing import list_entries, list_stamps
from handrail.stores.local.files.lock import lock_file
from handrail.stores.local.files.refusal import translate_errors
from handrail.stores.local.files.root import Root, display_path
from handrail.stores.local.files.temporary import is_temporary

_CHUNK = 1 << 20
_NONE_CLOSED = ClosedFolders(())
_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


class LocalFolder:
    """The root or a folder below it. Threads may share it."""

    def __init__(
        self, root: Root, prefix: Parts = (), closed: ClosedFolders = _NONE_CLOSED, *, is_private: bool = False
    ) -> None:
        self._root = root
        self._prefix = prefix
        self._closed = closed
        self._is_private = is_private

    @classmethod
    def open(cls, path: str, closed: ClosedFolders = _NONE_CLOSED, opener: Opener = open_beneath) -> "LocalFolder":
        """Opens the project at an absolute path."""
        return cls(Root(path, opener), closed=closed)

    def close(self) -> None:
        """Closes the root, for all its folders."""
        self._root.close()

    @property
    def location(self) -> str:
        return os.path.join(self._root.location, *self._prefix)

    def parse(self, path: str) -> Parts:
        parts = parse_path(path)
        self._closed.check(parts)
        for part in parts:
            if is_temporary(fold_name(part)):
                raise OutsideRoot(f"Path not allowed: {path!r} is a temporary file of handrail's.", path=path)
        return parts

    def subfolder(self, name: str) -> "LocalFolder":
        return LocalFolder(self._root, self._prefix + parse_path(name), is_private=self._is_private)

    def private(self) -> "LocalFolder":
        return LocalFolder(self._root, self._prefix, self._closed, is_private=True)

    def make_private(self, path: str) -> int:
        return tree.make_private(self._root.folder, self._parts(path))

    def read(self, path: str, limit: int | None = None) -> bytes:
        fd, size = self._root.open_file(self._parts(path))
        try:
            if limit is not None and size > limit:
                raise _too_large(path, limit)
            with translate_errors(path):
                # One byte more than expected, to notice a file that has grown.
                data = os.read(fd, size + 1)
                if len(data) == size:
                    return data
                chunks, total = [data], len(data)
                while (limit is None or total <= limit) and (chunk := os.read(fd, _CHUNK)):
                    chunks.append(chunk)
                    total += len(chunk)
            if limit is not None and total > limit:
                raise _too_large(path, limit)
            return b"".join(chunks)
        finally:
            os.close(fd)

    def read_at(self, path: str, offset: int, size: int) -> bytes:
        if offset < 0 or size < 0:
            raise InvalidParams("Offset and size can't be negative.", path=path)
        fd, total = self._root.open_file(self._parts(path))
        try:
            end = min(offset + size, total)
            chunks = []
            with translate_errors(path):
                while offset < end and (chunk := os.pread(fd, end - offset, offset)):
                    chunks.append(chunk)
                    offset += len(chunk)
            return b"".join(chunks)
        finally:
            os.close(fd)

    def mode(self, path: str) -> int | None:
        try:
            status = self._root.stat(self._parts(path))
        except NotFound:
            return None
        return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None

    def status(self, path: str) -> Status | None:
        parts = self._parts(path)
        try:
            status = self._root.lstat(parts)
        except NotFound:
            return None
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "other")
        return Status(kind, stat.S_IMODE(status.st_mode), status.st_size, status.st_mtime_ns, status.st_ino)

    def has(self, path: str) -> bool:
        return self._root.has(self._parts(path))

    def entries(self, path: str, on_closed: OnClosed | None = None) -> list[Entry]:
        return self._list(self._parts(path), on_closed)

    def names(self, path: str) -> list[str]:
        parts = self._parts(path)
        with self._root.folder(parts) as fd, translate_errors(display_path(parts)):
            return os.listdir(fd)

    def is_temporary(self, name: str) -> bool:
        return is_temporary(fold_name(name))

    def walk(self, path: str, on_closed: OnClosed | None = None) -> Iterator[tuple[str, Entry]]:
        top = self._parts(path)

        def listed_below(parts: Parts) -> list[Entry]:
            if on_closed is None:
                return self._list(parts)
            return self._list(parts, lambda name: on_closed("/".join((*parts[len(top) :], name))))

        with self._root.folder(top):  # refuses here instead of at the first step
            return tree.walk(listed_below, top)

    def stamp(self, path: str) -> Stamp | None:
        try:
            status = self._root.stat(self._parts(path))
        except NotFound:
            return None
        regular = stat.S_ISREG(status.st_mode)
        return Stamp(status.st_size, status.st_mtime_ns, status.st_ino) if regular else None

    def stamps(self, path: str) -> dict[str, Stamp]:
        top = self._parts(path)
        with self._root.folder(top):  # as in `walk`
            return dict(tree.stamps(self._stamped, top))

    def write(
        self,
        path: str,
        data: bytes,
        *,
        is_durable: bool = True,
        guard: Callable[[], None] | None = None,
        mode: int | None = None,
    ) -> None:
        with self._place(path, is_durable=is_durable) as place:
            mode = place.new_mode if mode is None and self._is_private else mode
            atomic.replace(place, data, is_durable=is_durable, guard=guard, mode=mode)

    def adopt(
        self, source: str, path: str, *, guard: Callable[[], None] | None = None, mode: int | None = None
    ) -> None:
        ours = self._prefix + parse_path(source)
        with (
            self._root.place(ours, creates_parents=False) as staged,
            self._root.place(self._parts(path), creates_parents=True, is_durable=False) as place,
        ):
            atomic.adopt(staged, place, guard=guard, mode=mode)

    def move(self, path: str, to: str, *, guard: Callable[[], None] | None = None) -> None:
        with (
            self._root.place(self._parts(path), creates_parents=False) as source,
            self._root.place(self._parts(to), creates_parents=True, is_durable=True) as target,
        ):
            moving.move(source, target, guard)

    def link_target(self, path: str) -> str:
        with self._root.place(self._parts(path), creates_parents=False) as place:
            return links.target_of(place)

    def put_link(
        self, path: str, target: str | None, *, is_durable: bool = True, guard: Callable[[], None] | None = None
    ) -> None:
        with self._root.place(self._parts(path), creates_parents=target is not None, is_durable=is_durable) as place:
            links.put(place, target, is_durable=is_durable, guard=guard)

    def make_folder(self, path: str, mode: int | None = None, *, is_durable: bool = True) -> None:
        with self._root.place(self._parts(path), creates_parents=True, is_durable=is_durable) as place:
            moving.make_folder(place, mode, is_durable=is_durable)

    def remove_folder(self, path: str, *, is_durable: bool = True) -> None:
        with self._root.place(self._parts(path), creates_parents=False) as place:
            moving.remove_folder(place, is_durable=is_durable)

    def sync_file(self, path: str) -> None:
        with self._root.place(self._parts(path), creates_parents=False) as place:
            atomic.sync(place)

    def sync(self) -> None:
        with self._root.folder(()) as fd:
            moving.sync_all(fd)

    def create(self, path: str, data: bytes, *, is_durable: bool = True) -> None:
        with self._place(path, is_durable=is_durable) as place:
            atomic.create(place, data, is_durable=is_durable)

    def put(self, path: str, data: bytes) -> None:
        with self._place(path, is_durable=not self._root.keeps_names) as place:
            atomic.put(place, data)

    def append(self, path: str, data: bytes) -> None:
        parts = self._parts(path)
        append(lambda: self._root.open_journal(parts, is_private=self._is_private), data, display_path(parts))

    def remove(self, path: str, *, is_durable: bool = True, guard: Callable[[], None] | None = None) -> bool:
        try:
            with self._root.place(self._parts(path), creates_parents=False) as place:
                return atomic.remove(place, is_durable=is_durable, guard=guard)
        except NotFound:
            return False

    def remove_tree(self, path: str) -> None:
        tree.remove(self._root.folder, self._parts(path))

    def total_size(self, path: str) -> int:
        return tree.total_size(self._root.folder, self._parts(path))

    def open_descriptor(self, path: str) -> AbstractContextManager[int]:
        return self._root.folder(self._parts(path))

    def lock(
        self, path: str, timeout: float, on_wait: Callable[[], None] = lambda: None
    ) -> AbstractContextManager[None]:
        parts = self._parts(path)
        return lock_file(lambda: self._root.open_lock_file(parts), display_path(parts), timeout, on_wait)

    def sweep(self, path: str) -> None:
        try:
            with self._root.place(self._parts(path), creates_parents=False) as place:
                atomic.sweep(place)
        except NotFound:
            pass

    def sweep_all(self, path: str) -> None:
        tree.sweep(self._root.folder, self._parts(path))

    def _place(self, path: str, *, is_durable: bool) -> AbstractContextManager[atomic.Place]:
        return self._root.place(
            self._parts(path), creates_parents=True, is_durable=is_durable, is_private=self._is_private
        )

    def _parts(self, path: str) -> Parts:
        return self._prefix + self.parse(path)

    def _stamped(self, parts: Parts) -> list[tuple[str, Stamp | None]]:
        closed = self._closed.names_in(parts[len(self._prefix) :])
        with self._root.folder(parts) as fd, translate_errors(display_path(parts)):
            return list(list_stamps(fd, closed))

    def _list(self, parts: Parts, on_closed: OnClosed | None = None) -> list[Entry]:
        closed = self._closed.names_in(parts[len(self._prefix) :])
        with self._root.folder(parts) as fd, translate_errors(display_path(parts)):
            return list_entries(fd, closed, on_closed)


def _too_large(path: str, limit: int) -> TooLarge:
    return TooLarge(f"{path!r} is larger than {limit} bytes.", path=path, limit=limit)
