"""Stores one person's Web Push subscriptions, each as a secret."""

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
        """The subscriptions that can be read now; a locked keyring returns none."""
        subscriptions = []
        for entry in await self._secrets.kept():
            if not entry.name.startswith(PREFIX):
                continue
            try:
                secret = await self._secrets.get(entry.name)
            except KeyringAway:
                continue
            if secret is not None:
                subscriptions.append(msgspec.json.decode(secret.reveal(), type=PushSubscription))
        return subscriptions

    async def remove(self, id: str) -> bool:
        return await self._secrets.forget(PREFIX + id)
