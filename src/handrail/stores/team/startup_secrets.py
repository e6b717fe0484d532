"""A secret store that prefers secrets from files that the server was started with."""

from collections.abc import Mapping, Sequence

from handrail.ports.errors import Conflict
from handrail.ports.secrets import Secret, SecretInfo, SecretStore


class StartupSecrets:
    """Implements `SecretStore`. Secrets from files can't be changed here."""

    def __init__(self, from_files: Mapping[str, Secret], store: SecretStore) -> None:
        self._from_files = from_files
        self._store = store

    async def get(self, name: str) -> Secret | None:
        return self._from_files[name] if name in self._from_files else await self._store.get(name)

    async def put(self, name: str, secret: Secret) -> SecretInfo:
        self._check(name)
        return await self._store.put(name, secret)

    async def forget(self, name: str) -> bool:
        self._check(name)
        return await self._store.forget(name)

    async def kept(self) -> Sequence[SecretInfo]:
        stored = [entry for entry in await self._store.kept() if entry.name not in self._from_files]
        return sorted(
            [*stored, *(SecretInfo(name, "file", "") for name in self._from_files)], key=lambda entry: entry.name
        )

    def _check(self, name: str) -> None:
        if name in self._from_files:
            raise Conflict(f"{name} is in a file that this server was started with: change it there.")
