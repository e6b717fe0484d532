"""The project's state when the agent started, which its changes are compared with and merged from.

`base/manifest` lists every file with its kind, mode, size and time. The content comes from git for tracked files
without local changes, from a copy in `base/copies/` for other files, or from the project's file if that is unchanged.
Folders that git ignores are only named.
"""

import fcntl
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import msgspec

from handrail.features.review.git import is_repository, run_git
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Damaged, NotFound
from handrail.ports.files import Folder, Status
from handrail.ports.unreadable_json import UNREADABLE_JSON

_MANIFEST, _COPIES = "manifest", "copies"
_MAX_COPY_BYTES = 16 << 20
_MAX_TOTAL_BYTES = 1 << 30
_MAX_COPIES = 50_000
_FICLONE = 0x40049409
_SKIPPED = frozenset({".git", ".handrail", ".webgal_agent"})


class BaseEntry(msgspec.Struct, frozen=True, array_like=True):
    kind: Literal["file", "folder", "link", "special"]
    mode: int
    size: int
    changed_ns: int
    inode: int
    blob: str | None = None
    copy: int | None = None
    is_tracked: bool = False
    link: str | None = None
    """The target of a symbolic link."""


class Manifest(msgspec.Struct, frozen=True):
    entries: dict[str, BaseEntry]
    ignored: list[str]
    """Folders, without a trailing slash."""
    is_git: bool


class Base:
    """The saved state, read for a review."""

    def __init__(self, folder: Path, project: Folder) -> None:
        self._folder = folder
        self._project = project
        self.manifest = _read(folder)
        self.ignored = frozenset(self.manifest.ignored)

    def entry(self, path: str) -> BaseEntry | None:
        return self.manifest.entries.get(path)

    def below(self, folder: str) -> Iterator[str]:
        return (path for path in self.manifest.entries if path.startswith(folder + "/"))

    def is_in_ignored(self, path: str) -> bool:
        return any(path == folder or path.startswith(folder + "/") for folder in self.manifest.ignored)

    def content(self, path: str, now: Status | None, project: bytes | None) -> bytes | None:
        """The content at the start; None if no copy of it was made. `now` and `project`: the project's file."""
        entry = self.entry(path)
        if entry is not None and entry.kind == "link":
            return None if entry.link is None else entry.link.encode("utf-8", "surrogateescape")
        if entry is None or entry.kind != "file":
            return None
        if now is not None and (now.size, now.changed_ns, now.inode) == (entry.size, entry.changed_ns, entry.inode):
            return project
        if entry.copy is not None:
            return (self._folder / _COPIES / str(entry.copy)).read_bytes()
        if entry.blob is not None:
            return run_git(self._project.location, "cat-file", "--filters", f"--path={path}", entry.blob)
        return None


def save_base(project: str, folder: Path) -> None:
    """Called when the agent starts. May run at the same time, since the agent's changes can't reach the project."""
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / _COPIES).mkdir(mode=0o700, exist_ok=True)
    from_git = _from_git(project)
    tracked, clean, ignored = from_git or ({}, {}, set())
    copies = _Copies(project, folder / _COPIES)
    entries: dict[str, BaseEntry] = {}
    for path, status in _walk(project, ignored):
        kind = _kind(status.st_mode)
        blob = clean.get(path)
        copy = copies.add(path, status.st_size) if kind == "file" and blob is None and path not in ignored else None
        mode, size, changed = stat.S_IMODE(status.st_mode), status.st_size, status.st_mtime_ns
        link = _target(project, path) if kind == "link" else None
        entries[path] = BaseEntry(kind, mode, size, changed, status.st_ino, blob, copy, path in tracked, link)
    manifest = Manifest(entries, sorted(ignored), from_git is not None)
    replace_file(folder / _MANIFEST, msgspec.msgpack.encode(manifest))


def _read(folder: Path) -> Manifest:
    try:
        return msgspec.msgpack.decode((folder / _MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise NotFound(
            "The project's state at the start of this run wasn't saved, so its changes can't be reviewed.",
            hint=f"What the agent wrote is in {folder.parent}.",
        ) from None
    except UNREADABLE_JSON as error:
        raise Damaged(f"{folder / _MANIFEST} can't be read: {error}") from None


def _from_git(project: str) -> tuple[dict[str, str], dict[str, str], set[str]] | None:
    """Tracked paths with their blobs, the ones without local changes, and ignored paths. None without git."""
    if not os.path.lexists(os.path.join(project, ".git")):
        return None  # every repository's top folder has one, as a folder or a file
    with ThreadPoolExecutor(3) as threads:
        is_git = threads.submit(is_repository, project)
        listing = threads.submit(run_git, project, "ls-files", "-z", "--stage")
        status = threads.submit(
            run_git, project, "status", "--porcelain=v1", "-z", "-uall", "--ignored=matching", "--no-renames"
        )
        if not is_git.result():
            return None
        lines = os.fsdecode(listing.result()).split("\0")
        tracked = {
            line[line.index("\t") + 1 :]: line[7 : line.index(" ", 7)]
            for line in lines
            if line.startswith(("100", "120")) and line[: line.index("\t")].endswith(" 0")
        }
    ignored, dirty = set(), set()
    if any(
        line.startswith("160") for line in lines
    ):  # files of submodules are tracked, but their blobs are in other repositories
        inner = os.fsdecode(run_git(project, "ls-files", "-z", "--recurse-submodules")).split("\0")
        dirty |= set(inner) - tracked.keys()
        tracked |= dict.fromkeys(dirty, "")
    for line in os.fsdecode(status.result()).split("\0"):
        if line.startswith("!! "):
            ignored.add(line[3:].rstrip("/"))
        elif line[1:2] not in (" ", ""):
            dirty.add(line[3:])
    return tracked, {path: blob for path, blob in tracked.items() if path not in dirty}, ignored


def _walk(project: str, ignored: set[str]) -> Iterator[tuple[str, os.stat_result]]:
    """All paths except ignored folders, git's own and handrail's; skips folders that can't be read."""
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(os.path.join(project, folder)) as entries:
                items = list(entries)
        except OSError:
            continue
        for item in items:
            if item.name in _SKIPPED:
                continue
            path = f"{folder}/{item.name}" if folder else item.name
            try:
                status = item.stat(follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISDIR(status.st_mode):
                if path in ignored:
                    continue
                pending.append(path)
            yield path, status


class _Copies:
    def __init__(self, project: str, folder: Path) -> None:
        self._project, self._folder = project, folder
        self._count, self._bytes = 0, 0

    def add(self, path: str, size: int) -> int | None:
        """Copies a file and returns the copy's number; None if it is too large, or too much was copied already."""
        if size > _MAX_COPY_BYTES or self._bytes + size > _MAX_TOTAL_BYTES or self._count >= _MAX_COPIES:
            return None
        try:
            source = os.open(os.path.join(self._project, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        number = self._count
        try:
            target = os.open(self._folder / str(number), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                _copy(source, target)
            finally:
                os.close(target)
        except OSError:
            return None
        finally:
            os.close(source)
        self._count += 1
        self._bytes += size
        return number


def _copy(source: int, target: int) -> None:
    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError:
        while os.sendfile(target, source, None, 1 << 24):
            pass


def _target(project: str, path: str) -> str | None:
    try:
        return os.readlink(os.path.join(project, path))
    except OSError:
        return None


def _kind(mode: int) -> Literal["file", "folder", "link", "special"]:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "special"
