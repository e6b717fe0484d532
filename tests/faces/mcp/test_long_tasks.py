"""A call that waits an hour for a person, as a task; the test controls the clock."""

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import pytest

from handrail.faces.mcp.open_call import CallParams, OpenCall
from handrail.faces.mcp.protocol import STATELESS_VERSIONS, TASKS_EXTENSION, Request, RpcError
from handrail.faces.mcp.tasks import Tasks
from handrail.ports.prompts import Prompt

HOUR = 3600.0


class Polling(Request):
    """A request of a client that supports tasks."""

    version = STATELESS_VERSIONS[-1]
    capabilities: Mapping[str, Any] = {"extensions": {TASKS_EXTENSION: {}}}

    async def report_progress(self, seconds: float, message: str) -> None: ...

    async def elicit(self, message: str, schema: Mapping[str, Any]) -> None: ...

    def follow_tools(self) -> None: ...


class MovedClock(asyncio.SelectorEventLoop):
    """An event loop whose clock the test advances."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    async def pass_time(self, seconds: float) -> None:
        """Runs everything that is due by then."""
        self.ahead += seconds
        for _ in range(5):
            await asyncio.sleep(0)


def note_question(call: OpenCall) -> None:
    """As when the call asks a person."""
    call.watch_questions(lambda prompt: ())(cast("Prompt", None))


async def state(tasks: Tasks, id: str) -> Any:
    return await tasks.methods["tasks/get"].answer(Polling(), {"taskId": id})


@pytest.mark.parametrize("hours", [1, 23])
def test_a_task_still_waits_after_an_hour_and_then_has_the_persons_answer(hours: int) -> None:
    loop = MovedClock()

    async def work() -> None:
        tasks, approved = Tasks(lambda request: "client"), loop.create_future()

        async def ask(call: OpenCall) -> dict[str, Any]:
            note_question(call)
            return {"isError": not await approved}

        task = await tasks.answer("client", CallParams("write_to_file", {}), ask)
        for _ in range(hours * 60):
            await loop.pass_time(60)
            assert (await state(tasks, task["taskId"]))["status"] == "working"
        approved.set_result(True)
        await loop.pass_time(1)
        last_state = await state(tasks, task["taskId"])
        assert (last_state["status"], last_state["result"]) == ("completed", {"isError": False})

    loop.run_until_complete(work())
    loop.close()


def test_a_task_without_an_answer_for_a_day_ends_with_a_hint_for_the_client() -> None:
    loop = MovedClock()

    async def work() -> None:
        tasks, is_stopped = Tasks(lambda request: "client"), asyncio.Event()

        async def ask(call: OpenCall) -> dict[str, Any]:
            note_question(call)
            try:
                await asyncio.Event().wait()
            finally:
                is_stopped.set()
            return {}

        task = await tasks.answer("client", CallParams("write_to_file", {}), ask)
        await loop.pass_time(25 * HOUR)
        await is_stopped.wait()
        with pytest.raises(RpcError, match="call the tool again"):
            await state(tasks, task["taskId"])

    loop.run_until_complete(work())
    loop.close()


def test_the_results_of_a_clients_newest_finished_tasks_are_kept() -> None:
    loop = MovedClock()

    async def work() -> None:
        tasks = Tasks(lambda request: "client")

        async def ask(call: OpenCall) -> dict[str, Any]:
            note_question(call)
            await asyncio.sleep(1)
            return {"isError": False}

        ids = []
        for _ in range(150):
            ids.append((await tasks.answer("client", CallParams("read_file", {}), ask))["taskId"])
            await loop.pass_time(1)
        assert (await state(tasks, ids[-1]))["status"] == (await state(tasks, ids[60]))["status"] == "completed"
        with pytest.raises(RpcError):
            await state(tasks, ids[40])

    loop.run_until_complete(work())
    loop.close()
