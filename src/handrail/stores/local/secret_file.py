"""`<stateDir>/secrets.json`: the names of all secrets, and the values that aren't in a keyring. For the owner only.

It is replaced atomically: a reader never sees half of it, and a full disk leaves the old one.
"""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from handrail.ports.errors import Damaged
from handrail.ports.secrets import Secret, SecretEntry
from handrail.ports.state_writes import write_state
from handrail.ports.unreadable_json import UNREADABLE_JSON
from handrail.stores.local import locks
from handrail.stores.local.private_file import make_private_folder, open_private, os_failure

SECRETS_FILE = "secrets.json"
_LARGEST = 16 * 1024 * 1024


class _Entry(msgspec.Struct, frozen=True):
    at: str
    value: str | UnsetType = UNSET
    is_old_in_keyring: bool | UnsetType = UNSET

    def __repr__(self) -> str:
        return f"_Entry(at={self.at!r})"


class _Content(msgspec.Struct, frozen=True):
    version: Literal[1] = 1
    store: str = msgspec.field(default_factory=lambda: secrets.token_hex(8))
    secrets: dict[str, _Entry] = {}


class SecretFile:
    """Implements `SecretFileStore`. Many processes may use it at once."""

    def __init__(self, state: Path) -> None:
        self._path = state / SECRETS_FILE

    def account(self, name: str) -> str:
        with self._changing() as content:
            return f"{content.store}/{name}"

    def slips(self) -> Mapping[str, SecretEntry]:
        try:
            content = self._read() or _Content()
        except OSError as error:
            raise os_failure(self._path, error) from error
        return {
            name: SecretEntry(
                entry.at, None if entry.value is UNSET else Secret(entry.value), entry.is_old_in_keyring is True
            )
            for name, entry in content.secrets.items()
        }

    def put(self, name: str, slip: SecretEntry) -> None:
        with self._changing() as content:
            value = UNSET if slip.value is None else slip.value.reveal()
            content.secrets[name] = _Entry(slip.at, value, slip.is_old_in_keyring or UNSET)

    def remove(self, name: str) -> None:
        with self._changing() as content:
            content.secrets.pop(name, None)

    @contextmanager
    def _changing(self) -> Iterator[_Content]:
        """The content under the lock; changes are on disk when the block ends."""
        try:
            make_private_folder(self._path.parent)
            with locks.exclusive(self._path.with_name(f"{SECRETS_FILE}.lock")):
                existing = self._read()
                content = existing or _Content()
                old = msgspec.json.encode(content)
                yield content
                if existing is None or msgspec.json.encode(content) != old:
                    write_state(self._path, msgspec.json.encode(content))
        except OSError as error:
            raise os_failure(self._path, error) from error

    def _read(self) -> _Content | None:
        try:
            descriptor = open_private(self._path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            if os.fstat(descriptor).st_mode & 0o077:
                os.fchmod(descriptor, 0o600)  # a restored backup may have made it readable for others
            data = os.read(descriptor, _LARGEST)
        finally:
            os.close(descriptor)
        try:
            return msgspec.json.decode(data, type=_Content)
        except UNREADABLE_JSON:
            raise Damaged(
                f"{self._path} can't be read.", hint="Move it away and sign in again; handrail creates a new one."
            ) from None
