"""Reads, creates, replaces and removes symbolic links in an open folder, without following them."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress

from handrail.ports.errors import Conflict, InvalidParams
from handrail.stores.local.files.atomic import Place, sync_folder
from handrail.stores.local.files.refusal import translate_errors
from handrail.stores.local.files.temporary import temporary_name


def target_of(place: Place) -> str:
    with translate_errors(place.path):
        target = os.readlink(place.name, dir_fd=place.folder)
    try:
        return target.decode()
    except UnicodeDecodeError:
        raise InvalidParams(f"The link {place.path!r} leads to a name that isn't UTF-8.", path=place.path) from None


def put(place: Place, target: str | None, *, is_durable: bool, guard: Callable[[], None] | None) -> None:
    """Creates or replaces a link atomically; removes it if there is no target."""
    with translate_errors(place.path):
        exists = _link_exists(place)
        if target is None:
            if guard:
                guard()
            if exists:
                os.unlink(place.name, dir_fd=place.folder)
        elif exists:
            _replace(place, target, guard)
        else:
            if guard:
                guard()
            try:
                os.symlink(target.encode(), place.name, dir_fd=place.folder)
            except FileExistsError:
                raise _exists_error(place) from None
        if is_durable:
            sync_folder(place.folder)


def _replace(place: Place, target: str, guard: Callable[[], None] | None) -> None:
    temporary = temporary_name(place.path)
    with suppress(FileNotFoundError):  # left by a killed process
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


def _link_exists(place: Place) -> bool:
    try:
        status = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    if not stat.S_ISLNK(status.st_mode):
        raise _exists_error(place)
    return True


def _exists_error(place: Place) -> Conflict:
    return Conflict(f"{place.path!r} exists already and isn't a link.", path=place.path)
