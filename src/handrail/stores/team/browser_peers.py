"""Reaches the server to which a browser is connected, and pairs browsers with all servers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from handrail.ports.browser_store import PairedPlugin
from handrail.stores.team.blobs import BlobFolder
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.members import TeamMembers, hash_of
from handrail.stores.team.messages import Messages
from handrail.stores.team.peers import TeamPeers

_LIFETIME = "interval '10 minutes'"


class TeamBrowserPeers(TeamPeers):
    """Implements `ports.browser_store.BrowserPeers`."""

    def __init__(self, messages: Messages, database: TeamDatabase, members: TeamMembers, large: BlobFolder) -> None:
        super().__init__(messages, "browser", large)
        self._database = database
        self._members = members

    async def make_code(self, code: str) -> None:
        await self._database.execute("DELETE FROM pairing_code WHERE expires_at < now()")
        query = f"INSERT INTO pairing_code (code_hash, expires_at) VALUES ($1, now() + {_LIFETIME})"
        await self._database.execute(query, hash_of(code))

    async def use_code(self, code: str) -> bool:
        query = "DELETE FROM pairing_code WHERE code_hash = $1 AND expires_at > now()"
        return await self._database.execute(query, hash_of(code)) == 1

    def follow_paired(self, tell: Callable[[Sequence[PairedPlugin]], None]) -> None:
        self._members.follow(lambda copy: tell(copy.paired))
