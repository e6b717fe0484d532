"""All runs of a server: one a task, many at once; begun by a person's words, stopped, paused, resumed, recovered."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import msgspec

from handrail.contract.agent import Mode, Run
from handrail.contract.errors import Conflict, Failure, NotFound
from handrail.contract.model import Model, Said, Usage
from handrail.core.agent.errand import Equipment, Errand, outcomes_of_stopped

Models = Callable[[str], Model]
"""The model of a name, or the one that is set where the name is empty. NoModel, WrongKey."""


class Runs:
    def __init__(self, equipment: Equipment, models: Models) -> None:
        self._at = equipment
        self._models = models
        self._going: dict[str, tuple[Errand, asyncio.Task[None]]] = {}
        self._turn: dict[str, asyncio.Lock] = {}

    async def say(self, task_id: str, said: Said, *, mode: Mode | None = None, model: str = "") -> None:
        """A person's words. While a run goes on they are refused: two windows must not steer one task."""
        async with self._turn.setdefault(task_id, asyncio.Lock()):
            if task_id in self._going:
                raise Conflict(
                    "The agent is at work on this task.", hint="Stop it first, or wait until it has answered."
                )
            known = await self._at.store.find(task_id)
            chosen = self._models(model or (known.model if known is not None else ""))
            run = Run(
                task_id=task_id,
                status="running",
                mode=mode or (known.mode if known is not None else "act"),
                model=chosen.name,
                usage=known.usage if known is not None else Usage(),
            )
            turns = await self._at.store.turns(task_id)
            await self._at.store.add(task_id, *outcomes_of_stopped(turns), said)
            await self._at.store.save(run)
            self._start(Errand(run, await self._at.store.turns(task_id), chosen, self._at))
            self._at.audience.changed(run)

    async def stop(self, task_id: str) -> Run:
        """The call that is under way is cancelled: what passed its last checkpoint is finished, and on record."""
        errand, task = self._found(task_id)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        run = msgspec.structs.replace(errand.run, status="ended", trouble="")
        await self._at.store.save(run)
        self._at.audience.changed(run)
        return run

    def pause(self, task_id: str) -> None:
        self._found(task_id)[0].pause()

    def resume(self, task_id: str) -> None:
        self._found(task_id)[0].go_on()

    async def find(self, task_id: str) -> Run | None:
        if (going := self._going.get(task_id)) is not None:
            return going[0].run
        return await self._at.store.find(task_id)

    async def recover(self) -> None:
        """After a crash or a restart: every run goes on where it was."""
        for run in await self._at.store.unfinished():
            try:
                model = self._models(run.model)
            except Failure as failure:
                await self._at.store.save(msgspec.structs.replace(run, status="waiting", trouble=failure.message))
                continue
            errand = Errand(run, await self._at.store.turns(run.task_id), model, self._at)
            if run.status == "paused":
                errand.pause()
            self._start(errand)

    async def close(self) -> None:
        """The server ends: runs stay as they are, and go on with the next one."""
        tasks = [task for _, task in self._going.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, errand: Errand) -> None:
        task_id = errand.run.task_id
        task = asyncio.create_task(errand.go(), name=f"run of {task_id}")
        self._going[task_id] = errand, task
        task.add_done_callback(lambda done: self._ended(task_id, done))

    def _ended(self, task_id: str, done: asyncio.Task[None]) -> None:
        if (going := self._going.get(task_id)) is not None and going[1] is done:
            del self._going[task_id]
        if not done.cancelled() and (fault := done.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "a run failed", "exception": fault})

    def _found(self, task_id: str) -> tuple[Errand, asyncio.Task[None]]:
        if (going := self._going.get(task_id)) is None:
            raise NotFound("The agent is not at work on this task.", taskId=task_id)
        return going
