"""Which idempotency keys have written what: `idem.json`, of limited size. Damaged entries are skipped."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from handrail.ports.errors import NotFound
from handrail.ports.files import Folder

_FILE = "idem.json"
_MAX_ENTRIES = 1000
_MAX_AGE_SECONDS = 7 * 24 * 3600


class Written(msgspec.Struct, frozen=True, rename="camel"):
    """The first answer to a key."""

    path: str
    mode: str
    content_hash: str
    snapshot_id: str
    at: float
    is_partial: bool = False

    def is_same(self, path: str, mode: str, content_hash: str) -> bool:
        return (self.path, self.mode, self.content_hash) == (path, mode, content_hash)


class Idempotency:
    """Changed only under the workspace's lock."""

    def __init__(self, own: Folder, now: Callable[[], datetime]) -> None:
        self._own = own
        self._now = now

    def find(self, key: str) -> Written | None:
        return self._entries().get(_hashed(key))

    def remember(self, key: str, written: Written) -> None:
        oldest = self._now().timestamp() - _MAX_AGE_SECONDS
        entries = {name: entry for name, entry in self._entries().items() if entry.at >= oldest}
        entries[_hashed(key)] = written
        kept = sorted(entries.items(), key=lambda item: item[1].at)[-_MAX_ENTRIES:]
        self._own.write(_FILE, msgspec.json.encode({"version": 1, "entries": dict(kept)}))

    def _entries(self) -> dict[str, Written]:
        try:
            raw: Any = msgspec.json.decode(self._own.read(_FILE))
        except (NotFound, msgspec.MsgspecError, RecursionError):
            return {}
        entries = {}
        found = raw.get("entries") if isinstance(raw, dict) else None
        for name, value in found.items() if isinstance(found, dict) else ():
            try:
                entries[name] = msgspec.convert(value, Written)
            except msgspec.ValidationError:
                continue
        return entries


def _hashed(key: str) -> str:
    """Keys come from the caller and may be long."""
    return hashlib.sha256(key.encode()).hexdigest()
