"""Stores passkeys and proofs of presence in the state directory: public keys and signatures, no secrets."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Damaged
from handrail.ports.presence import Passkey
from handrail.ports.state_writes import PROOFS, digest_of, record_write, write_state
from handrail.ports.unreadable_json import UNREADABLE_JSON
from handrail.stores.local import locks
from handrail.stores.local.private_file import make_private_folder, read_plain

_PASSKEYS = "passkeys.json"


class _Content(msgspec.Struct, frozen=True):
    passkeys: tuple[Passkey, ...] = ()


class PasskeyFile:
    """`<stateDir>/passkeys.json`. Blocks."""

    def __init__(self, state: Path) -> None:
        self._file = state / _PASSKEYS

    def all(self) -> Sequence[Passkey]:
        try:
            return msgspec.json.decode(read_plain(self._file), type=_Content).passkeys
        except FileNotFoundError:
            return ()
        except UNREADABLE_JSON:
            raise Damaged(f"{self._file} can't be read.", hint="Remove it and add your passkeys again.") from None

    def add(self, passkey: Passkey) -> None:
        with self._change() as passkeys:
            passkeys[passkey.id] = passkey

    def used(self, id: str, sign_count: int) -> None:
        with self._change() as passkeys:
            if id in passkeys:
                passkeys[id] = msgspec.structs.replace(passkeys[id], sign_count=sign_count)

    def remove(self, id: str) -> bool:
        with self._change() as passkeys:
            return passkeys.pop(id, None) is not None

    @contextmanager
    def _change(self) -> Iterator[dict[str, Passkey]]:
        with locks.exclusive(self._file.with_name(f"{_PASSKEYS}.lock")):
            passkeys = {passkey.id: passkey for passkey in self.all()}
            yield passkeys
            write_state(self._file, msgspec.json.encode(_Content(tuple(passkeys.values()))) + b"\n")


class ProofFiles:
    """One small file for each proof, in `<stateDir>/presence/`. Blocks."""

    def __init__(self, state: Path) -> None:
        self._folder = state / PROOFS

    def keep(self, request_id: str, proof: Mapping[str, Any]) -> None:
        make_private_folder(self._folder)
        file, content = self._path(request_id), f"{json.dumps({'requestId': request_id, **proof})}\n".encode()
        name, after = f"{PROOFS}/{file.name}", hashlib.sha256(content).hexdigest()
        with record_write(self._folder.parent, name, lambda: digest_of(file), after):
            replace_file(file, content)

    def of(self, request_id: str) -> Mapping[str, Any] | None:
        try:
            proof = json.loads(read_plain(self._path(request_id)))
        except (FileNotFoundError, ValueError):
            return None
        return proof if isinstance(proof, dict) and proof.get("requestId") == request_id else None

    def _path(self, request_id: str) -> Path:
        return self._folder / f"{hashlib.sha256(request_id.encode()).hexdigest()[:32]}.json"
