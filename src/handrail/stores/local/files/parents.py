"""Creates missing folders one by one in the open parent, never by a path that could change."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from handrail.ports.errors import Failure, NotFound
from handrail.ports.paths import Parts
from handrail.stores.local.files.atomic import sync_folder
from handrail.stores.local.files.beneath import Opener, encoded
from handrail.stores.local.files.refusal import translate_errors

_FOLDER = os.O_RDONLY | os.O_DIRECTORY


@contextmanager
def open_folder(
    open_beneath: Opener, root_fd: int, parts: Parts, *, is_durable: bool, is_private: bool = False
) -> Iterator[int]:
    """A descriptor of the folder `parts`. Missing folders are created, and removed again if the block fails."""
    new: list[Parts] = []
    try:
        fd = _open_or_make(open_beneath, root_fd, parts, new, is_durable, 0o700 if is_private else 0o777)
        try:
            yield fd
        finally:
            os.close(fd)
    except BaseException:
        for folder in reversed(new):
            with suppress(OSError, Failure):  # another process may have put something into it
                _remove(open_beneath, root_fd, folder)
        raise


def _open_or_make(
    open_beneath: Opener, root_fd: int, parts: Parts, new: list[Parts], is_durable: bool, mode: int
) -> int:
    try:
        return open_beneath(root_fd, parts, _FOLDER, 0)
    except NotFound:
        pass
    folder = open_beneath(root_fd, (), _FOLDER, 0)
    for depth, name in enumerate(parts, 1):
        try:
            with translate_errors("/".join(parts[:depth])):
                if _make(folder, name, mode):
                    new.append(parts[:depth])
                    if is_durable:
                        sync_folder(folder)
                inner = open_beneath(folder, (name,), _FOLDER, 0)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _make(folder: int, name: str, mode: int) -> bool:
    try:
        os.mkdir(encoded((name,)), mode, dir_fd=folder)
    except FileExistsError:
        return False
    return True


def _remove(open_beneath: Opener, root_fd: int, parts: Parts) -> None:
    folder = open_beneath(root_fd, parts[:-1], _FOLDER, 0)
    try:
        os.rmdir(encoded(parts[-1:]), dir_fd=folder)
    finally:
        os.close(folder)
