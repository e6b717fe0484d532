"""Lists an open folder, with names that can go over the wire."""

import os
import stat
from collections.abc import Container, Iterator
from contextlib import suppress

from handrail.ports.files import Entry, OnClosed, Stamp
from handrail.ports.paths import fold_name
from handrail.stores.local.files.temporary import is_temporary


def scan(fd: int) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Every name; bytes that aren't UTF-8 become lone surrogates, whatever the locale."""
    with os.scandir(fd) as found:
        for item in found:
            name = item.name
            yield name if name.isascii() else os.fsencode(name).decode("utf-8", "surrogateescape"), item


def listed(fd: int, closed: Container[str], on_closed: OnClosed | None = None) -> list[Entry]:
    """The entries without the `closed` names, our temporary files and names that are no UTF-8."""
    found = _open_ones(fd, closed, on_closed)
    return [Entry(name, item.is_dir(follow_symlinks=False), item.is_symlink()) for name, item in found]


def stamped(fd: int, closed: Container[str]) -> Iterator[tuple[str, Stamp | None]]:
    """The same as `listed`, folders without a stamp, and neither links nor special files; what vanishes is left out."""
    for name, item in _open_ones(fd, closed):
        if item.is_dir(follow_symlinks=False):
            yield name, None
            continue
        with suppress(FileNotFoundError):
            found = item.stat(follow_symlinks=False)
            if stat.S_ISREG(found.st_mode):
                yield name, Stamp(found.st_size, found.st_mtime_ns, found.st_ino)


def _open_ones(
    fd: int, closed: Container[str], on_closed: OnClosed | None = None
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    for name, item in scan(fd):
        if name in closed:
            if on_closed is not None:
                on_closed(name)
        elif not is_temporary(fold_name(name)) and _is_text(name):
            yield name, item


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)
