"""Questions to people, kept in the state directory: the log, an eye on its growth, the sockets of those who wait."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET

from handrail.kernel.prompts.answer_rules import unmask
from handrail.kernel.prompts.entries import digest, read_answer
from handrail.kernel.prompts.first_answer import answering
from handrail.kernel.prompts.log import PromptLog
from handrail.kernel.prompts.rules import check_new_prompt, new_id
from handrail.kernel.threads import settled
from handrail.ports.prompts import (
    MASK,
    Beside,
    KvPrompt,
    Page,
    Prompt,
    PromptAnswer,
    PromptResponse,
    Receipt,
    RequestEntry,
    Side,
    nowhere,
)
from handrail.stores.local.answerers import Answerers
from handrail.stores.local.database import Database
from handrail.stores.local.following import FollowedFile
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.waiters import Mailbox, Waiters

LOG = "ui-prompts.jsonl"
WAITERS = "waiters"
DATABASE = "handrail.db"


class LoggedPrompts:
    """The queue of one state directory, for one event loop. Any number of processes may have one each."""

    def __init__(self, state: Path, clock: Callable[[], float] = time.time) -> None:
        self._log = PromptLog(JournalFile(state / LOG), clock)
        self._waiters = Waiters(state / WAITERS)
        self._file = FollowedFile(state / LOG)
        self._answerers = Answerers(Database(state / DATABASE))

    @property
    def location(self) -> str:
        return self._log.location

    async def request(
        self, prompt: Prompt | Mapping[str, Any], *, request_id: str | None = None, run_id: str | None = None
    ) -> str:
        return await settled(lambda: self._log.request(prompt, request_id=request_id, run_id=run_id))

    async def respond(
        self,
        request_id: str,
        response: PromptResponse | Mapping[str, Any],
        *,
        run_id: str | None = None,
        by: str | None = None,
    ) -> Receipt:
        def note() -> None:
            if by is not None:
                self._answerers.note(request_id, by)

        def respond() -> Receipt:
            deliver = self._waiters.deliver
            return self._log.respond(request_id, response, run_id=run_id, deliver=deliver, on_accepted=note)

        return await settled(respond)

    async def ask(
        self,
        prompt: Prompt | Mapping[str, Any],
        *,
        request_id: str | None = None,
        run_id: str | None = None,
        beside: Beside = nowhere,
    ) -> PromptAnswer:
        checked = check_new_prompt(prompt)
        used_id = request_id or new_id()
        async with self._waiters.waiting(used_id) as mailbox:
            await self.request(checked, request_id=used_id, run_id=run_id)
            async with answering(self, used_id, beside(checked)):
                return await self._answer(used_id, mailbox, checked)

    async def wait(self, request_id: str, *, beside: Sequence[Side] = ()) -> PromptAnswer:
        async with self._waiters.waiting(request_id) as mailbox, answering(self, request_id, beside):
            return await self._answer(request_id, mailbox)

    async def answered_by(self, request_ids: Collection[str]) -> Mapping[str, str]:
        return await asyncio.to_thread(self._answerers.of, request_ids)

    async def is_waiting(self, request_id: str) -> bool:
        return self._waiters.is_waiting(request_id)

    async def pending(self) -> list[RequestEntry]:
        return await asyncio.to_thread(self._log.pending)

    async def entries(self, limit: int | None = None) -> Page:
        return await asyncio.to_thread(self._log.entries, limit)

    async def older(self, place: int, limit: int) -> Page:
        return await asyncio.to_thread(self._log.before, place, limit)

    async def follow(self, position: int) -> AsyncGenerator[Page, None]:
        with self._file.watching() as watch:
            while True:
                await watch.change()
                page = await asyncio.to_thread(self._log.since, position)
                position = page.position
                if page.entries or page.is_restart:
                    yield page

    async def close(self) -> None:
        await settled(self._log.close)
        self._answerers.close()

    async def _answer(self, request_id: str, mailbox: Mailbox, prompt: Prompt | None = None) -> PromptAnswer:
        with self._file.watching() as watch:
            while True:
                await watch.change()
                standing = await asyncio.to_thread(self._log.standing, request_id)
                if standing.answer is not None:
                    break
                prompt = standing.asked.prompt if standing.asked is not None else prompt
        if prompt is None:
            prompt = await asyncio.to_thread(self._log.prompt_of, request_id)
        entry = read_answer(standing.answer, prompt)
        response = entry.response if entry is not None else PromptResponse(status="canceled")
        masked = _masked(prompt, response)
        if not masked:
            return PromptAnswer(request_id, response)
        secrets = await mailbox.take(digest(standing.answer))
        found = {key: secrets[key] for key in masked if key in secrets}
        return PromptAnswer(request_id, unmask(response, found), masked - found.keys())


def _masked(prompt: Prompt | None, response: PromptResponse) -> frozenset[str]:
    if not isinstance(prompt, KvPrompt) or response.values is UNSET:
        return frozenset()
    return frozenset(key for key in prompt.secret_keys if response.values.get(key) == MASK)
