"""The paired plugins, which may connect with their own token. Only the tokens' hashes are stored."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from handrail.features.browser.bus.tasks import Now, milliseconds
from handrail.kernel.recently_removed import RecentlyRemoved
from handrail.ports.browser_store import PairedPlugin, PluginStore
from handrail.ports.errors import Conflict, NotFound


class Pairings:
    """Cached in memory, because every request needs them."""

    def __init__(self, store: PluginStore, now: Now = milliseconds) -> None:
        self._store = store
        self._now = now
        self._by_client: dict[str, PairedPlugin] = {}
        self._by_hash: dict[str, PairedPlugin] = {}
        self._revoked = RecentlyRemoved[PairedPlugin]("browser's access")

    async def load(self) -> None:
        for paired in await self._store.paired():
            self._add(paired)

    def replace(self, paired: Sequence[PairedPlugin]) -> None:
        """Replaces all of them, after a change by another server of the team."""
        self._by_client = {each.client_id: each for each in paired}
        self._by_hash = {each.token_hash: each for each in paired}

    def all(self) -> Sequence[PairedPlugin]:
        return list(self._by_client.values())

    def client_of(self, token: str) -> str | None:
        """Looked up by hash, so that the time it takes reveals nothing about valid tokens."""
        paired = self._by_hash.get(_hash(token))
        return None if paired is None else paired.client_id

    def extension_of(self, token: object) -> str:
        """The id of the extension with this token; empty for an unknown token."""
        paired = self._by_hash.get(_hash(token)) if isinstance(token, str) else None
        return "" if paired is None else paired.extension_id

    def find(self, client_id: str) -> PairedPlugin | None:
        return self._by_client.get(client_id)

    async def enroll(self, client_id: str, *, is_enrolled: bool) -> None:
        """Sets whether the browser's window may confirm far-reaching approvals. Pairing it again ends that."""
        paired = replace(self._paired(client_id), is_enrolled=is_enrolled)
        await self._store.pair(paired)
        self._add(paired)

    async def pair(self, client_id: str, extension_id: str, name: str, *, is_launched: bool = False) -> str:
        """Returns the token, which is shown only once. Replaces an earlier pairing of the client."""
        token = secrets.token_urlsafe(32)
        paired = PairedPlugin(client_id, extension_id, name, _hash(token), self._now(), is_launched)
        await self._store.pair(paired)
        self._remove(client_id)
        self._add(paired)
        return token

    async def unpair(self, client_id: str) -> None:
        paired = self._paired(client_id)
        await self._store.unpair(client_id)
        self._remove(client_id)
        self._revoked.keep(client_id, paired)

    async def restore(self, client_id: str) -> None:
        """Undoes a recent revocation: the browser's token is valid again. Raises NotFound or Conflict."""
        if client_id in self._by_client:
            raise Conflict(f"The plugin {client_id!r} has been paired again since.")
        paired = self._revoked.take(client_id)
        await self._store.pair(paired)
        self._add(paired)

    def _paired(self, client_id: str) -> PairedPlugin:
        if (paired := self._by_client.get(client_id)) is None:
            raise NotFound(f"No plugin {client_id!r} is paired.", hint="`handrail extension` lists them.")
        return paired

    def _add(self, paired: PairedPlugin) -> None:
        self._by_client[paired.client_id] = self._by_hash[paired.token_hash] = paired

    def _remove(self, client_id: str) -> None:
        if (paired := self._by_client.pop(client_id, None)) is not None:
            del self._by_hash[paired.token_hash]


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
