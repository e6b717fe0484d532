"""Dry runs that wait for their write: durable, shared by all processes of the project, and usable once."""

import hashlib
import re
from collections.abc import Callable
from datetime import datetime

import msgspec

from handrail.ports.errors import Failure, NotFound
from handrail.ports.files import Folder
from handrail.ports.unreadable_json import UNREADABLE_JSON

_FOLDER = "dry_runs"
_MAX_AGE_SECONDS = 24 * 3600
_MAX_ENTRIES = 1000
_NAME = re.compile(r"[0-9a-f]{64}\.json")


class DryRun(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    mode: str
    content_hash: str
    base_hash: str
    created: float

    @property
    def key(self) -> str:
        return _key(self.path, self.mode, self.content_hash)


class DryRuns:
    def __init__(self, own: Folder, now: Callable[[], datetime]) -> None:
        self._folder = own
        self._now = now

    def remember(self, path: str, mode: str, content_hash: str, base_hash: str) -> None:
        self._remove_oldest()
        run = DryRun(path, mode, content_hash, base_hash, self._now().timestamp())
        self._folder.write(f"{_FOLDER}/{run.key}.json", msgspec.json.encode(run), is_durable=False)

    def find(self, path: str, mode: str, content_hash: str) -> DryRun | None:
        run = self._read(f"{_key(path, mode, content_hash)}.json")
        return None if run is None or self._has_expired(run) else run

    def is_unused(self, run: DryRun) -> bool:
        """Returns False if another write has already used it."""
        return self._folder.mode(f"{_FOLDER}/{run.key}.json") is not None

    def use_up(self, run: DryRun) -> None:
        """Not durable: a dry run that reappears after a power cut is useless, because the file has changed."""
        self._folder.remove(f"{_FOLDER}/{run.key}.json", is_durable=False)

    def restore(self, run: DryRun) -> None:
        """Called after a write that did not happen."""
        self._folder.write(f"{_FOLDER}/{run.key}.json", msgspec.json.encode(run), is_durable=False)

    def remove_expired(self) -> None:
        """Called with the workspace's lock held."""
        for name in self._names():
            if (run := self._read(name)) is None or self._has_expired(run):
                self._folder.remove(f"{_FOLDER}/{name}", is_durable=False)

    def _has_expired(self, run: DryRun) -> bool:
        return self._now().timestamp() - run.created > _MAX_AGE_SECONDS

    def _read(self, name: str) -> DryRun | None:
        try:
            return msgspec.json.decode(self._folder.read(f"{_FOLDER}/{name}"), type=DryRun)
        except (NotFound, *UNREADABLE_JSON):
            return None

    def _remove_oldest(self) -> None:
        """Runs only when there are many, so that most dry runs need no scan."""
        names = self._names()
        if len(names) < _MAX_ENTRIES:
            return
        dated = sorted((run.created if (run := self._read(name)) else 0.0, name) for name in names)
        for _, name in dated[: len(dated) - _MAX_ENTRIES // 2]:
            self._folder.remove(f"{_FOLDER}/{name}")

    def _names(self) -> list[str]:
        try:
            return [name for name in self._folder.names(_FOLDER) if _NAME.fullmatch(name)]
        except Failure:
            return []


def _key(path: str, mode: str, content_hash: str) -> str:
    return hashlib.sha256(msgspec.json.encode([path, mode, content_hash])).hexdigest()
