"""Runs of the agent on a team's servers: one server at a time works on a run, and another goes on where it ends.

Which one, a lease says. Who speaks to the agent at another server is passed on.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec

from handrail.features.agent.context import RunContext
from handrail.features.agent.runs import Models, OtherAgent, Runs
from handrail.features.agent.user_message import UserMessage
from handrail.ports.agent import ActiveRun, Run, RunLeases, RunLost, RunOptions
from handrail.ports.browser_errors import pack_failure, unpack_failure
from handrail.ports.errors import Busy, Failure, InputOutput, Offline
from handrail.ports.team_servers import Peers

T = TypeVar("T")
_KEEP_EVERY = 2.0
_LOST_AFTER = 6.0
"""As long as a lease is good for: who could not keep it for so long has lost it."""
_ANSWER_WITHIN = 15.0
_TAKE_WITHIN = 15.0
_AGAIN_AFTER = 0.5

logger = logging.getLogger(__name__)


class SharedRuns(Runs):
    def __init__(
        self,
        context: RunContext,
        models: Models,
        others: Callable[[str], OtherAgent | None],
        leases: RunLeases,
        peers: Peers,
        *,
        keep_every: float = _KEEP_EVERY,
    ) -> None:
        super().__init__(context, models, others)
        self._leases = leases
        self._peers = peers
        self._keep_every = keep_every
        self._kept_at = time.monotonic()
        self._letting: set[asyncio.Future[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self._peers.listen(self._answer, lambda task_id: None)
        self.keeping = asyncio.create_task(self._keep())
        try:
            async with super().running():
                yield
        finally:
            self.keeping.cancel()
            await asyncio.wait({self.keeping})

    @property
    def at_work(self) -> Mapping[str, tuple[ActiveRun, "asyncio.Task[None]"]]:
        """By the task: what goes on at this server."""
        return self._going

    async def say(self, task_id: str, message: UserMessage) -> None:
        said, here = {"message": msgspec.to_builtins(message)}, super().say
        await self._at_its_server(task_id, "say", said, lambda: here(task_id, message), None)

    async def resume(self, task_id: str) -> Run:
        return await self._steer(task_id, "resume", super().resume)

    async def pause(self, task_id: str) -> Run:
        return await self._steer(task_id, "pause", super().pause)

    async def stop(self, task_id: str) -> Run:
        return await self._steer(task_id, "stop", super().stop)

    async def change(self, task_id: str, choice: RunOptions) -> Run:
        said = {"choice": msgspec.to_builtins(choice)}
        here = super().change
        return await self._at_its_server(task_id, "change", said, lambda: here(task_id, choice), Run)

    async def close(self) -> None:
        """Another server goes on at once."""
        tasks = list(self._going)
        await super().close()
        for task_id in tasks:
            await self._let_others(task_id)

    async def _steer(self, task_id: str, verb: str, here: Callable[[str], Awaitable[Run]]) -> Run:
        return await self._at_its_server(task_id, verb, {}, lambda: here(task_id), Run)

    async def _at_its_server(
        self,
        task_id: str,
        verb: str,
        said: Mapping[str, Any],
        here: Callable[[], Awaitable[T]],
        kind: Any,
    ) -> T:
        """At the server that works on the task; where none does, this one begins to."""
        deadline = time.monotonic() + _TAKE_WITHIN
        while not self._leases.has(task_id):
            try:
                answer = await self._peers.ask(task_id, verb, said, _ANSWER_WITHIN)
            except InputOutput:
                raise _busy(task_id) from None
            except Offline:  # nobody works on it; one that ended without a word has it for a few seconds more
                if await self._take(task_id):
                    break
                if time.monotonic() > deadline:
                    raise _busy(task_id) from None
                await asyncio.sleep(_AGAIN_AFTER)
                continue
            if "failure" in answer:
                raise unpack_failure(answer["failure"])
            result: T = msgspec.convert(answer["data"], kind)
            return result
        try:
            return await here()
        finally:
            await self._let_others(task_id)

    async def _take(self, task_id: str) -> bool:
        if not await self._leases.take(task_id):
            return False
        await self._peers.hold(task_id)
        return True

    async def _let_others(self, task_id: str) -> None:
        """Nothing is at work here any more."""
        if task_id not in self._going and self._leases.has(task_id):
            await self._peers.release(task_id)
            await self._leases.give_back(task_id)

    async def _recover_one(self, left: Run) -> None:
        if not self._is_here(left) or self._leases.has(left.task_id) or not await self._take(left.task_id):
            return
        try:
            await super()._recover_one(left)
        finally:
            await self._let_others(left.task_id)

    async def _keep(self) -> None:
        """Keeps what this server works on, and goes on with what another has left behind."""
        while True:
            await asyncio.sleep(self._keep_every)
            try:
                lost = await self._leases.keep()
                self._kept_at = time.monotonic()
                for task_id in lost:
                    await self._lose(task_id)
                await self.recover()
            except Failure as failure:
                logger.warning("which server works on which run can't be told now: %s", failure.message)
                if time.monotonic() - self._kept_at > _LOST_AFTER:
                    for task_id in list(self._going):
                        await self._lose(task_id)

    async def _lose(self, task_id: str) -> None:
        """Another server may be at work on it by now: nothing that is done here from now on would count."""
        logger.warning("the run of %s goes on at another server", task_id)
        if (going := self._going.get(task_id)) is not None:
            going[1].cancel()
            await asyncio.wait({going[1]})
        await self._peers.release(task_id)

    def _ended(self, task_id: str, done: "asyncio.Task[None]") -> None:
        if not done.cancelled() and isinstance(done.exception(), RunLost):
            self._going.pop(task_id, None)
        else:
            super()._ended(task_id, done)
        letting = asyncio.ensure_future(self._let_others(task_id))
        self._letting.add(letting)
        letting.add_done_callback(self._let)

    def _let(self, letting: "asyncio.Future[None]") -> None:
        """What can't be given back now is over by itself in a few seconds."""
        self._letting.discard(letting)
        if not letting.cancelled():
            letting.exception()

    async def _answer(self, task_id: str, verb: str, said: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What another server was told for the agent that works here."""
        if not self._leases.has(task_id):
            return None
        try:
            return {"data": msgspec.to_builtins(await self._told(task_id, verb, said))}
        except Failure as failure:
            return {"failure": pack_failure(failure)}

    async def _told(self, task_id: str, verb: str, said: Mapping[str, Any]) -> Run | None:
        if verb == "say":
            await self.say(task_id, msgspec.convert(said["message"], UserMessage))
            return None
        if verb == "change":
            return await self.change(task_id, msgspec.convert(said["choice"], RunOptions))
        steer = {"resume": self.resume, "pause": self.pause, "stop": self.stop}[verb]
        return await steer(task_id)


def _busy(task_id: str) -> Busy:
    return Busy("The server that works on this task doesn't answer now.", hint="Try again in a moment.", taskId=task_id)
