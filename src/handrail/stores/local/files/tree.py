"""Walks trees without recursion, with one descriptor at a time; every folder is opened from the root.

So depth needs no stack and no descriptors, and a folder that vanishes or becomes a link is left out.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from typing import TypeVar

from handrail.ports.errors import InputOutput, NotFound, OutsideRoot
from handrail.ports.files import Entry, Stamp
from handrail.ports.paths import Parts
from handrail.stores.local.files.beneath import encoded
from handrail.stores.local.files.listing import scan
from handrail.stores.local.files.refusal import refusal, translate_errors
from handrail.stores.local.files.temporary import discard, is_temporary

OpenFolder = Callable[[Parts], AbstractContextManager[int]]
T = TypeVar("T")


def walk(list_folder: Callable[[Parts], list[Entry]], top: Parts) -> Iterator[tuple[str, Entry]]:
    """Everything below `top` as (relative path, entry); a folder comes before its content."""
    pending = [""]
    while pending:
        folder = pending.pop()
        prefix = folder + "/" if folder else ""
        for entry in _readable(list_folder, top, folder):
            path = prefix + entry.name
            if entry.is_folder:
                pending.append(path)
            yield path, entry


def stamps(
    stamped_folder: Callable[[Parts], list[tuple[str, Stamp | None]]], top: Parts
) -> Iterator[tuple[str, Stamp]]:
    """Every regular file below `top`; folders have no stamp."""
    pending = [""]
    while pending:
        folder = pending.pop()
        prefix = folder + "/" if folder else ""
        for name, stamp in _readable(stamped_folder, top, folder):
            if stamp is None:
                pending.append(prefix + name)
            else:
                yield prefix + name, stamp


def _readable(list_folder: Callable[[Parts], list[T]], top: Parts, folder: str) -> list[T]:
    """A folder's entries; empty if it vanished, became a link or can't be read."""
    try:
        return list_folder((*top, *folder.split("/")) if folder else top)
    except (NotFound, OutsideRoot):
        return []
    except InputOutput as failure:
        if failure.details.get("error") == "EACCES":
            return []
        raise


def remove(open_folder: OpenFolder, top: Parts) -> None:
    """Removes the folder `top` with everything in it; links are removed, not followed."""
    if not top:
        raise refusal(errno.EBUSY, ".")
    folders: list[Parts] = []
    pending = [top]
    while pending:
        folder = pending.pop()
        with suppress(NotFound), open_folder(folder) as fd, translate_errors("/".join(folder)):
            pending += _empty(fd, folder)
            folders.append(folder)
    for folder in reversed(folders):
        with suppress(NotFound), open_folder(folder[:-1]) as fd, translate_errors("/".join(folder)):
            os.rmdir(encoded(folder[-1:]), dir_fd=fd)


def make_private(open_folder: OpenFolder, top: Parts) -> int:
    """Takes from others what they may do in the folder `top` and below; how many of its names were open to them."""
    found, pending = 0, [top]
    while pending:
        folder = pending.pop()
        with suppress(NotFound, OutsideRoot), open_folder(folder) as fd, translate_errors("/".join(folder)):
            found += _shut(fd, os.fstat(fd).st_mode)
            for name, item in scan(fd):
                if item.is_dir(follow_symlinks=False):
                    pending.append((*folder, name))
                elif item.is_file(follow_symlinks=False):
                    with suppress(OSError):
                        found += _shut_file(fd, name)
    return found


def _shut_file(folder: int, name: str) -> bool:
    # O_NONBLOCK: opening a pipe without a writer must not hang.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    fd = os.open(encoded((name,)), flags, dir_fd=folder)
    try:
        return _shut(fd, os.fstat(fd).st_mode)
    finally:
        os.close(fd)


def _shut(fd: int, mode: int) -> bool:
    is_open = bool(mode & 0o077)
    if is_open:
        os.fchmod(fd, stat.S_IMODE(mode) & ~0o077)
    return is_open


def total_size(open_folder: OpenFolder, top: Parts) -> int:
    """The bytes of all regular files below `top`; files that vanish don't count."""
    total = 0
    pending = [top]
    while pending:
        folder = pending.pop()
        try:
            with open_folder(folder) as fd, translate_errors("/".join(folder)):
                for name, item in scan(fd):
                    if item.is_dir(follow_symlinks=False):
                        pending.append((*folder, name))
                    elif item.is_file(follow_symlinks=False):
                        with suppress(FileNotFoundError):
                            total += item.stat(follow_symlinks=False).st_size
        except (NotFound, OutsideRoot):
            if folder == top:
                raise
    return total


def sweep(open_folder: OpenFolder, top: Parts) -> None:
    """Removes temporary files below `top` without a live writer."""
    pending = [top]
    while pending:
        folder = pending.pop()
        with suppress(NotFound, OutsideRoot), open_folder(folder) as fd, translate_errors("/".join(folder)):
            for name, item in list(scan(fd)):
                if item.is_dir(follow_symlinks=False):
                    pending.append((*folder, name))
                elif is_temporary(name):
                    discard(fd, encoded((name,)))


def _empty(fd: int, folder: Parts) -> list[Parts]:
    """Removes everything except folders, and returns the folders."""
    inner: list[Parts] = []
    for name, item in list(scan(fd)):
        if item.is_dir(follow_symlinks=False):
            inner.append((*folder, name))
        else:
            with suppress(FileNotFoundError):
                os.unlink(encoded((name,)), dir_fd=fd)
    return inner
