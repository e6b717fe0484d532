"""desktop_abort without an id stops all running calls of the caller, even if some have just ended."""

import asyncio
from collections.abc import Callable

import pytest

from handrail.ports.errors import Aborted, Failure, InvalidParams, Offline
from tests.features.desktop.tools.scripted_host import DesktopGate, ScriptedHost, window

pytestmark = pytest.mark.anyio

Open = Callable[..., DesktopGate]
FOUND = {"elementRefs": [], "matched": 0}


class SlowHost(ScriptedHost):
    """Searches run until the test ends them; `refusals` are the results of stopping each of them."""

    def __init__(self, *refusals: Failure | None) -> None:
        super().__init__(window("editor"))
        self.may_end = asyncio.Event()
        self._refusals = list(refusals)
        self._begun = asyncio.Semaphore(0)

    async def call(self, method: str, params: object, **more: object) -> dict[str, object]:
        if method == "desktop.find":
            self._begun.release()
            await self.may_end.wait()
            return {"executionId": "x", **FOUND}
        assert method == "desktop.abort"
        if (refusal := self._refusals.pop(0)) is not None:
            raise refusal
        return {"aborted": True, "executionId": "x"}

    async def has_begun(self, times: int) -> None:
        for _ in range(times):
            await self._begun.acquire()


async def stopping(open_gate: Open, *refusals: Failure | None) -> str:
    """Runs the tool, with as many running calls as there are refusals."""
    host = SlowHost(*refusals)
    gate = open_gate(host)
    searches = [asyncio.ensure_future(gate.does("desktop_find", selector={"titleContains": "x"})) for _ in refusals]
    await host.has_begun(len(refusals))
    try:
        return (await gate.does("desktop_abort")).text or ""
    finally:
        host.may_end.set()
        await asyncio.gather(*searches)


async def test_calls_that_already_ended_do_not_stop_the_others_from_being_aborted(open_gate: Open) -> None:
    refusal = InvalidParams("Nothing of this name is running.")
    assert await stopping(open_gate, refusal, None, None) == "2 stopped."


async def test_it_fails_if_nothing_was_running(open_gate: Open) -> None:
    with pytest.raises(InvalidParams):
        await stopping(open_gate, InvalidParams("Nothing of this name."), InvalidParams("Nothing of this name."))


async def test_calls_that_could_not_be_stopped_are_reported(open_gate: Open) -> None:
    with pytest.raises(Offline):
        await stopping(open_gate, None, Offline("The host is gone."))


class FrozenHost(ScriptedHost):
    """It never finds a target, because the display doesn't answer."""

    def __init__(self) -> None:
        super().__init__(window("editor"))
        self.has_begun = asyncio.Event()

    async def call(self, method: str, params: object, **more: object) -> dict[str, object]:
        if method == "desktop.locate":
            self.has_begun.set()
            await asyncio.Event().wait()
        raise InvalidParams("No call of this workspace is running.")


async def test_an_action_whose_target_is_still_being_located_is_aborted_before_anyone_is_asked(
    open_gate: Open,
) -> None:
    host = FrozenHost()
    gate = open_gate(host)
    typing = asyncio.ensure_future(gate.does("desktop_hotkey", keys=["enter"]))
    await host.has_begun.wait()
    assert (await gate.does("desktop_abort")).text == "1 stopped."
    with pytest.raises(Aborted):
        await typing
    assert gate.questions == []
