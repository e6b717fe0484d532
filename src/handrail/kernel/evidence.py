"""The evidence of calls: one folder for each call that changes something, with what it was about to do and the result.

Evidence shows screens and files, so only its owner can read it, and git ignores it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import msgspec

from handrail.kernel.pruning import Limits, folders_in, prune
from handrail.ports.errors import InputOutput, NotFound
from handrail.ports.files import EvidenceFolder

_ARTIFACTS = "artifacts"
_MANY = 50
"""From this many files on, syncing the whole file system is faster."""


class Evidence:
    """`<project>/.handrail/artifacts/<surface>/YYYY-MM-DD/<executionId>/`.

    `elsewhere`: by surface, the folder that is used for it instead of `.handrail`.
    """

    def __init__(self, folder: EvidenceFolder, elsewhere: Mapping[str, EvidenceFolder] = MappingProxyType({})) -> None:
        self._folder = folder
        self._elsewhere = elsewhere
        self._is_ignored_by_git = False

    def open(self, surface: str, execution_id: str, at: datetime) -> "CallEvidence":
        path = f"{_ARTIFACTS}/{surface}/{at:%Y-%m-%d}/{execution_id}"
        if surface in self._elsewhere:
            folder = self._elsewhere[surface].private()
            hide_from_git(folder, f"{_ARTIFACTS}/{surface}")
            return CallEvidence(folder, path)
        if not self._is_ignored_by_git:
            if self._folder.mode(".gitignore") is None:  # keeps a file that a person put there
                _write(self._folder, ".gitignore", f"{_ARTIFACTS}/\n".encode())
            self._is_ignored_by_git = True
        return CallEvidence(self._folder.private(), path)

    def location(self, exhibit: "CallEvidence", name: str) -> str:
        """The path for people to read; never used to open anything."""
        return f"{exhibit.folder.location}/{exhibit.path}/{name}"

    def read(self, path: str, name: str, limit: int) -> bytes:
        """A file of the call's evidence at `path`."""
        surface = path.removeprefix(f"{_ARTIFACTS}/").partition("/")[0]
        if surface in self._elsewhere:
            with suppress(NotFound):  # version 0.1 kept it in `.handrail` too
                return self._elsewhere[surface].read(f"{path}/{name}", limit)
        return self._folder.read(f"{path}/{name}", limit)

    def sync(self, files: Sequence[tuple[str, str]]) -> None:
        """Syncs these files to disk, each given with the path of its call's evidence. Missing ones are skipped."""
        if len(files) > _MANY:
            self._folder.sync()
            return
        for path, name in files:
            surface = path.removeprefix(f"{_ARTIFACTS}/").partition("/")[0]
            with suppress(NotFound):
                self._elsewhere.get(surface, self._folder).sync_file(f"{path}/{name}")

    def close(self) -> None:
        self._folder.close()

    def prune(self, limits: Limits, now: datetime) -> list[str]:
        """Removes what exceeds the limits; returns the removed days."""
        surfaces = [f"{_ARTIFACTS}/{surface}" for surface in folders_in(self._folder, _ARTIFACTS)]
        return prune(self._folder, surfaces, limits, now)

    def make_private(self) -> None:
        """Makes evidence of version 0.1 private, which other users could read."""
        with suppress(NotFound):
            self._folder.make_private(_ARTIFACTS)

    def sweep(self) -> None:
        """Removes temporary files that killed processes left."""
        self._folder.sweep_all(".")


def hide_from_git(folder: EvidenceFolder, evidence: str) -> None:
    """Adds a .gitignore to evidence in a folder of the project, unless there is one."""
    try:
        is_hidden = folder.mode(f"{evidence}/.gitignore") is not None
    except NotFound:
        is_hidden = False
    if not is_hidden:
        _write(folder, f"{evidence}/.gitignore", b"*\n")


class CallEvidence:
    """The evidence folder of one call; remembers the hash of each file for the audit."""

    def __init__(self, folder: EvidenceFolder, path: str) -> None:
        self.folder = folder
        self.path = path
        self.hashes: dict[str, str] = {}
        self.durable: dict[str, str] = {}
        """The hashes of files that are certainly on disk."""

    def add(self, name: str, content: Any, *, replaces: bool = True, is_durable: bool = False) -> None:
        """Durable: on disk when this returns. Conflict: the file exists and `replaces` is false or it is durable."""
        data = (
            content
            if isinstance(content, bytes)
            else content.encode()
            if isinstance(content, str)
            else _pretty(content)
        )
        _write(self.folder, f"{self.path}/{name}", data, replaces=replaces, is_durable=is_durable)
        self.hashes[name] = hashlib.sha256(data).hexdigest()
        if is_durable:
            self.durable[name] = self.hashes[name]


def _write(folder: EvidenceFolder, path: str, data: bytes, *, replaces: bool = True, is_durable: bool = False) -> None:
    try:
        if is_durable:
            folder.put(path, data)
        else:
            (folder.write if replaces else folder.create)(path, data, is_durable=False)
    except NotFound as blocked:  # missing folders are created, so one of the names in the path is a file
        raise InputOutput(f"No evidence can be kept: {blocked.message}", **blocked.details) from None


def _pretty(content: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def utc_now() -> datetime:
    return datetime.now(UTC)
