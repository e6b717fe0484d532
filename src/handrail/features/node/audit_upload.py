"""Sends this node's audit to its team, line by line and unchanged. Each audit records the other's digest."""

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
from handrail.ports.unreadable_json import UNREADABLE_JSON
from handrail.ports.waiting import run_in_thread

EVENT = "team"
_MOST_BYTES = 4 << 20
_BATCH_SECONDS = 0.5
"""Seconds in which new records are collected, to be sent together."""

logger = logging.getLogger(__name__)


class AuditUploader:
    def __init__(self, stores: Stores, audit: Audit, client: TeamClient, node: str) -> None:
        self._journal = stores.audit
        self._watch_audit = stores.watch_audit
        self._audit = audit
        self._client = client
        self._node = node
        self._sent = 0
        self._start_known = asyncio.Event()

    def set_start(self, size: int) -> None:
        if not self._start_known.is_set():
            self._sent = size
            self._start_known.set()

    async def follow(self) -> None:
        """Runs forever."""
        await self._start_known.wait()
        async with self._watch_audit() as watch:
            while True:
                await watch.change()
                await self._send()
                await asyncio.sleep(_BATCH_SECONDS)

    async def _send(self) -> None:
        while lines := await run_in_thread(lambda: list(durable_records(self._journal, self._sent))):
            try:
                reply = await self._client.send_audit(self._sent, b"".join(lines))
            except Conflict:
                self._start_known.clear()  # the team's next update says how much it has
                raise
            self._sent = reply["size"]
            if not all(_is_link(line) for line in lines):  # otherwise each link would need another link
                await self._audit.add(
                    {"event": EVENT, "tenant": reply["tenant"], "node": self._node, "records": reply["records"],
                     "digest": reply["digest"]}
                )  # fmt: skip


def durable_records(journal: Journal, start: int) -> Iterator[bytes]:
    """Yields records from `start` that would survive a power cut, and torn ones only before an intact one. Blocks."""
    end = journal.snapshot().size or 0
    if end <= start:
        return
    journal.flush()
    size, waiting = 0, list[bytes]()
    for line in journal.lines(start, end):
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
    except (AttributeError, *UNREADABLE_JSON):
        return False
