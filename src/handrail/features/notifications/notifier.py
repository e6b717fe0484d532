"""Notifies people about questions that stay pending. Only sends text: questions are answered in the console.

In a team, the server that claims a question notifies about it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from handrail.features.notifications.channels import Channels
from handrail.features.notifications.message import Message, PendingQuestion, message_about
from handrail.features.notifications.push import KEY, PushSender
from handrail.kernel.evidence import utc_now
from handrail.ports.errors import Failure
from handrail.ports.prompt_entries import RequestEntry, ResponseEntry

if TYPE_CHECKING:
    from handrail.features.notifications.settings import NotificationSettings
    from handrail.ports.push import PushSubscription
    from handrail.ports.secrets import Secret
    from handrail.ports.stores import Stores

BACKOFF_SECONDS = (2.0, 10.0)
"""Before the second and the third attempt; there is no fourth."""
_RETRY_SECONDS = 1.0
_MAX_SENDING = 8
_MAX_PUSHING = 20

logger = logging.getLogger(__name__)


class Notifier:
    """`may_answer` returns those of the members who may answer a question; `url` is where they do."""

    def __init__(
        self,
        stores: Stores,
        settings: NotificationSettings,
        may_answer: Callable[[str, Collection[str]], Awaitable[Collection[str]]],
        *,
        language: str = "en",
        backoff: Sequence[float] = BACKOFF_SECONDS,
    ) -> None:
        self.channels = Channels(stores.secrets)
        self.last: dict[str, dict[str, Any]] = {}
        """The outcome of the last message, by channel."""
        self.url = ""
        self.language = language
        self._stores = stores
        self._settings = settings
        self._may_answer = may_answer
        self._backoff = backoff
        self._push = PushSender(settings.push_contact or "mailto:handrail@example.com")
        self._due: dict[str, float] = {}
        self._wake_up = asyncio.Event()
        self._sending: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self, url: str) -> AsyncIterator[None]:
        self.url = f"{url}/#/inbox"
        tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self._notify())]
        try:
            yield
        finally:
            tasks += self._sending
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._push.close()

    async def push_key(self) -> Secret | None:
        return await self._stores.secrets.get(KEY)

    async def send_to(self, name: str, message: Message) -> None:
        """Sends to one channel, once, and remembers the outcome."""
        try:
            await self.channels.send(name, message)
        except Failure as failure:
            self.last[name] = {"at": _now(), "ok": False, "error": failure.message}
            raise
        self.last[name] = {"at": _now(), "ok": True}

    async def push_to(self, subscription: PushSubscription, message: Message) -> bool:
        """Returns whether a push service has accepted it. A browser that has unsubscribed is removed."""
        key = await self.push_key()
        if key is None:
            return False
        for pause in (*self._backoff, None):
            outcome, reason = await self._push.send(subscription, message, key)
            if outcome == "gone":
                await self._stores.push.remove(subscription.id)
                logger.info("removed the push subscription %s: %s", subscription.id, reason)
            if outcome != "later" or pause is None:
                if outcome in ("later", "refused"):
                    logger.warning("push to %s failed: %s", subscription.id, reason)
                return outcome == "sent"
            await asyncio.sleep(pause)
        return False

    async def _follow(self) -> None:
        loop, queue = asyncio.get_running_loop(), self._stores.prompts
        position: int | None = None
        while True:
            try:
                if position is None:
                    position = (await queue.entries(0)).position
                    for each in await queue.pending():
                        self._expect(each.request_id, loop.time())
                async for page in queue.follow(position):
                    position = page.position
                    for entry in page.entries:
                        if isinstance(entry, RequestEntry):
                            self._expect(entry.request_id, loop.time())
                        elif isinstance(entry, ResponseEntry):
                            self._due.pop(entry.request_id, None)
            except Failure as failure:
                logger.warning("can't follow pending questions: %s", failure.message)
            await asyncio.sleep(_RETRY_SECONDS)

    def _expect(self, request_id: str, now: float) -> None:
        self._due.setdefault(request_id, now + self._settings.notify_after_seconds)
        self._wake_up.set()

    async def _notify(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._wake_up.clear()
            now = loop.time()
            due = [id for id, at in self._due.items() if at <= now]
            for id in due:
                del self._due[id]
            if due:
                await self._announce(due)
            elif self._due:
                await _or_timeout(self._wake_up.wait(), min(self._due.values()) - now)
            else:
                await self._wake_up.wait()

    async def _announce(self, ids: Sequence[str]) -> None:
        while len(self._sending) >= _MAX_SENDING:
            await asyncio.wait(self._sending, return_when=asyncio.FIRST_COMPLETED)
        task = asyncio.create_task(self._send_all(ids))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send_all(self, ids: Sequence[str]) -> None:
        try:
            names, subscriptions = await self.channels.names(), await self._stores.push.all()
            if not names and not subscriptions:
                return
            queued = await self._stores.prompts.find_all(ids)
            pending = [id for id in ids if id in queued and queued[id].is_pending]
            claimed = [id for id in pending if await self._stores.once.claim(f"notified:{id}")]
            if not claimed:
                return
            origins = await self._stores.prompts.origins(claimed)
            questions = [PendingQuestion(queued[id], origins.get(id)) for id in claimed]
            limit = asyncio.Semaphore(_MAX_PUSHING)
            await asyncio.gather(
                *(self._notify_channel(name, self._message(questions)) for name in names),
                *(self._notify_browser(one, questions, limit) for one in subscriptions),
            )
        except Failure as failure:
            logger.warning("no notification could be sent: %s", failure.message)

    async def _notify_channel(self, name: str, message: Message) -> None:
        for pause in (*self._backoff, None):
            try:
                await self.send_to(name, message)
            except Failure as failure:
                if not failure.retryable or pause is None:
                    logger.warning("%s", failure.message)
                    return
                await asyncio.sleep(pause)
            else:
                return

    async def _notify_browser(
        self, subscription: PushSubscription, questions: Sequence[PendingQuestion], limit: asyncio.Semaphore
    ) -> None:
        """Sends only the questions that its member may answer."""
        own = [
            each
            for each in questions
            if not subscription.member or await self._may_answer(each.queued.request_id, [subscription.member])
        ]
        if own:
            async with limit:
                await self.push_to(subscription, self._message(own))

    def _message(self, questions: Sequence[PendingQuestion]) -> Message:
        return message_about(questions, self.url, language=self.language, has_details=self._settings.notify_details)


async def _or_timeout(waiting: Awaitable[Any], seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(waiting, max(seconds, 0))


def _now() -> str:
    return utc_now().isoformat(timespec="seconds")
