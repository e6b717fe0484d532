"""Lists an open folder, with names that can be sent over the wire."""

import os
import stat
from collections.abc import Container, Iterator
from contextlib import suppress

from handrail.ports.files import Entry, OnClosed, Stamp
from handrail.ports.paths import fold_name
from handrail.stores.local.files.temporary import is_temporary


def scan(fd: int) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """All entries; bytes that aren't UTF-8 become lone surrogates in any locale."""
    with os.scandir(fd) as items:
        for item in items:
            name = item.name
            yield name if name.isascii() else os.fsencode(name).decode("utf-8", "surrogateescape"), item


def list_entries(fd: int, closed: Container[str], on_closed: OnClosed | None = None) -> list[Entry]:
    """The entries except `closed` names, our temporary files and names that aren't UTF-8."""
    items = _visible_entries(fd, closed, on_closed)
    return [Entry(name, item.is_dir(follow_symlinks=False), item.is_symlink()) for name, item in items]


def list_stamps(fd: int, closed: Container[str]) -> Iterator[tuple[str, Stamp | None]]:
    """As `list_entries`, with the stamps of regular files and None for folders; other kinds are left out."""
    for name, item in _visible_entries(fd, closed):
        if item.is_dir(follow_symlinks=False):
            yield name, None
            continue
        with suppress(FileNotFoundError):
            status = item.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                yield name, Stamp(status.st_size, status.st_mtime_ns, status.st_ino)


def _visible_entries(
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
