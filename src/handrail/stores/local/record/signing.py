"""Signs checkpoints with a key in the keyring or in `<stateDir>/record.key`, or with a program that has the key."""

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


class StoredKey:
    """A key that is made on first use. The file contains the key, or the name under which the keyring has it."""

    def __init__(self, state: Path, keyring: Keyring) -> None:
        self._file = state / KEY_FILE
        self._keyring = keyring
        self._key: bytes | None = None

    def public_key(self) -> bytes | None:
        self._key = self._read()
        return None if self._key is None else _private(self._key).public_key().public_bytes_raw()

    def make(self) -> bytes:
        self._key = self._read() or self._make_key()
        return _private(self._key).public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        if self._key is None:
            self.make()
        assert self._key is not None
        return _private(self._key).sign(message)

    def _read(self) -> bytes | None:
        """None if the key is missing or damaged; every check then shows that a new one was made."""
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

    def _make_key(self) -> bytes:
        key, account = secrets.token_bytes(32), f"record/{secrets.token_hex(8)}"
        try:
            self._keyring.write(account, key.hex())
            content = _IN_KEYRING + account
        except KeyringAway:
            content = key.hex()
        try:
            replace_file(self._file, f"{content}\n".encode())
        except OSError as error:
            raise InputOutput(f"{self._file}: {error.strerror or error}.") from error
        return key


def _private(key: bytes) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(key)


class SignerProgram:
    """A program that signs: `COMMAND public-key` prints the key, `COMMAND sign` signs stdin; both in hexadecimal.

    It may run as another user or use a TPM, so that no program of this account has the key.
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

    def _run(self, what: str, message: bytes, length: int) -> bytes:
        try:
            process = subprocess.run(
                [*self._words, what], input=message, capture_output=True, timeout=_PATIENCE, check=True
            )
            output = bytes.fromhex(process.stdout.decode().strip())
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            raise InputOutput(f"`audit_signer` could not {what}: {error}.") from error
        if len(output) != length:
            raise Damaged(f"`audit_signer` gave {len(output)} bytes for {what}, and not {length}.")
        return output
