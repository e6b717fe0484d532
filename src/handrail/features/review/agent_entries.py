"""Lists what the agent changed, from the overlay's upper folder or, at the narrow level, its copy of the project.

Folders are opened without following links, because the agent may still be running. Nothing here is trusted: names,
kinds and modes are the agent's.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from handrail.features.review.base import Base, BaseEntry
from handrail.ports.errors import Failure
from handrail.ports.files import Folder

EntryKind = Literal["file", "folder", "removed", "link", "special", "unreadable"]
_OPAQUE, _WHITEOUT = "user.overlay.opaque", "user.overlay.whiteout"


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """`is_opaque`: whatever the project has in this folder, and the agent's version hasn't, is removed."""

    path: str
    kind: EntryKind
    mode: int = 0
    size: int = 0
    changed_ns: int = 0
    is_opaque: bool = False
    link: str = ""
    what: str = ""


def upper_entries(upper: Folder) -> Iterator[AgentEntry]:
    """Everything in the overlay's upper folder, except git's own files."""
    yield from _walk(upper, is_overlay=True)


def copy_entries(copy: Folder, base: Base, project: str) -> Iterator[AgentEntry]:
    """What differs from the base in size, time or mode, and what is missing.

    Ignored files aren't in the base, so they are compared with the project's own.
    """
    seen = set()
    for found in _walk(copy, is_overlay=False):
        seen.add(found.path)
        entry = base.entry(found.path)
        if found.kind == "folder" and (entry is None or entry.kind == "folder"):
            if entry is None and not base.is_in_ignored(found.path):
                yield found
            continue
        if entry is not None and found.kind == "link" == entry.kind and found.link == entry.link:
            continue
        if found.kind == "file" and (found.size, found.changed_ns, found.mode) == _stamp(entry, project, found.path):
            continue
        yield found
    for path, entry in base.manifest.entries.items():
        if path not in seen and entry.kind in ("file", "folder", "link"):
            yield AgentEntry(path, "removed")


def _stamp(entry: BaseEntry | None, project: str, path: str) -> tuple[int, int, int] | None:
    if entry is not None:
        return (entry.size, entry.changed_ns, entry.mode) if entry.kind == "file" else None
    try:
        status = os.lstat(os.path.join(project, path))
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns, stat.S_IMODE(status.st_mode)) if stat.S_ISREG(status.st_mode) else None


def _walk(top: Folder, *, is_overlay: bool) -> Iterator[AgentEntry]:
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with top.open_descriptor(folder or ".") as fd:
                entries = list(_list_folder(fd, folder, is_overlay=is_overlay))
        except Failure as failure:
            yield AgentEntry(folder, "unreadable", what=failure.message)
            continue
        for found in entries:
            if found.kind == "folder":
                pending.append(found.path)
            yield found


def _list_folder(fd: int, folder: str, *, is_overlay: bool) -> Iterator[AgentEntry]:
    has_whiteouts = is_overlay and _attribute(fd, _OPAQUE) == b"x"
    with os.scandir(fd) as items:
        for item in items:
            name = os.fsencode(item.name).decode("utf-8", "surrogateescape")
            path = f"{folder}/{name}" if folder else name
            if name == ".git":
                continue
            try:
                status = item.stat(follow_symlinks=False)
                yield _entry(fd, item.name, path, status, is_overlay=is_overlay, has_whiteouts=has_whiteouts)
            except OSError as error:
                yield AgentEntry(path, "unreadable", what=error.strerror or "can't be read")


def _entry(
    fd: int, name: str, path: str, status: os.stat_result, *, is_overlay: bool, has_whiteouts: bool
) -> AgentEntry:
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISREG(status.st_mode):
        if has_whiteouts and status.st_size == 0 and _attribute_of(fd, name, _WHITEOUT) is not None:
            return AgentEntry(path, "removed")
        return AgentEntry(path, "file", mode, status.st_size, status.st_mtime_ns)
    if stat.S_ISDIR(status.st_mode):
        return AgentEntry(path, "folder", mode, is_opaque=is_overlay and _is_opaque(fd, name))
    if stat.S_ISLNK(status.st_mode):
        return _link(path, os.fsencode(os.readlink(name, dir_fd=fd)))
    if is_overlay and stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
        return AgentEntry(path, "removed")
    return AgentEntry(path, "special", mode, what=_special_kind(status.st_mode))


def _link(path: str, target: bytes) -> AgentEntry:
    try:
        return AgentEntry(path, "link", link=target.decode())
    except UnicodeDecodeError:
        return AgentEntry(path, "special", what="a link to a name that isn't UTF-8")


def _is_opaque(fd: int, name: str) -> bool:
    try:
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
    except OSError:
        return False
    try:
        return _attribute(inner, _OPAQUE) == b"y"
    finally:
        os.close(inner)


def _attribute_of(fd: int, name: str, attribute: str) -> bytes | None:
    try:
        inner = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=fd)
    except OSError:
        return None
    try:
        return _attribute(inner, attribute)
    finally:
        os.close(inner)


def _attribute(fd: int, name: str) -> bytes | None:
    with suppress(OSError):
        return os.getxattr(fd, name)
    return None


def _special_kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"
