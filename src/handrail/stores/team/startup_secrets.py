"""Secrets that a server was started with, from files; everything else is in its own store."""

from collections.abc import Mapping, Sequence

from handrail.ports.errors import Conflict
from handrail.ports.secrets import Secret, SecretInfo, SecretStore


class GivenSecrets:
    """A `SecretStore`. What was given can't be changed here."""

    def __init__(self, given: Mapping[str, Secret], own: SecretStore) -> None:
        self._given = given
        self._own = own

    async def get(self, name: str) -> Secret | None:
        return self._given[name] if name in self._given else await self._own.get(name)

    async def put(self, name: str, secret: Secret) -> SecretInfo:
        self._check(name)
        return await self._own.put(name, secret)

    async def forget(self, name: str) -> bool:
        self._check(name)
        return await self._own.forget(name)

    async def kept(self) -> Sequence[SecretInfo]:
        own = [one for one in await self._own.kept() if one.name not in self._given]
        return sorted([*own, *(SecretInfo(name, "file", "") for name in self._given)], key=lambda one: one.name)

    def _check(self, name: str) -> None:
        if name in self._given:
            raise Conflict(f"{name} is in a file that this server was started with: change it there.")
