"""The agent's runs on a team's servers. A lease names the server that works on a run; another one can take over.

Messages and commands for a run are forwarded to the server that has its lease.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec

from handrail.features.agent.context import RunContext
from handrail.features.agent.runs import OpenModel, OtherAgent, Runs
from handrail.features.agent.user_message import UserMessage
from handrail.ports.agent import ActiveRun, Run, RunLeases, RunLost, RunOptions
from handrail.ports.browser_errors import answer_with, result_in
from handrail.ports.errors import Busy, Failure, InputOutput, Offline
from handrail.ports.team_servers import Peers

T = TypeVar("T")
_RENEW_EVERY = 2.0
_LEASE_SECONDS = 6.0
"""How long a lease is valid. A server that couldn't renew it for so long has lost it."""
_ANSWER_TIMEOUT = 15.0
_ACQUIRE_TIMEOUT = 15.0
_RETRY_AFTER = 0.5

logger = logging.getLogger(__name__)


class SharedRuns(Runs):
    def __init__(
        self,
        context: RunContext,
        open_model: OpenModel,
        find_other_agent: Callable[[str], OtherAgent | None],
        leases: RunLeases,
        peers: Peers,
        *,
        renew_every: float = _RENEW_EVERY,
    ) -> None:
        super().__init__(context, open_model, find_other_agent)
        self._leases = leases
        self._peers = peers
        self._renew_every = renew_every
        self._renewed_at = time.monotonic()
        self._releasing: set[asyncio.Future[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self._peers.listen(self._answer, lambda task_id: None)
        self.renewing = asyncio.create_task(self._keep_renewing())
        try:
            async with super().running():
                yield
        finally:
            self.renewing.cancel()
            await asyncio.wait({self.renewing})

    @property
    def active_runs(self) -> Mapping[str, tuple[ActiveRun, "asyncio.Task[None]"]]:
        """The runs that this server works on, by task id."""
        return self._active

    async def send_message(self, task_id: str, message: UserMessage) -> None:
        params, here = {"message": msgspec.to_builtins(message)}, super().send_message
        await self._at_owner(task_id, "say", params, lambda: here(task_id, message), None)

    async def resume(self, task_id: str) -> Run:
        return await self._steer(task_id, "resume", super().resume)

    async def pause(self, task_id: str) -> Run:
        return await self._steer(task_id, "pause", super().pause)

    async def stop(self, task_id: str) -> Run:
        return await self._steer(task_id, "stop", super().stop)

    async def change(self, task_id: str, choice: RunOptions) -> Run:
        params = {"choice": msgspec.to_builtins(choice)}
        here = super().change
        return await self._at_owner(task_id, "change", params, lambda: here(task_id, choice), Run)

    async def close(self) -> None:
        """Releases the leases, so that other servers continue the runs at once."""
        tasks = list(self._active)
        await super().close()
        for task_id in tasks:
            await self._release(task_id)

    async def _steer(self, task_id: str, verb: str, here: Callable[[str], Awaitable[Run]]) -> Run:
        return await self._at_owner(task_id, verb, {}, lambda: here(task_id), Run)

    async def _at_owner(
        self,
        task_id: str,
        verb: str,
        params: Mapping[str, Any],
        here: Callable[[], Awaitable[T]],
        kind: Any,
    ) -> T:
        """Runs `here` if this server has the task's lease or can get it; otherwise asks the server that has it."""
        deadline = time.monotonic() + _ACQUIRE_TIMEOUT
        while not self._leases.has(task_id):
            try:
                answer = await self._peers.ask(task_id, verb, params, _ANSWER_TIMEOUT)
            except InputOutput:
                raise _busy(task_id) from None
            except Offline:  # no server works on it; a server that was killed has its leases for a few seconds more
                if await self._acquire(task_id):
                    break
                if time.monotonic() > deadline:
                    raise _busy(task_id) from None
                await asyncio.sleep(_RETRY_AFTER)
                continue
            result: T = msgspec.convert(result_in(answer), kind)
            return result
        try:
            return await here()
        finally:
            await self._release(task_id)

    async def _acquire(self, task_id: str) -> bool:
        if not await self._leases.take(task_id):
            return False
        await self._peers.hold(task_id)
        return True

    async def _release(self, task_id: str) -> None:
        """Gives back the lease of a task that this server no longer works on."""
        if task_id not in self._active and self._leases.has(task_id):
            await self._peers.release(task_id)
            await self._leases.give_back(task_id)

    async def _recover_one(self, unfinished: Run) -> None:
        task_id = unfinished.task_id
        if not self._is_of_this_project(unfinished) or self._leases.has(task_id) or not await self._acquire(task_id):
            return
        try:
            await super()._recover_one(unfinished)
        finally:
            await self._release(task_id)

    async def _keep_renewing(self) -> None:
        """Renews this server's leases, and continues runs whose server is gone."""
        while True:
            await asyncio.sleep(self._renew_every)
            try:
                lost = await self._leases.keep()
                self._renewed_at = time.monotonic()
                for task_id in lost:
                    await self._lose(task_id)
                await self.recover()
            except Failure as failure:
                logger.warning("the leases of runs can't be renewed now: %s", failure.message)
                if time.monotonic() - self._renewed_at > _LEASE_SECONDS:
                    for task_id in list(self._active):
                        await self._lose(task_id)

    async def _lose(self, task_id: str) -> None:
        """Stops a run whose lease is lost: another server may work on it, and nothing from here would be stored."""
        logger.warning("the run of %s continues on another server", task_id)
        if (active := self._active.get(task_id)) is not None:
            active[1].cancel()
            await asyncio.wait({active[1]})
        await self._peers.release(task_id)

    def _on_end(self, task_id: str, done: "asyncio.Task[None]") -> None:
        if not done.cancelled() and isinstance(done.exception(), RunLost):
            self._active.pop(task_id, None)
        else:
            super()._on_end(task_id, done)
        releasing = asyncio.ensure_future(self._release(task_id))
        self._releasing.add(releasing)
        releasing.add_done_callback(self._on_released)

    def _on_released(self, releasing: "asyncio.Future[None]") -> None:
        """Ignores errors: a lease that can't be given back expires in a few seconds."""
        self._releasing.discard(releasing)
        if not releasing.cancelled():
            releasing.exception()

    async def _answer(self, task_id: str, verb: str, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Answers a request that another server forwarded; None if this server doesn't have the lease."""
        return await answer_with(self._handle(task_id, verb, params)) if self._leases.has(task_id) else None

    async def _handle(self, task_id: str, verb: str, params: Mapping[str, Any]) -> Run | None:
        if verb == "say":
            await self.send_message(task_id, msgspec.convert(params["message"], UserMessage))
            return None
        if verb == "change":
            return await self.change(task_id, msgspec.convert(params["choice"], RunOptions))
        steer = {"resume": self.resume, "pause": self.pause, "stop": self.stop}[verb]
        return await steer(task_id)


def _busy(task_id: str) -> Busy:
    return Busy("The server that works on this task isn't responding.", hint="Try again in a moment.", taskId=task_id)
