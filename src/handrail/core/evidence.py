"""What was about to happen and what came of it, on disk, one folder a call with an effect."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from handrail.contract.errors import Failure
from handrail.contract.files import Folder

_ARTIFACTS = "artifacts"


class Evidence:
    """`<project>/.handrail/artifacts/<surface>/YYYY-MM-DD/<executionId>/`."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._is_ignored_by_git = False

    def open(self, surface: str, execution_id: str, at: datetime) -> "Exhibit":
        if not self._is_ignored_by_git:
            self._folder.write(".gitignore", f"{_ARTIFACTS}/\n".encode(), is_durable=False)
            self._is_ignored_by_git = True
        return Exhibit(self._folder, f"{_ARTIFACTS}/{surface}/{at:%Y-%m-%d}/{execution_id}")

    def prune(self, now: datetime, max_age: timedelta) -> int:
        """Removes the folders of days that are older than `max_age`; tells how many."""
        oldest = (now - max_age).strftime("%Y-%m-%d")
        removed = 0
        for surface in self._days_by_surface():
            for day in surface[1]:
                if day < oldest:
                    self._folder.remove_tree(f"{_ARTIFACTS}/{surface[0]}/{day}")
                    removed += 1
        return removed

    def _days_by_surface(self) -> list[tuple[str, list[str]]]:
        try:
            surfaces = [entry.name for entry in self._folder.entries(_ARTIFACTS) if entry.is_folder]
            return [
                (name, [day.name for day in self._folder.entries(f"{_ARTIFACTS}/{name}") if day.is_folder])
                for name in surfaces
            ]
        except Failure:
            return []


class Exhibit:
    """The folder of one call; remembers the hash of each file for the audit."""

    def __init__(self, folder: Folder, path: str) -> None:
        self._folder = folder
        self.path = path
        self.hashes: dict[str, str] = {}

    def add(self, name: str, content: Any) -> None:
        data = content.encode() if isinstance(content, str) else _pretty(content)
        self._folder.write(f"{self.path}/{name}", data, is_durable=False)
        self.hashes[name] = hashlib.sha256(data).hexdigest()


def _pretty(content: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def utc_now() -> datetime:
    return datetime.now(UTC)
