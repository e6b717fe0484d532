"""Secrets of the user's that handrail keeps: keys and tokens for apps and models. One store for all of them.

A value is shown by `Secret.reveal()` alone: no repr, log, audit, evidence or error text ever holds one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from handrail.ports.errors import Failure

Place = Literal["keyring", "file"]


class KeyringAway(Failure):
    """No keyring answers, or it would have to ask a person first: locked, or not set up."""

    retryable = True


class Secret:
    """A value that shows itself only where it is asked to."""

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
    """What is known of a secret without looking at it. `at` is when it was kept, as ISO 8601."""

    name: str
    place: Place
    at: str


class SecretStore(Protocol):
    """Names are like `app:com.example.mail:tokens`. Every method may take a while, and may raise InputOutput."""

    async def get(self, name: str) -> Secret | None:
        """KeyringAway: it is in the keyring, which does not answer now."""
        ...

    async def put(self, name: str, secret: Secret) -> SecretInfo:
        """Replaces what has this name. In the keyring; where there is none, in a file for the owner alone."""
        ...

    async def forget(self, name: str) -> bool:
        """Whether there was one. KeyringAway: it is in the keyring, which does not answer now, and stays."""
        ...

    async def kept(self) -> Sequence[SecretInfo]:
        """All of them, by name."""
        ...


class Keyring(Protocol):
    """The operating system's, called in threads. Each method raises KeyringAway rather than wait for a person."""

    def read(self, account: str) -> str | None: ...

    def write(self, account: str, value: str) -> None: ...

    def remove(self, account: str) -> None: ...


@dataclass(frozen=True, slots=True)
class SecretEntry:
    """What our own file has about a secret: where it is, and its value where that is here."""

    at: str
    value: Secret | None = None
    """None: the keyring has it."""
    is_old_in_keyring: bool = False
    """An earlier one is in the keyring, which did not answer when this one was put."""

    @property
    def place(self) -> Place:
        return "keyring" if self.value is None else "file"


class SecretFileStore(Protocol):
    """Our own file, called in threads: which secrets there are, and the values that no keyring took.

    Damaged: it can't be read.
    """

    def account(self, name: str) -> str:
        """What the secret is called in the keyring, which other states of handrail's share."""
        ...

    def slips(self) -> Mapping[str, SecretEntry]: ...

    def put(self, name: str, slip: SecretEntry) -> None: ...

    def remove(self, name: str) -> None: ...
