"""The queue as the console pages through it: the newest entries, numbered in the order of the log, and what is pending.

Numbers (`offset`) only grow while the server runs; after a restart a page reads anew. Nothing here is the truth:
whether an answer counts is decided by the queue.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

import msgspec

from handrail.contract.errors import Failure
from handrail.contract.prompts import Entry, PromptQueue, RequestEntry, ResponseEntry

State = Literal["pending", "answered", "all"]
Numbered = dict[str, Any]

MOST_KEPT = 10_000
_AGAIN_AFTER = 1.0
_CATCH_UP = 2.0

logger = logging.getLogger(__name__)


class PromptBoard:
    def __init__(self, queue: PromptQueue, most_kept: int = MOST_KEPT) -> None:
        self._queue = queue
        self._kept: deque[tuple[int, Entry]] = deque()
        self._most_kept = most_kept
        self._requests: dict[str, tuple[int, RequestEntry]] = {}
        self._answered: set[str] = set()
        self._next = 0
        self._position = 0
        self._news: set[asyncio.Queue[Sequence[Numbered]]] = set()
        self._has_changed = asyncio.Condition()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        await self._load()
        following = asyncio.create_task(self._follow_queue())
        try:
            yield
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def follow(self) -> AsyncIterator[Sequence[Numbered]]:
        """What is added from now on."""
        news: asyncio.Queue[Sequence[Numbered]] = asyncio.Queue()
        self._news.add(news)
        try:
            while True:
                yield await news.get()
        finally:
            self._news.discard(news)

    async def page(self, state: State, limit: int, before: int | None) -> dict[str, Any]:
        """`limit` counts requests, or answers with their requests, or entries; `next` is where older ones begin."""
        chosen = [pair for pair in self._of(state) if before is None or pair[0] < before]
        newest = chosen[-limit:]
        shown = self._with_requests(newest) if state == "answered" else newest
        page: dict[str, Any] = {"path": self._queue.location, "entries": await self._told(shown)}
        if len(chosen) > len(newest):
            page["next"] = newest[0][0]
        return page

    async def has_seen(self, request_id: str, *, is_answered: bool) -> None:
        """Waits a moment until the board shows what its own caller has just written."""
        wanted = self._answered if is_answered else self._requests
        try:
            async with asyncio.timeout(_CATCH_UP), self._has_changed:
                await self._has_changed.wait_for(lambda: request_id in wanted)
        except TimeoutError:
            logger.warning("the prompt queue is slow to show what was written")

    def _of(self, state: State) -> Iterable[tuple[int, Entry]]:
        if state == "all":
            return self._kept
        if state == "pending":
            return [pair for request_id, pair in self._requests.items() if request_id not in self._answered]
        return [pair for pair in self._kept if isinstance(pair[1], ResponseEntry)]

    def _with_requests(self, responses: Iterable[tuple[int, Entry]]) -> list[tuple[int, Entry]]:
        found: dict[int, Entry] = {}
        for offset, response in responses:
            found[offset] = response
            if (request := self._requests.get(response.request_id)) is not None:
                found[request[0]] = request[1]
        return sorted(found.items())

    async def _told(self, pairs: Iterable[tuple[int, Entry]]) -> list[Numbered]:
        return [await self._tell(offset, entry) for offset, entry in pairs]

    async def _tell(self, offset: int, entry: Entry) -> Numbered:
        told = _numbered(offset, entry)
        if isinstance(entry, RequestEntry) and entry.request_id not in self._answered:
            told["callerGone"] = not await self._queue.is_waiting(entry.request_id)
        return told

    async def _load(self) -> None:
        """Pending first: what is not among the newest entries after that, is older than they are."""
        pending, newest = await self._queue.pending(), await self._queue.entries(self._most_kept)
        recent = {entry.request_id for entry in newest.entries if isinstance(entry, RequestEntry)}
        self._kept.clear()
        self._requests.clear()
        self._answered.clear()
        for entry in (*(entry for entry in pending if entry.request_id not in recent), *newest.entries):
            self._add(entry)
        self._position = newest.position

    async def _follow_queue(self) -> None:
        while True:
            try:
                async for page in self._queue.follow(self._position):
                    if page.is_restart:
                        break
                    await self._publish([self._add(entry) for entry in page.entries])
                    self._position = page.position
                await self._load()
                continue
            except Failure as failure:
                logger.warning("the prompt queue can't be followed: %s", failure.message)
            await asyncio.sleep(_AGAIN_AFTER)

    def _add(self, entry: Entry) -> tuple[int, Entry]:
        numbered = (self._next, entry)
        self._next += 1
        self._kept.append(numbered)
        if isinstance(entry, RequestEntry):
            self._requests.setdefault(entry.request_id, (numbered[0], entry))
        else:
            self._answered.add(entry.request_id)
        if len(self._kept) > self._most_kept:
            self._forget(self._kept.popleft()[1])
        return numbered

    def _forget(self, entry: Entry) -> None:
        """A request that is pending stays, however old it is."""
        if isinstance(entry, ResponseEntry):
            self._answered.discard(entry.request_id)
            self._requests.pop(entry.request_id, None)

    async def _publish(self, added: Sequence[tuple[int, Entry]]) -> None:
        async with self._has_changed:
            self._has_changed.notify_all()
        if added and self._news:
            told = await self._told(added)
            for news in self._news:
                news.put_nowait(told)


def _numbered(offset: int, entry: Entry) -> Numbered:
    told: Numbered = msgspec.to_builtins(entry)
    return {"offset": offset, **told}
