"""Programs that wait for answers over HTTP: handrail waits in the queue for them, and delivers each complete answer.

A waiter is a random text that a program generated. Whoever knows it gets the answers, including secrets, so it is like
a password. It waits as long as the program keeps polling; its questions stay in the queue after that.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from handrail.kernel.prompts.rules import new_id
from handrail.ports.errors import Conflict, InvalidParams
from handrail.ports.prompt_queue import AnswerChannel, Origin, PromptQueue
from handrail.ports.prompts import Prompt
from handrail.ports.waiting import finish

POLL_SECONDS = 25.0
EXPIRY_SECONDS = 20.0
_MAX_WAITERS = 100
_MAX_QUESTIONS = 1000
_NAME = re.compile(r"[A-Za-z0-9_-]{22,128}")


@dataclass(slots=True)
class _Waiter:
    by: str
    seen: float
    polls: int = 0
    tasks: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    posted: set[str] = field(default_factory=set)
    news: asyncio.Event = field(default_factory=asyncio.Event)


class RemoteWaiters:
    def __init__(self, queue: PromptQueue, clock: Callable[[], float] = time.monotonic) -> None:
        self._queue = queue
        self._clock = clock
        self._waiters: dict[str, _Waiter] = {}

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            await asyncio.gather(sweeping, *(self._end(each) for each in list(self._waiters)), return_exceptions=True)

    async def ask(self, name: str, prompt: Any, *, request_id: str | None, run_id: str | None, origin: Origin) -> str:
        """Returns the requestId once the prompt is on disk; from then on this waiter waits for the answer."""
        waiter = self._waiter(name, origin.by)
        used_id = request_id or new_id()
        # Checked first: a waiter must not take the place of another one that waits for the same id.
        if request_id is not None and await self._queue.find(request_id) is not None:
            raise Conflict(f"There is a request {request_id} already.", hint="Choose another requestId, or none.")
        is_asked: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._wait(waiter, is_asked, prompt, used_id, run_id, origin))
        try:
            await finish(is_asked)
        except BaseException:
            task.cancel()
            raise
        waiter.posted.add(used_id)
        if not task.done():
            waiter.tasks[used_id] = task
            task.add_done_callback(lambda _: waiter.tasks.pop(used_id, None))
        return used_id

    async def answers(self, name: str, by: str, received: Collection[str]) -> list[dict[str, Any]]:
        """Returns the answers that this waiter hasn't received yet, once there is one or the poll time is over."""
        waiter = self._waiter(name, by)
        for request_id in received:
            waiter.answers.pop(request_id, None)
        waiter.polls += 1
        try:
            async with asyncio.timeout(POLL_SECONDS):
                while not waiter.answers:
                    waiter.news.clear()
                    await waiter.news.wait()
        except TimeoutError:
            pass
        finally:
            waiter.polls -= 1
            waiter.seen = self._clock()
        return [{"requestId": request_id, **answer} for request_id, answer in waiter.answers.items()]

    def has_asked(self, name: str, request_id: str) -> bool:
        """Whether this waiter posted the prompt, which it may then answer itself."""
        waiter = self._waiters.get(name)
        return waiter is not None and request_id in waiter.posted

    async def _wait(
        self,
        waiter: _Waiter,
        is_asked: "asyncio.Future[None]",
        prompt: Any,
        request_id: str,
        run_id: str | None,
        origin: Origin,
    ) -> None:
        def report_asked(_: Prompt) -> Sequence[AnswerChannel]:
            is_asked.set_result(None)
            return ()

        try:
            answer = await self._queue.ask(
                prompt, request_id=request_id, run_id=run_id, origin=origin, channels=report_asked
            )
        except asyncio.CancelledError:
            is_asked.cancel()
            raise
        except Exception as failure:  # noqa: BLE001 - passed on to the program that asks
            if not is_asked.done():
                is_asked.set_exception(failure)
            return
        waiter.answers[answer.request_id] = {
            "response": msgspec.to_builtins(answer.response),
            "masked": sorted(answer.masked),
        }
        waiter.news.set()

    def _waiter(self, name: str, by: str) -> _Waiter:
        if not _NAME.fullmatch(name):
            reason = "must be 22 to 128 random letters, digits, - and _"
            raise InvalidParams(f"waiter: {reason}.", fieldErrors=[{"field": "waiter", "message": reason}])
        waiter = self._waiters.get(name)
        if waiter is None:
            if len(self._waiters) >= _MAX_WAITERS:
                raise Conflict("Too many programs wait for answers over HTTP.", hint="Try again in a minute.")
            waiter = self._waiters[name] = _Waiter(by, self._clock())
        if waiter.by != by:
            raise Conflict("This waiter belongs to another program.", hint="Generate a new one.")
        if len(waiter.tasks) >= _MAX_QUESTIONS:
            raise Conflict("This waiter has too many open questions.", hint="Answer or withdraw some of them.")
        waiter.seen = self._clock()
        return waiter

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(EXPIRY_SECONDS / 4)
            for name, waiter in list(self._waiters.items()):
                if not waiter.polls and self._clock() - waiter.seen > EXPIRY_SECONDS:
                    await self._end(name)

    async def _end(self, name: str) -> None:
        if (waiter := self._waiters.pop(name, None)) is not None:
            tasks = list(waiter.tasks.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
