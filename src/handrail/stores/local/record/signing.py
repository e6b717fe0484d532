"""Who signs checkpoints: a key in the keyring or in `<stateDir>/record.key`, or a program that holds the key."""

import secrets
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Damaged, InputOutput
from handrail.ports.record import PUBLIC_KEY_BYTES, SIGNATURE_BYTES
from handrail.ports.secrets import Keyring, KeyringAway
from handrail.stores.local.private_file import read_plain

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_FILE = "record.key"
_IN_KEYRING = "keyring "
_PATIENCE = 30


class KeptKey:
    """Made when it is first needed. The file has the key itself, or says under which name the keyring has it."""

    def __init__(self, state: Path, keyring: Keyring) -> None:
        self._file = state / KEY_FILE
        self._keyring = keyring
        self._key: bytes | None = None

    def public_key(self) -> bytes | None:
        self._key = self._read()
        return None if self._key is None else _private(self._key).public_key().public_bytes_raw()

    def make(self) -> bytes:
        self._key = self._read() or self._made()
        return _private(self._key).public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        if self._key is None:
            self.make()
        assert self._key is not None
        return _private(self._key).sign(message)

    def _read(self) -> bytes | None:
        """None where there is none, and where it was spoiled: a new one is then seen by everybody who checks."""
        try:
            text = read_plain(self._file).decode("ascii", "replace").strip()
            if text.startswith(_IN_KEYRING):
                text = self._keyring.read(text.removeprefix(_IN_KEYRING)) or ""
            key = bytes.fromhex(text)
        except (FileNotFoundError, ValueError):
            return None
        except OSError as error:
            raise InputOutput(f"{self._file}: {error.strerror or error}.") from error
        return key if len(key) == 32 else None

    def _made(self) -> bytes:
        key, account = secrets.token_bytes(32), f"record/{secrets.token_hex(8)}"
        try:
            self._keyring.write(account, key.hex())
            said = _IN_KEYRING + account
        except KeyringAway:
            said = key.hex()
        try:
            replace_file(self._file, f"{said}\n".encode())
        except OSError as error:
            raise InputOutput(f"{self._file}: {error.strerror or error}.") from error
        return key


def _private(key: bytes) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(key)


class Command:
    """`COMMAND public-key` prints the key, `COMMAND sign` signs its standard input; both in hexadecimal.

    It may run as another user or talk to a TPM: then no program of this account has the key.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._public: bytes | None = None

    def public_key(self) -> bytes:
        self._public = self._public or self._run("public-key", b"", PUBLIC_KEY_BYTES)
        return self._public

    def make(self) -> bytes:
        return self.public_key()

    def sign(self, message: bytes) -> bytes:
        return self._run("sign", message, SIGNATURE_BYTES)

    def _run(self, what: str, given: bytes, length: int) -> bytes:
        try:
            done = subprocess.run([*self._words, what], input=given, capture_output=True, timeout=_PATIENCE, check=True)
            said = bytes.fromhex(done.stdout.decode().strip())
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            raise InputOutput(f"`audit_signer` could not {what}: {error}.") from error
        if len(said) != length:
            raise Damaged(f"`audit_signer` gave {len(said)} bytes for {what}, and not {length}.")
        return said
