"""Stores which policy files a person trusts."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from handrail.ports.policy import TrustedPolicy
from handrail.ports.state_writes import write_state
from handrail.stores.local import locks
from handrail.stores.local.private_file import read_plain

_FILE = "trusted.json"


class TrustFile:
    """The content hashes of trusted policies, in `<stateDir>/trusted.json`."""

    def __init__(self, state: Path) -> None:
        self._file = state / _FILE
        self.where = str(self._file)

    def holds(self, data: bytes) -> bool:
        return hashlib.sha256(data).hexdigest() in self._read()

    def add(self, data: bytes, where: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        with self._change() as trusted:
            trusted[hashlib.sha256(data).hexdigest()] = {"policy": where, "at": at}

    def remove(self, data: bytes) -> bool:
        with self._change() as trusted:
            return trusted.pop(hashlib.sha256(data).hexdigest(), None) is not None

    def all(self) -> Sequence[TrustedPolicy]:
        policies = [policy for digest, entry in self._read().items() if (policy := _policy(digest, entry)) is not None]
        return sorted(policies, key=lambda policy: policy.at, reverse=True)

    def forget(self, digest: str) -> TrustedPolicy | None:
        with self._change() as trusted:
            return _policy(digest, trusted.pop(digest, None))

    def restore(self, trusted: TrustedPolicy) -> None:
        with self._change() as entries:
            entries[trusted.hash] = {"policy": trusted.where, "at": trusted.at}

    @contextmanager
    def _change(self) -> Iterator[dict[str, object]]:
        """The trusted hashes, to be changed in place under the lock."""
        with locks.exclusive(self._file.with_name(f"{_FILE}.lock")):
            trusted = self._read()
            yield trusted
            write_state(self._file, f"{json.dumps(trusted, indent=2)}\n".encode())

    def _read(self) -> dict[str, object]:
        try:
            content = json.loads(read_plain(self._file))
        except (FileNotFoundError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}


def _policy(digest: str, entry: object) -> TrustedPolicy | None:
    match entry:
        case {"policy": str(where), "at": str(at)}:
            return TrustedPolicy(digest, where, at)
    return None
