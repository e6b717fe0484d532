"""Symbolic links in an open folder: read, made, replaced and removed, and never followed."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress

from handrail.ports.errors import Conflict, InvalidParams
from handrail.stores.local.files.atomic import Place, sync_folder
from handrail.stores.local.files.refusal import told
from handrail.stores.local.files.temporary import temporary_name


def target_of(place: Place) -> str:
    with told(place.path):
        target = os.readlink(place.name, dir_fd=place.folder)
    try:
        return target.decode()
    except UnicodeDecodeError:
        raise InvalidParams(f"The link {place.path!r} leads to a name that isn't UTF-8.", path=place.path) from None


def put(place: Place, target: str | None, *, is_durable: bool, guard: Callable[[], None] | None) -> None:
    """A reader sees the old link or the new one. Without a target the link is removed."""
    with told(place.path):
        is_there = _is_there(place)
        if target is None:
            if guard:
                guard()
            if is_there:
                os.unlink(place.name, dir_fd=place.folder)
        elif is_there:
            _replace(place, target, guard)
        else:
            if guard:
                guard()
            try:
                os.symlink(target.encode(), place.name, dir_fd=place.folder)
            except FileExistsError:
                raise _taken(place) from None
        if is_durable:
            sync_folder(place.folder)


def _replace(place: Place, target: str, guard: Callable[[], None] | None) -> None:
    temporary = temporary_name(place.path)
    with suppress(FileNotFoundError):  # what a killed one left
        os.unlink(temporary, dir_fd=place.folder)
    os.symlink(target.encode(), temporary, dir_fd=place.folder)
    try:
        if guard:
            guard()
        os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=place.folder)
        raise


def _is_there(place: Place) -> bool:
    try:
        found = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    if not stat.S_ISLNK(found.st_mode):
        raise _taken(place)
    return True


def _taken(place: Place) -> Conflict:
    return Conflict(f"{place.path!r} exists already and isn't a link.", path=place.path)
