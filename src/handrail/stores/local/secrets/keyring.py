"""The operating system's keyring (Secret Service, KWallet, Keychain, Credential Locker) via the `keyring` library.

It never waits for a person, nor longer than its timeout: a missing, locked, uninitialised or hanging keyring
raises KeyringAway.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from handrail.ports.secrets import KeyringAway

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")

SERVICE = "handrail"
_PATIENCE = 5.0
_PAUSE_SECONDS = 60.0
_GOOD_PRIORITY = 1  # the library's minimum priority for a real keyring
_HINT = "Unlock the keyring of your session, or sign in again."


class OsKeyring:
    """Found on first use. A keyring that hung isn't used again for a minute."""

    def __init__(self, *, patience: float = _PATIENCE, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._clock = clock
        self._paused_until = 0.0

    def read(self, account: str) -> str | None:
        return self._call(lambda keyring: keyring.get_password(SERVICE, account))

    def write(self, account: str, value: str) -> None:
        self._call(lambda keyring: keyring.set_password(SERVICE, account, value))

    def remove(self, account: str) -> None:
        from keyring.errors import PasswordDeleteError

        def remove(keyring: KeyringBackend) -> None:
            try:
                keyring.delete_password(SERVICE, account)
            except PasswordDeleteError:
                if keyring.get_password(SERVICE, account) is not None:
                    raise

        self._call(remove)

    def _call(self, work: Callable[[KeyringBackend], T]) -> T:
        """Runs in a thread that is abandoned if it hangs, because the libraries can't be cancelled."""
        if self._clock() < self._paused_until:
            raise KeyringAway("The keyring did not answer.", hint=_HINT)
        import keyring.backends.SecretService  # noqa: F401 - what takes long to load isn't a keyring that hangs

        outcome: queue.SimpleQueue[tuple[T | None, Exception | None]] = queue.SimpleQueue()

        def run() -> None:
            try:
                outcome.put((work(_usable()), None))
            except Exception as error:  # noqa: BLE001 - whatever a keyring of whichever system raises
                outcome.put((None, error))

        threading.Thread(target=run, name="keyring", daemon=True).start()
        try:
            result, error = outcome.get(timeout=self._patience)
        except queue.Empty:
            self._paused_until = self._clock() + _PAUSE_SECONDS
            raise KeyringAway(f"The keyring did not answer within {self._patience:g} seconds.", hint=_HINT) from None
        if error is None:
            return result  # type: ignore[return-value]
        if isinstance(error, KeyringAway):
            raise error
        # Only the error's type, because its message may quote the secret.
        raise KeyringAway(f"The keyring refused: {type(error).__name__}.", hint=_HINT) from None


def _usable() -> KeyringBackend:
    import keyring
    from keyring.backends import SecretService, chainer, fail

    if isinstance(keyring.get_keyring(), fail.Keyring):
        keyring.core.init_backend()  # one may have been started since
    backend: KeyringBackend = keyring.get_keyring()
    if isinstance(backend, chainer.ChainerBackend):
        backend = backend.backends[0]
    if backend.priority < _GOOD_PRIORITY:
        raise KeyringAway("This session has no keyring.", hint=_HINT)
    if isinstance(backend, SecretService.Keyring):
        _check_that_it_is_open()
    return backend


def _check_that_it_is_open() -> None:
    """Refuses a locked keyring, because the library would open a window and wait for it."""
    from contextlib import closing

    import secretstorage

    with closing(secretstorage.dbus_init()) as connection:
        try:
            collection = secretstorage.get_collection_by_alias(connection, "default")
        except secretstorage.ItemNotFoundException:
            raise KeyringAway("The session's keyring was never set up.", hint=_HINT) from None
        if collection.is_locked():
            raise KeyringAway("The session's keyring is locked.", hint=_HINT)
