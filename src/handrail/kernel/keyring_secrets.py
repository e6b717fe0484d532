"""Stores secrets in the system's keyring, or in our own file if no keyring answers."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from handrail.kernel.evidence import utc_now
from handrail.ports.errors import InvalidParams
from handrail.ports.secrets import Keyring, KeyringAway, Secret, SecretEntry, SecretFileStore, SecretInfo
from handrail.ports.waiting import run_in_thread

_NAME = re.compile(r"[a-z0-9][a-z0-9._:-]{0,299}")


class KeyringSecretStore:
    """A `SecretStore`. A secret in the file moves to the keyring when it is next written."""

    def __init__(self, keyring: Keyring, file: SecretFileStore, now: Callable[[], datetime] = utc_now) -> None:
        self._keyring = keyring
        self._file = file
        self._now = now

    async def get(self, name: str) -> Secret | None:
        return await run_in_thread(lambda: self._get(name))

    async def put(self, name: str, secret: Secret) -> SecretInfo:
        return await run_in_thread(lambda: self._put(name, secret))

    async def forget(self, name: str) -> bool:
        return await run_in_thread(lambda: self._forget(name))

    async def kept(self) -> Sequence[SecretInfo]:
        slips = await run_in_thread(self._file.slips)
        return [SecretInfo(name, slip.place, slip.at) for name, slip in sorted(slips.items())]

    def _get(self, name: str) -> Secret | None:
        slip = self._file.slips().get(_checked(name))
        if slip is None or slip.value is not None:
            return None if slip is None else slip.value
        value = self._keyring.read(self._file.account(name))
        return None if value is None else Secret(value)

    def _put(self, name: str, secret: Secret) -> SecretInfo:
        at = self._now().isoformat(timespec="seconds")
        account = self._file.account(_checked(name))
        try:
            self._keyring.write(account, secret.reveal())
            slip = SecretEntry(at)
        except KeyringAway:
            old = self._file.slips().get(name)
            slip = SecretEntry(at, secret, old is not None and (old.place == "keyring" or old.is_old_in_keyring))
        self._file.put(name, slip)
        return SecretInfo(name, slip.place, at)

    def _forget(self, name: str) -> bool:
        slip = self._file.slips().get(_checked(name))
        if slip is None:
            return False
        if slip.place == "keyring" or slip.is_old_in_keyring:
            self._keyring.remove(self._file.account(name))
        self._file.remove(name)
        return True


def _checked(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise InvalidParams(
            f"{name!r} isn't a valid name of a secret.", hint="`handrail secrets` lists those that there are."
        )
    return name
