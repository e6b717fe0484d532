"""Web Push subscriptions of one person, each a secret of its own."""

from collections.abc import Sequence

import msgspec

from handrail.ports.push import PushSubscription
from handrail.ports.secrets import KeyringAway, Secret, SecretStore

PREFIX = "push:subscription:"


class SecretSubscriptions:
    def __init__(self, secrets: SecretStore) -> None:
        self._secrets = secrets

    async def add(self, subscription: PushSubscription) -> None:
        await self._secrets.put(PREFIX + subscription.id, Secret(msgspec.json.encode(subscription).decode()))

    async def all(self) -> Sequence[PushSubscription]:
        """Those that can be read now: a locked keyring gives out none."""
        found = []
        for kept in await self._secrets.kept():
            if not kept.name.startswith(PREFIX):
                continue
            try:
                secret = await self._secrets.get(kept.name)
            except KeyringAway:
                continue
            if secret is not None:
                found.append(msgspec.json.decode(secret.reveal(), type=PushSubscription))
        return found

    async def remove(self, id: str) -> bool:
        return await self._secrets.forget(PREFIX + id)
