"""Which policy files a person trusts."""

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
    """The hashes of trusted policies, each of its content and place, in `<stateDir>/trusted.json`.

    A copy in another project is not trusted: what its rules let run are other files there.
    """

    def __init__(self, state: Path) -> None:
        self._file = state / _FILE
        self.where = str(self._file)

    def holds(self, data: bytes, where: str) -> bool:
        trusted = self._read()
        if _hash(data, where) in trusted:
            return True
        earlier = _policy("", trusted.get(hashlib.sha256(data).hexdigest()))  # before the place was a part of it
        return earlier is not None and earlier.where == where

    def add(self, data: bytes, where: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        with self._change() as trusted:
            trusted[_hash(data, where)] = {"policy": where, "at": at}

    def remove(self, data: bytes, where: str) -> bool:
        with self._change() as trusted:
            was_trusted = trusted.pop(_hash(data, where), None) is not None
            earlier = hashlib.sha256(data).hexdigest()
            if (policy := _policy(earlier, trusted.get(earlier))) is not None and policy.where == where:
                del trusted[earlier]
                return True
            return was_trusted

    def all(self) -> Sequence[TrustedPolicy]:
        found = [policy for digest, entry in self._read().items() if (policy := _policy(digest, entry)) is not None]
        return sorted(found, key=lambda policy: policy.at, reverse=True)

    def forget(self, digest: str) -> TrustedPolicy | None:
        with self._change() as trusted:
            return _policy(digest, trusted.pop(digest, None))

    def restore(self, trusted: TrustedPolicy) -> None:
        with self._change() as known:
            known[trusted.hash] = {"policy": trusted.where, "at": trusted.at}

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


def _hash(data: bytes, where: str) -> str:
    return hashlib.sha256(where.encode(errors="surrogateescape") + b"\0" + data).hexdigest()


def _policy(digest: str, entry: object) -> TrustedPolicy | None:
    match entry:
        case {"policy": str(where), "at": str(at)}:
            return TrustedPolicy(digest, where, at)
    return None
