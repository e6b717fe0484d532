"""Opens the stores that protect a team's audit: checkpoints in the database, signed with a key outside of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.ports.errors import Conflict, Damaged, InputOutput
from handrail.ports.record import RecordStores, Signer, Witness, WrittenFile
from handrail.ports.team import Lease
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.journal import TeamJournal
from handrail.stores.team.leases import TeamLeases

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_LEASE = "checkpoints"
_LEASE_SECONDS = 20.0
_PATIENCE = 30.0
_LOOK_AGAIN = 0.1


def record_stores(
    database: TeamDatabase, leases: TeamLeases, tenant: str, signer: Signer, witness: Witness | None
) -> RecordStores:
    checkpoints = TeamJournal(database, "checkpoints")

    @contextmanager
    def lock() -> Iterator[None]:
        lease = _take_lease(database, leases)
        checkpoints.fenced_by = lease
        try:
            yield
        finally:
            checkpoints.fenced_by = None
            with suppress(InputOutput):  # the lease then expires
                database.engine.run(leases.given_back(lease))

    return RecordStores(
        id=tenant,
        checkpoints=checkpoints,
        signer=signer,
        places=(),
        witness=witness,
        open_witness=lambda setting: witness,
        files=NoFiles(),
        lock=lock,
        rewrite=checkpoints.rewrite,
    )


def _take_lease(database: TeamDatabase, leases: TeamLeases) -> Lease:
    until = time.monotonic() + _PATIENCE
    while (lease := database.engine.run(leases.taken(_LEASE, _LEASE_SECONDS))) is None:
        if time.monotonic() > until:
            raise Conflict("Another server is making a checkpoint.")
        time.sleep(_LOOK_AGAIN)
    return lease


class KeyFile:
    """An Ed25519 key as 64 hex digits, in a file that every server of the team has."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def public_key(self) -> bytes | None:
        key = self._read()
        return None if key is None else _private(key).public_key().public_bytes_raw()

    def make(self) -> bytes:
        """Returns the public key. It never makes a key, because all servers need the same one."""
        if (public := self.public_key()) is None:
            raise InputOutput("There is no key to sign the audit with.", hint="Make one with `handrail team key FILE`.")
        return public

    def sign(self, message: bytes) -> bytes:
        self.make()
        key = self._read()
        assert key is not None
        return _private(key).sign(message)

    def _read(self) -> bytes | None:
        if self._file is None:
            return None
        try:
            key = bytes.fromhex(self._file.read_text("ascii").strip())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputOutput(f"{self._file}: {error.strerror or error}.") from error
        except ValueError:
            raise Damaged(f"{self._file} doesn't contain a key.") from None
        if len(key) != 32:
            raise Damaged(f"{self._file} doesn't contain a key.")
        return key


class KnownKey:
    """The public key only, for checking signatures."""

    def __init__(self, public: str) -> None:
        self._public = bytes.fromhex(public)

    def public_key(self) -> bytes | None:
        return self._public

    def make(self) -> bytes:
        return self._public

    def sign(self, message: bytes) -> bytes:
        raise InputOutput("The public key can't sign.")


def make_key(file: Path) -> str:
    """Writes a new key to a new file and returns its public key. Raises Conflict if the file exists. Blocks."""
    key = os.urandom(32)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise Conflict(f"{file} exists already.") from None
    except OSError as error:
        raise InputOutput(f"{file}: {error.strerror or error}.") from None
    with os.fdopen(descriptor, "w") as opened:
        opened.write(f"{key.hex()}\n")
        opened.flush()
        os.fsync(opened.fileno())
    return _private(key).public_key().public_bytes_raw().hex()


def _private(key: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(key)


class NoFiles:
    """Describes no files, because a team has no shared state directory."""

    def written(self) -> Mapping[str, WrittenFile]:
        return {}

    def settle(self, *, accepts: bool = False) -> None:
        """Does nothing."""

    def sync(self) -> None:
        """Does nothing."""

    def replaced(self) -> Iterable[str]:
        return ()

    def growing(self) -> Mapping[str, str]:
        return {}

    def foreign(self) -> Iterable[str]:
        return ()

    def digest(self, name: str) -> str | None:
        return None

    def size(self, name: str) -> int | None:
        return None

    def read(self, name: str, start: int, until: int) -> Sequence[bytes]:
        return ()
