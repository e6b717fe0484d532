"""The user's secrets: keys and tokens for apps and models, in one store.

Only `Secret.reveal()` returns a value; reprs, logs, the audit, evidence and errors never contain one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from handrail.ports.errors import Failure

Place = Literal["keyring", "file"]


class KeyringAway(Failure):
    """No keyring answers, or it would have to ask a person first because it is locked or not set up."""

    retryable = True


class Secret:
    """A value that is only shown on request."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(******)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")


@dataclass(frozen=True, slots=True)
class SecretInfo:
    """A secret without its value. `at` is when it was stored, as ISO 8601."""

    name: str
    place: Place
    at: str


class SecretStore(Protocol):
    """Names look like `app:com.example.mail:tokens`. Every method may take a while and may raise InputOutput."""

    async def get(self, name: str) -> Secret | None:
        """KeyringAway: it is in the keyring, which doesn't answer."""
        ...

    async def put(self, name: str, secret: Secret) -> SecretInfo:
        """Adds or replaces a secret, in the keyring or, if there is none, in a file that only the owner can read."""
        ...

    async def forget(self, name: str) -> bool:
        """Returns whether it existed. KeyringAway: it is in the keyring, which doesn't answer, and stays there."""
        ...

    async def kept(self) -> Sequence[SecretInfo]:
        """All secrets, by name."""
        ...


class Keyring(Protocol):
    """The operating system's keyring, called in threads. Raises KeyringAway instead of waiting for a person."""

    def read(self, account: str) -> str | None: ...

    def write(self, account: str, value: str) -> None: ...

    def remove(self, account: str) -> None: ...


@dataclass(frozen=True, slots=True)
class SecretEntry:
    """An entry of our own file: where a secret is, and its value if it isn't in the keyring."""

    at: str
    value: Secret | None = None
    """None means that the keyring has it."""
    is_old_in_keyring: bool = False
    """The keyring has an older value, because it didn't answer when this one was stored."""

    @property
    def place(self) -> Place:
        return "keyring" if self.value is None else "file"


class SecretFileStore(Protocol):
    """Our own file, called in threads: the list of secrets, and the values that no keyring has.

    Damaged: it can't be read.
    """

    def account(self, name: str) -> str:
        """The secret's name in the keyring, which several state directories share."""
        ...

    def slips(self) -> Mapping[str, SecretEntry]: ...

    def put(self, name: str, slip: SecretEntry) -> None: ...

    def remove(self, name: str) -> None: ...
