"""The queue as the console pages through it: the newest entries, older ones from the log, and what is pending.

`offset` is where an entry begins in the log, so a page goes on where it was, also after a restart. Nothing here is the
truth: whether an answer counts is decided by the queue.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import islice
from typing import Any, Literal

import msgspec

from handrail.features.people.routes.prompt_history import Placed, requests_before, responses_before
from handrail.ports.errors import Failure
from handrail.ports.prompts import Entry, Page, PromptQueue, RequestEntry, ResponseEntry

State = Literal["pending", "answered", "all"]
Told = dict[str, Any]

MOST_KEPT = 10_000
_AGAIN_AFTER = 1.0
_CATCH_UP = 2.0
_MOST_LOOKED_AFTER = 200

logger = logging.getLogger(__name__)


class PromptBoard:
    def __init__(self, queue: PromptQueue, most_kept: int = MOST_KEPT, look_every: float = 1.0) -> None:
        self._queue = queue
        self._most_kept = most_kept
        self._look_every = look_every
        self._kept: deque[Placed] = deque()
        self._requests: dict[str, tuple[int, RequestEntry]] = {}
        self._answered: set[str] = set()
        self._is_gone: dict[str, bool] = {}
        self._unattributed: list[Placed] = []
        self._position = 0
        self._news: set[asyncio.Queue[Sequence[Told]]] = set()
        self._has_changed = asyncio.Condition()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        await self._load()
        tasks = [asyncio.create_task(self._follow_queue()), asyncio.create_task(self._look_after())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def follow(self) -> AsyncIterator[Sequence[Told]]:
        """What is added from now on, and entries of which something else has become known."""
        news: asyncio.Queue[Sequence[Told]] = asyncio.Queue()
        self._news.add(news)
        try:
            while True:
                yield await news.get()
        finally:
            self._news.discard(news)

    async def page(self, state: State, limit: int, before: int | None) -> dict[str, Any]:
        """`limit` counts requests, or answers with their requests, or entries; `next` is where older ones begin."""
        known = [placed for placed in self._of(state) if before is None or placed[0] < before]
        first = self._kept[0][0] if self._kept and state != "pending" else 0
        chosen, has_more = known[-limit:], len(known) > limit or first > 0
        if len(chosen) < limit and first > 0:
            start = first if before is None else min(first, before)
            older, has_more = await self._older(state, start, limit - len(chosen))
            chosen = [*older, *chosen]
        asked = await self._requests_to(chosen) if state == "answered" else []
        shown = sorted([*asked, *chosen], key=lambda placed: placed[0])
        answer: dict[str, Any] = {"path": self._queue.location, "entries": await self._told(shown)}
        if has_more and chosen:
            answer["next"] = chosen[0][0]
        return answer

    async def has_seen(self, request_id: str, *, is_answered: bool) -> None:
        """Waits a moment until the board shows what its own caller has just written."""
        wanted = self._answered if is_answered else self._requests
        try:
            async with asyncio.timeout(_CATCH_UP), self._has_changed:
                await self._has_changed.wait_for(lambda: request_id in wanted)
        except TimeoutError:
            logger.warning("the prompt queue is slow to show what was written")

    def _of(self, state: State) -> Iterable[Placed]:
        if state == "all":
            return self._kept
        if state == "pending":
            return [placed for request_id, placed in self._requests.items() if request_id not in self._answered]
        return [placed for placed in self._kept if isinstance(placed[1], ResponseEntry)]

    async def _older(self, state: State, start: int, limit: int) -> tuple[list[Placed], bool]:
        if state == "answered":
            return await responses_before(self._queue, start, limit)
        page = await self._queue.older(start, limit)
        return _placed(page)[-limit:], page.position > 0 or len(page.entries) > limit

    async def _requests_to(self, responses: Sequence[Placed]) -> list[Placed]:
        ids = {response.request_id for _, response in responses}
        known: list[Placed] = [self._requests[each] for each in ids if each in self._requests]
        unknown = ids - self._requests.keys()
        return [*known, *await requests_before(self._queue, responses[-1][0], unknown)] if unknown else known

    async def _told(self, entries: Iterable[Placed]) -> list[Told]:
        entries = list(entries)
        answered = [entry.request_id for _, entry in entries if isinstance(entry, ResponseEntry)]
        by = await self._queue.answered_by(answered) if answered else {}
        return [await self._tell(offset, entry, by.get(entry.request_id)) for offset, entry in entries]

    async def _tell(self, offset: int, entry: Entry, by: str | None) -> Told:
        told: Told = {"offset": offset, **msgspec.to_builtins(entry)}
        if isinstance(entry, ResponseEntry):
            return told if by is None else {**told, "answeredBy": by}
        if entry.request_id not in self._answered:
            told["callerGone"] = not await self._queue.is_waiting(entry.request_id)
        return told

    async def _load(self) -> None:
        """Pending first: what is not among the newest entries after that, is older than they are."""
        pending, newest = await self._queue.pending(), await self._queue.entries(self._most_kept)
        recent = {entry.request_id for entry in newest.entries if isinstance(entry, RequestEntry)}
        for known in (self._kept, self._requests, self._answered, self._is_gone, self._unattributed):
            known.clear()
        # Their places are not known. Numbers that keep their order do, and are lower than any line after them.
        for number, entry in enumerate(entry for entry in pending if entry.request_id not in recent):
            self._requests[entry.request_id] = (number, entry)
        for placed in _placed(newest):
            self._add(placed)
        self._position = newest.position
        await self._changed_callers()

    async def _follow_queue(self) -> None:
        while True:
            try:
                async for page in self._queue.follow(self._position):
                    if page.is_restart:
                        break
                    added = _placed(page)
                    for placed in added:
                        self._add(placed)
                    self._position = page.position
                    await self._publish(added)
                await self._load()
                continue
            except Failure as failure:
                logger.warning("the prompt queue can't be followed: %s", failure.message)
            await asyncio.sleep(_AGAIN_AFTER)

    async def _look_after(self) -> None:
        """What no line of the log tells: that a caller went away or came back, and who answered a moment ago.

        A process that is killed leaves its socket where it was, and no event: so somebody has to look.
        """
        while True:
            await asyncio.sleep(self._look_every)
            with suppress(Failure):  # there will be another look
                unattributed, self._unattributed = self._unattributed, []
                attributed = [told for told in await self._told(unattributed) if "answeredBy" in told]
                self._pass_on([*attributed, *await self._told(await self._changed_callers())])

    async def _changed_callers(self) -> list[Placed]:
        """The requests of those who went away, or came back, since the last look."""
        changed = []
        for placed in islice(self._of("pending"), _MOST_LOOKED_AFTER):
            request_id = placed[1].request_id
            is_gone = not await self._queue.is_waiting(request_id)
            if self._is_gone.get(request_id) is not is_gone:
                self._is_gone[request_id] = is_gone
                changed.append(placed)
        return changed

    def _add(self, placed: Placed) -> None:
        self._kept.append(placed)
        entry = placed[1]
        if isinstance(entry, RequestEntry):
            self._requests.setdefault(entry.request_id, (placed[0], entry))
        else:
            self._answered.add(entry.request_id)
            self._is_gone.pop(entry.request_id, None)
        if len(self._kept) > self._most_kept:
            self._forget(self._kept.popleft()[1])

    def _forget(self, entry: Entry) -> None:
        """A request that is pending stays, however old it is."""
        if isinstance(entry, ResponseEntry):
            self._answered.discard(entry.request_id)
            self._requests.pop(entry.request_id, None)

    async def _publish(self, added: Sequence[Placed]) -> None:
        async with self._has_changed:
            self._has_changed.notify_all()
        if not added or not self._news:
            return
        told = await self._told(added)
        self._pass_on(told)
        for placed, one in zip(added, told, strict=True):
            if one["action"] == "response" and "answeredBy" not in one:
                self._unattributed.append(placed)
            elif "callerGone" in one:
                self._is_gone[one["requestId"]] = one["callerGone"]

    def _pass_on(self, told: Sequence[Told]) -> None:
        if told:
            for news in self._news:
                news.put_nowait(told)


def _placed(page: Page) -> list[Placed]:
    return list(zip(page.places, page.entries, strict=True))
