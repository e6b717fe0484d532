"""The prompt queue as the console shows it: pages of its entries, and live updates."""

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
"""`offset` on the wire: where an entry begins in the log, so that paging continues after a restart."""
Json = dict[str, Any]

_RETRY_AFTER = 1.0
_MAX_WATCHED = 200

logger = logging.getLogger(__name__)


class PromptBoard:
    def __init__(self, queue: PromptQueue, poll_seconds: float = 1.0) -> None:
        self._queue = queue
        self._poll_seconds = poll_seconds
        self._unreadable = UnreadableLog()
        self._callers: dict[str, CallerState] = {}
        self._unattributed: list[Placed] = []
        self._subscribers: set[asyncio.Queue[Sequence[Json]]] = set()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        position = (await self._queue.entries(0)).position
        self._unreadable.note(await self._queue.pending())
        await self._changed_callers()
        tasks = [asyncio.create_task(self._follow_queue(position)), asyncio.create_task(self._watch_callers())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def follow(self) -> AsyncGenerator[Sequence[Json], None]:
        """Yields entries that are added from now on, and entries about which something else has become known."""
        updates: asyncio.Queue[Sequence[Json]] = asyncio.Queue()
        self._subscribers.add(updates)
        try:
            while True:
                yield await updates.get()
        finally:
            self._subscribers.discard(updates)

    async def page(self, state: State, limit: int, before: int | None, posted_by: str | None = None) -> Json:
        """`limit` counts requests, or answers with their requests, or entries; `next` is where older ones begin.

        With `posted_by`, returns only entries about prompts that this program posted.
        """
        entries, following = await self._entries(state, limit, before)
        page = await self._page(entries, posted_by)
        return page if following is None else {**page, "next": following}

    async def one(self, request_id: str, posted_by: str | None = None) -> Json:
        """Like `page`, with the request of this id and its answer; without entries if there is none."""
        found = (await self._queue.find_all([request_id])).get(request_id)
        if found is None:
            return await self._page([], posted_by)
        return await self._page([(found.place, found.request)] if found.is_pending else _pair(found), posted_by)

    async def _page(self, entries: Sequence[Placed], posted_by: str | None) -> Json:
        if posted_by is not None:
            origins = await self._queue.origins([entry.request_id for _, entry in entries])
            own = {id for id, origin in origins.items() if origin.by == posted_by and not origin.is_own}
            entries = [(place, entry) for place, entry in entries if entry.request_id in own]
        return {"path": self._queue.location, "entries": await self._json(entries)}

    async def _entries(self, state: State, limit: int, before: int | None) -> tuple[list[Placed], int | None]:
        """Reads one more than asked for, to know whether there is another page."""
        if state == "all":
            all_entries = _placed(await self._queue.entries(limit + 1, before))
            entries = all_entries[-limit:]
            return entries, entries[0][0] if len(all_entries) > limit else None
        if state == "pending":
            pending = await self._queue.pending(before, limit + 1)
            entries = [(each.place, each.request) for each in pending[-limit:]]
            return entries, entries[0][0] if len(pending) > limit else None
        answered = await self._queue.history(before, limit + 1)
        pairs = [pair for each in answered[-limit:] for pair in _pair(each)]
        return sorted(pairs, key=lambda placed: placed[0]), (
            answered[-limit].answer_place if len(answered) > limit else None
        )

    async def _json(self, entries: Sequence[Placed]) -> list[Json]:
        requested = [entry.request_id for _, entry in entries if isinstance(entry, RequestEntry)]
        answered = [entry.request_id for _, entry in entries if isinstance(entry, ResponseEntry)]
        prompts = await self._queue.find_all(requested) if requested else {}
        pending = [each for each, prompt in prompts.items() if prompt.is_pending]
        waiting = await self._queue.find_waiting(pending) if pending else ()
        by = await self._queue.answered_by(answered) if answered else {}
        origins = await self._queue.origins(requested) if requested else {}
        items = []
        for offset, entry in entries:
            item: Json = {"offset": offset, **msgspec.to_builtins(entry)}
            if isinstance(entry, ResponseEntry):
                if entry.request_id in by:
                    item["answeredBy"] = by[entry.request_id]
            else:
                origin = origins.get(entry.request_id)
                if entry.request_id in pending:
                    item["caller"] = caller_state(origin, is_waiting=entry.request_id in waiting)
                item["prompt"] = client_members(entry.prompt, origin)
                sender = origin_members(entry.prompt, origin)
                item |= sender
                if entry.request_id in pending:
                    item |= bundle_members(entry, is_own=sender["isOwn"])
            items.append(item)
        return items

    async def _follow_queue(self, position: int) -> None:
        while True:
            try:
                async for page in self._queue.follow(position):
                    position = page.position
                    self._unreadable.note(page.entries, page.nameless)
                    if not page.is_restart:
                        await self._publish(_placed(page))
            except Failure as failure:
                logger.warning("can't follow the prompt queue: %s", failure.message)
            await asyncio.sleep(_RETRY_AFTER)

    async def _watch_callers(self) -> None:
        """Publishes what isn't in the log: callers that went away or came back, and who gave a recent answer.

        A process that is killed leaves its socket in place and causes no event, so callers must be polled.
        """
        while True:
            await asyncio.sleep(self._poll_seconds)
            if not self._subscribers:
                continue
            with suppress(Failure):  # the next round tries again
                unattributed, self._unattributed = self._unattributed, []
                attributed = [one for one in await self._json(unattributed) if "answeredBy" in one]
                self._send([*attributed, *await self._json(await self._changed_callers())])

    async def _changed_callers(self) -> list[Placed]:
        """The requests of callers that went away, or came back, since the last round."""
        pending = await self._queue.pending(limit=_MAX_WATCHED)
        ids = [each.request_id for each in pending]
        waiting, origins = await self._queue.find_waiting(ids), await self._queue.origins(ids)
        before = self._callers
        self._callers = {each: caller_state(origins.get(each), is_waiting=each in waiting) for each in ids}
        changed = {each for each, caller in self._callers.items() if before.get(each) != caller}
        return [(each.place, each.request) for each in pending if each.request_id in changed]

    async def _publish(self, added: Sequence[Placed]) -> None:
        if not added or not self._subscribers:
            return
        updates = await self._json(added)
        self._send(updates)
        for placed, one in zip(added, updates, strict=True):
            if one["action"] == "response" and "answeredBy" not in one:
                self._unattributed.append(placed)
            elif "caller" in one:
                self._callers[one["requestId"]] = one["caller"]

    def _send(self, entries: Sequence[Json]) -> None:
        if entries:
            for updates in self._subscribers:
                updates.put_nowait(entries)


def _placed(page: Page) -> list[Placed]:
    return list(zip(page.places, page.entries, strict=True))


def _pair(prompt: QueuedPrompt) -> list[Placed]:
    assert prompt.answer is not None
    assert prompt.answer_place is not None
    return [(prompt.place, prompt.request), (prompt.answer_place, prompt.answer)]
