"""The prompt queue as the console shows it: pages of its entries, and news of them."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal

import msgspec

from handrail.features.people.routes.unreadable_log import UnreadableLog
from handrail.kernel.prompts.bundles import bundle_members
from handrail.kernel.prompts.foreign_prompts import client_members, origin_members
from handrail.ports.errors import Failure
from handrail.ports.prompt_entries import Entry, RequestEntry, ResponseEntry
from handrail.ports.prompt_queue import CallerState, Page, PromptQueue, QueuedPrompt, caller_state

State = Literal["pending", "answered", "all"]
Placed = tuple[int, Entry]
"""`offset` on the wire: where an entry begins in the log, so a page can be continued after a restart too."""
Json = dict[str, Any]

_RETRY_AFTER = 1.0
_MOST_LOOKED_AFTER = 200

logger = logging.getLogger(__name__)


class PromptBoard:
    def __init__(self, queue: PromptQueue, look_every: float = 1.0) -> None:
        self._queue = queue
        self._look_every = look_every
        self._unreadable = UnreadableLog()
        self._callers: dict[str, CallerState] = {}
        self._unattributed: list[Placed] = []
        self._news: set[asyncio.Queue[Sequence[Json]]] = set()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        position = (await self._queue.entries(0)).position
        self._unreadable.note(await self._queue.pending())
        await self._changed_callers()
        tasks = [asyncio.create_task(self._follow_queue(position)), asyncio.create_task(self._look_after())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def follow(self) -> AsyncGenerator[Sequence[Json], None]:
        """Entries that are added from now on, and entries about which something else has become known."""
        news: asyncio.Queue[Sequence[Json]] = asyncio.Queue()
        self._news.add(news)
        try:
            while True:
                yield await news.get()
        finally:
            self._news.discard(news)

    async def page(self, state: State, limit: int, before: int | None, posted_by: str | None = None) -> Json:
        """`limit` counts requests, or answers with their requests, or entries; `next` is where older ones begin.

        With `posted_by`, only those of its entries that are about what this program itself has posted.
        """
        shown, following = await self._shown(state, limit, before)
        if posted_by is not None:
            origins = await self._queue.origins([entry.request_id for _, entry in shown])
            theirs = {id for id, origin in origins.items() if origin.by == posted_by and not origin.is_own}
            shown = [(place, entry) for place, entry in shown if entry.request_id in theirs]
        page: Json = {"path": self._queue.location, "entries": await self._json(shown)}
        return page if following is None else {**page, "next": following}

    async def _shown(self, state: State, limit: int, before: int | None) -> tuple[list[Placed], int | None]:
        """One more than wanted is read, to know whether there is another page."""
        if state == "all":
            entries = _placed(await self._queue.entries(limit + 1, before))
            shown = entries[-limit:]
            return shown, shown[0][0] if len(entries) > limit else None
        if state == "pending":
            pending = await self._queue.pending(before, limit + 1)
            shown = [(each.place, each.request) for each in pending[-limit:]]
            return shown, shown[0][0] if len(pending) > limit else None
        answered = await self._queue.history(before, limit + 1)
        pairs = [pair for each in answered[-limit:] for pair in _pair(each)]
        return sorted(pairs, key=lambda placed: placed[0]), (
            answered[-limit].answer_place if len(answered) > limit else None
        )

    async def _json(self, entries: Sequence[Placed]) -> list[Json]:
        asked = [entry.request_id for _, entry in entries if isinstance(entry, RequestEntry)]
        answered = [entry.request_id for _, entry in entries if isinstance(entry, ResponseEntry)]
        found = await self._queue.find_all(asked) if asked else {}
        pending = [each for each, prompt in found.items() if prompt.is_pending]
        waiting = await self._queue.find_waiting(pending) if pending else ()
        by = await self._queue.answered_by(answered) if answered else {}
        origins = await self._queue.origins(asked) if asked else {}
        shown = []
        for offset, entry in entries:
            one: Json = {"offset": offset, **msgspec.to_builtins(entry)}
            if isinstance(entry, ResponseEntry):
                if entry.request_id in by:
                    one["answeredBy"] = by[entry.request_id]
            else:
                origin = origins.get(entry.request_id)
                if entry.request_id in pending:
                    one["caller"] = caller_state(origin, is_waiting=entry.request_id in waiting)
                one["prompt"] = client_members(entry.prompt, origin)
                told = origin_members(entry.prompt, origin)
                one |= told
                if entry.request_id in pending:
                    one |= bundle_members(entry, is_own=told["isOwn"])
            shown.append(one)
        return shown

    async def _follow_queue(self, position: int) -> None:
        while True:
            try:
                async for page in self._queue.follow(position):
                    position = page.position
                    self._unreadable.note(page.entries, page.nameless)
                    if not page.is_restart:
                        await self._publish(_placed(page))
            except Failure as failure:
                logger.warning("the prompt queue can't be followed: %s", failure.message)
            await asyncio.sleep(_RETRY_AFTER)

    async def _look_after(self) -> None:
        """What no entry of the log says: that a caller went away or came back, and who answered a moment ago.

        A process that is killed leaves its socket where it was, and no event: so somebody has to look.
        """
        while True:
            await asyncio.sleep(self._look_every)
            if not self._news:
                continue
            with suppress(Failure):  # there will be another look
                unattributed, self._unattributed = self._unattributed, []
                attributed = [one for one in await self._json(unattributed) if "answeredBy" in one]
                self._pass_on([*attributed, *await self._json(await self._changed_callers())])

    async def _changed_callers(self) -> list[Placed]:
        """The requests of callers that went away, or came back, since the last look."""
        pending = await self._queue.pending(limit=_MOST_LOOKED_AFTER)
        ids = [each.request_id for each in pending]
        waiting, origins = await self._queue.find_waiting(ids), await self._queue.origins(ids)
        before = self._callers
        self._callers = {each: caller_state(origins.get(each), is_waiting=each in waiting) for each in ids}
        changed = {each for each, caller in self._callers.items() if before.get(each) != caller}
        return [(each.place, each.request) for each in pending if each.request_id in changed]

    async def _publish(self, added: Sequence[Placed]) -> None:
        if not added or not self._news:
            return
        news = await self._json(added)
        self._pass_on(news)
        for placed, one in zip(added, news, strict=True):
            if one["action"] == "response" and "answeredBy" not in one:
                self._unattributed.append(placed)
            elif "caller" in one:
                self._callers[one["requestId"]] = one["caller"]

    def _pass_on(self, entries: Sequence[Json]) -> None:
        if entries:
            for news in self._news:
                news.put_nowait(entries)


def _placed(page: Page) -> list[Placed]:
    return list(zip(page.places, page.entries, strict=True))


def _pair(prompt: QueuedPrompt) -> list[Placed]:
    assert prompt.answer is not None
    assert prompt.answer_place is not None
    return [(prompt.place, prompt.request), (prompt.answer_place, prompt.answer)]
