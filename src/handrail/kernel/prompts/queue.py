"""The queue of questions to people: writes to its log, follows it, and delivers secrets to those who wait."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from msgspec import UNSET

from handrail.kernel.prompts.answer_rules import check_response, unmask
from handrail.kernel.prompts.entries import digest, read_answer
from handrail.kernel.prompts.first_answer import open_channels
from handrail.kernel.prompts.log import Change, PromptLog
from handrail.kernel.prompts.rules import check_new_prompt, new_id
from handrail.kernel.prompts.shown_digest import changed_since_shown
from handrail.ports.errors import InputOutput
from handrail.ports.presence import Presence, ProofSource
from handrail.ports.prompt_queue import (
    AnswerChannel,
    FindChannels,
    Origin,
    Page,
    PromptAnswer,
    QueuedPrompt,
    Receipt,
    no_channels,
)
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompt_store import Mailbox, PromptStore
from handrail.ports.prompts import MASK, NOTHING_MASKED, FileChangePrompt, KvPrompt, Prompt
from handrail.ports.waiting import finish

T = TypeVar("T")


class LogPromptQueue:
    """A `PromptQueue` for one event loop. Any number of processes may use the same store."""

    def __init__(
        self, store: PromptStore, clock: Callable[[], float] = time.time, *, presence: Presence | None = None
    ) -> None:
        self._log = PromptLog(store.journal, clock)
        self._view = self._log.view
        self._writer = _Writer(self._log)
        self._waiters = store.waiters
        self._watching = store.watching
        self._answerers = store.answerers
        self._origins = store.origins
        self._presence = presence
        self._is_elsewhere = store.is_elsewhere

    @property
    def location(self) -> str:
        return self._log.location

    async def request(
        self,
        prompt: Prompt | Mapping[str, Any],
        *,
        request_id: str | None = None,
        run_id: str | None = None,
        origin: Origin | None = None,
    ) -> str:
        question = self._log.question(prompt, request_id=request_id, run_id=run_id)
        if origin is not None:  # before anybody can see it
            await asyncio.to_thread(self._origins.note, question.request_id, replace(origin, shown=question.shown))
        await self._writer.write(question)
        return question.request_id

    async def respond(
        self,
        request_id: str,
        response: PromptResponse | Mapping[str, Any],
        *,
        run_id: str | None = None,
        by: str | None = None,
        proof: ProofSource = None,
        shown: str | None = None,
    ) -> Receipt:
        posted = (await self.origins([request_id])).get(request_id)
        if posted is not None and posted.shown is not None:
            if shown not in (None, posted.shown):
                raise changed_since_shown(request_id)
            shown = posted.shown
        keep_proof = await self._admitted(request_id, response, proof)

        def note() -> None:
            keep_proof()
            if by is not None:
                self._answerers.note(request_id, by)

        deliver = self._waiters.deliver
        reply = self._log.reply(request_id, response, run_id=run_id, deliver=deliver, on_accepted=note, shown=shown)
        return await self._writer.write(reply)

    async def _admitted(
        self, request_id: str, response: PromptResponse | Mapping[str, Any], proof: ProofSource
    ) -> Callable[[], None]:
        """A function that saves the proof of presence. Other faults of the answer are reported by the log."""
        presence = self._presence
        queued = await self.find(request_id) if presence is not None else None
        if (
            presence is None
            or queued is None
            or not queued.is_pending
            or not isinstance(queued.prompt, FileChangePrompt)
        ):
            return _nothing_to_keep
        checked = check_response(queued.prompt, response)
        return await asyncio.to_thread(presence.admit, queued.request, checked, proof)

    async def ask(
        self,
        prompt: Prompt | Mapping[str, Any],
        *,
        request_id: str | None = None,
        run_id: str | None = None,
        channels: FindChannels = no_channels,
        origin: Origin | None = None,
        masked: Mapping[str, str] = NOTHING_MASKED,
    ) -> PromptAnswer:
        checked = check_new_prompt(prompt)
        used_id = request_id or new_id()
        origin = None if origin is None else replace(origin, waits=True)
        async with self._waiters.waiting(used_id, masked) as mailbox:
            await self.request(checked, request_id=used_id, run_id=run_id, origin=origin)
            async with open_channels(self, used_id, channels(checked)):
                return await self._answer(used_id, mailbox, checked)

    async def wait(
        self, request_id: str, *, channels: Sequence[AnswerChannel] = (), masked: Mapping[str, str] = NOTHING_MASKED
    ) -> PromptAnswer:
        async with self._waiters.waiting(request_id, masked) as mailbox, open_channels(self, request_id, channels):
            return await self._answer(request_id, mailbox)

    async def masked(self, request_id: str) -> Mapping[str, str]:
        return await asyncio.to_thread(self._waiters.masked, request_id)

    async def answered_by(self, request_ids: Collection[str]) -> Mapping[str, str]:
        return await asyncio.to_thread(self._answerers.of, request_ids)

    async def origins(self, request_ids: Collection[str]) -> Mapping[str, Origin]:
        return await asyncio.to_thread(self._origins.of, request_ids)

    async def proof_of(self, request_id: str) -> Mapping[str, Any] | None:
        queued = await self.find(request_id) if self._presence is not None else None
        if self._presence is None or queued is None or queued.answer is None:
            return None
        return await asyncio.to_thread(self._presence.proof_of, queued.request, queued.answer.response)

    async def is_waiting(self, request_id: str) -> bool:
        return request_id in await self.find_waiting([request_id])

    async def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        return await asyncio.to_thread(self._waiters.find_waiting, request_ids)

    async def find(self, request_id: str) -> QueuedPrompt | None:
        return (await self.find_all([request_id])).get(request_id)

    async def find_all(self, request_ids: Collection[str]) -> Mapping[str, QueuedPrompt]:
        return await self._writer.run(lambda: self._view.find_all(request_ids))

    async def repeats(self, stem: str) -> list[QueuedPrompt]:
        return await self._writer.run(lambda: self._view.repeats(stem))

    async def pending(self, before: int | None = None, limit: int | None = None) -> list[QueuedPrompt]:
        return await self._writer.run(lambda: self._view.pending(before, limit))

    async def history(self, before: int | None = None, limit: int = 100) -> list[QueuedPrompt]:
        return await self._writer.run(lambda: self._view.history(before, limit))

    async def entries(self, limit: int | None = None, before: int | None = None) -> Page:
        return await self._writer.run(lambda: self._view.entries(limit, before))

    async def follow(self, position: int) -> AsyncGenerator[Page, None]:
        async with self._watching() as watch:
            while True:
                await watch.change()
                page = await self._writer.run(partial(self._view.since, position))
                position = page.position
                if page.entries or page.is_restart:
                    yield page

    async def close(self) -> None:
        await self._writer.close()
        await asyncio.to_thread(self._answerers.close)

    async def _answer(self, request_id: str, mailbox: Mailbox, prompt: Prompt | None = None) -> PromptAnswer:
        async with self._watching() as watch:
            while True:
                await watch.change()
                try:
                    answered = await self._writer.run(lambda: self._view.answer_to(request_id))
                except InputOutput:
                    if not self._is_elsewhere:
                        raise
                    answered = None  # the next change triggers another attempt
                if answered is not None:
                    break
        asked, line = answered
        prompt = asked or prompt
        entry = read_answer(line, prompt)
        response = entry.response if entry is not None else PromptResponse(status="canceled")
        masked = _masked(prompt, response)
        if not masked:
            return PromptAnswer(request_id, response)
        secrets = await mailbox.take(digest(line))
        received = {key: secrets[key] for key in masked if key in secrets}
        return PromptAnswer(request_id, unmask(response, received), masked - received.keys())


def _nothing_to_keep() -> None:
    """No proof was needed."""


def _masked(prompt: Prompt | None, response: PromptResponse) -> frozenset[str]:
    if not isinstance(prompt, KvPrompt) or response.values is UNSET:
        return frozenset()
    return frozenset(key for key in prompt.secret_keys if response.values.get(key) == MASK)


class _Writer:
    """The only thread that reads and writes the log, so that nothing else waits for its lock or the disk.

    Changes that arrive while it is busy are written together, under one lock and with one fsync.
    """

    def __init__(self, log: PromptLog) -> None:
        self._log = log
        self._executor: ThreadPoolExecutor | None = None
        self._queued: deque[tuple[Change, Future[Receipt]]] = deque()

    async def run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread(), work)

    async def write(self, change: Change) -> Receipt:
        """A cancelled caller still waits until the change is written."""
        outcome = Future[Receipt]()
        self._queued.append((change, outcome))
        self._thread().submit(self._write_queued)
        return await finish(asyncio.wrap_future(outcome))

    async def close(self) -> None:
        """Ends the thread, if there is one; later work starts another."""
        if self._executor is None:
            return
        await self.run(self._log.close)
        executor, self._executor = self._executor, None
        executor.shutdown(wait=False)

    def _thread(self) -> ThreadPoolExecutor:
        self._executor = self._executor or ThreadPoolExecutor(1, "prompts")
        return self._executor

    def _write_queued(self) -> None:
        queued = [self._queued.popleft() for _ in range(len(self._queued))]
        if not queued:
            return
        try:
            outcomes: Sequence[Receipt | BaseException] = self._log.write([change for change, _ in queued])
        except Exception as error:  # noqa: BLE001 - raised where the changes are awaited
            outcomes = [error] * len(queued)
        for (_, waiting), outcome in zip(queued, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                waiting.set_exception(outcome)
            else:
                waiting.set_result(outcome)
