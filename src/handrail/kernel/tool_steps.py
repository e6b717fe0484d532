"""Runs the functions that a tool declares, each within the call's time limit."""

from collections.abc import Sequence

from handrail.kernel.call_state import CallState
from handrail.kernel.deadline import Deadline
from handrail.kernel.target import Target
from handrail.kernel.tool import NoChange, Preview, Reply
from handrail.ports.approval_card import ChosenPart


async def locate(state: CallState) -> Target:
    tool = state.entry.tool
    assert tool.locate is not None
    async with _deadline(state):
        return await tool.locate(state.entry.surface.port, state.call, state.params)


async def preview(state: CallState) -> Preview | NoChange:
    tool = state.entry.tool
    if tool.preview is None:
        return Preview(tool.title)
    async with _deadline(state):
        return await tool.preview(state.entry.surface.port, state.call, state.params)


async def narrow(state: CallState, shown: Preview, chosen: Sequence[ChosenPart]) -> Preview:
    tool = state.entry.tool
    assert tool.narrow is not None
    async with _deadline(state):
        return await tool.narrow(state.entry.surface.port, state.call, shown, chosen)


async def run(state: CallState, shown: Preview | None) -> Reply:
    async with _deadline(state):
        outcome = await state.entry.tool.run(state.entry.surface.port, state.call, state.params, shown)
    return outcome if isinstance(outcome, Reply) else Reply(outcome)


def _deadline(state: CallState) -> Deadline:
    tool = state.entry.tool
    limit_ms = state.call.deadline_ms or (None if tool.has_own_timeouts else tool.deadline_ms)
    state.deadline = Deadline(tool.name, limit_ms)
    return state.deadline
