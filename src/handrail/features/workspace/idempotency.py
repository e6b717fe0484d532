"""Remembers which idempotency keys have written what, in `idem.json`, up to a limit. Damaged entries are skipped."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from handrail.ports.errors import NotFound
from handrail.ports.files import Folder
from handrail.ports.unreadable_json import UNREADABLE_JSON

_FILE = "idem.json"
_MAX_ENTRIES = 1000
_MAX_AGE_SECONDS = 7 * 24 * 3600


class EarlierWrite(msgspec.Struct, frozen=True, rename="camel"):
    """The first write with a key."""

    path: str
    mode: str
    content_hash: str
    snapshot_id: str
    at: float
    is_partial: bool = False

    def is_same(self, path: str, mode: str, content_hash: str) -> bool:
        return (self.path, self.mode, self.content_hash) == (path, mode, content_hash)


class IdempotencyKeys:
    """Must only be changed while the workspace's lock is held."""

    def __init__(self, own: Folder, now: Callable[[], datetime]) -> None:
        self._folder = own
        self._now = now

    def find(self, key: str) -> EarlierWrite | None:
        return self._entries().get(_hash_key(key))

    def remember(self, key: str, write: EarlierWrite) -> None:
        oldest = self._now().timestamp() - _MAX_AGE_SECONDS
        entries = {name: entry for name, entry in self._entries().items() if entry.at >= oldest}
        entries[_hash_key(key)] = write
        newest = sorted(entries.items(), key=lambda item: item[1].at)[-_MAX_ENTRIES:]
        self._folder.write(_FILE, msgspec.json.encode({"version": 1, "entries": dict(newest)}))

    def _entries(self) -> dict[str, EarlierWrite]:
        try:
            document: Any = msgspec.json.decode(self._folder.read(_FILE))
        except (NotFound, *UNREADABLE_JSON):
            return {}
        entries = {}
        stored = document.get("entries") if isinstance(document, dict) else None
        for name, value in stored.items() if isinstance(stored, dict) else ():
            try:
                entries[name] = msgspec.convert(value, EarlierWrite)
            except msgspec.ValidationError:
                continue
        return entries


def _hash_key(key: str) -> str:
    """Hashes the key, because callers may choose long ones."""
    return hashlib.sha256(key.encode()).hexdigest()
