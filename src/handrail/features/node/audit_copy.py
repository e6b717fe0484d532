"""The audit of this node, sent to its team line by line as it is. Each of the two records names the other's digest."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

import msgspec

from handrail.features.node.client import TeamClient
from handrail.kernel.audit import Audit
from handrail.kernel.chain import InvalidRecord, read_record
from handrail.ports.errors import Conflict
from handrail.ports.journal import Journal
from handrail.ports.stores import Stores
from handrail.ports.waiting import run_in_thread

EVENT = "team"
_MOST_BYTES = 4 << 20
_PAUSE = 0.5
"""Seconds. What is written within them goes out together."""

logger = logging.getLogger(__name__)


class AuditCopy:
    def __init__(self, stores: Stores, audit: Audit, client: TeamClient, node: str) -> None:
        self._journal = stores.audit
        self._watching = stores.watch_audit
        self._audit = audit
        self._client = client
        self._node = node
        self._sent = 0
        self._is_known = asyncio.Event()

    def team_has(self, size: int) -> None:
        if not self._is_known.is_set():
            self._sent = size
            self._is_known.set()

    async def follow(self) -> None:
        """Without end."""
        await self._is_known.wait()
        async with self._watching() as watch:
            while True:
                await watch.change()
                await self._send()
                await asyncio.sleep(_PAUSE)

    async def _send(self) -> None:
        while lines := await run_in_thread(lambda: list(durable_records(self._journal, self._sent))):
            try:
                said = await self._client.send_audit(self._sent, b"".join(lines))
            except Conflict:
                self._is_known.clear()  # the team says with its next news how much it has
                raise
            self._sent = said["size"]
            if not all(_is_link(line) for line in lines):  # or each link would need another
                await self._audit.add(
                    {"event": EVENT, "tenant": said["tenant"], "node": self._node, "records": said["records"],
                     "digest": said["digest"]}
                )  # fmt: skip


def durable_records(journal: Journal, start: int) -> Iterator[bytes]:
    """Those from a place on that no power cut takes any more; nothing torn that no record vouches for. Blocks."""
    until = journal.snapshot().size or 0
    if until <= start:
        return
    journal.flush()
    size, waiting = 0, list[bytes]()
    for line in journal.lines(start, until):
        waiting.append(line)
        size += len(line)
        try:
            read_record(line)
        except InvalidRecord:
            continue
        yield from waiting
        waiting.clear()
        if size > _MOST_BYTES:
            return


def _is_link(line: bytes) -> bool:
    try:
        return bool(msgspec.json.decode(line).get("event") == EVENT)
    except (msgspec.DecodeError, AttributeError):
        return False
