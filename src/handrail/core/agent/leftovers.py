"""Wishes that were left without an outcome when a run was stopped or spoken to: models want one for each."""

import asyncio
from collections.abc import Sequence

from handrail.contract.model import Returned, ToolUse, Turn
from handrail.core.agent.audience import Audience
from handrail.core.agent.fate import Records
from handrail.core.agent.wishes import unsettled

_NOT_DONE = "This was stopped before it was carried out."


async def outcomes_of_left(records: Records, turns: Sequence[Turn]) -> list[Returned]:
    """As the records know them; what they don't know was not carried out."""
    if not (uses := unsettled(turns)):
        return []
    fate = await asyncio.to_thread(records.fate, uses)
    found = [(use, await asyncio.to_thread(records.outcome, use, fate)) for use in uses]
    return [known or Returned(use.id, use.execution_id, use.name, _NOT_DONE, is_error=True) for use, known in found]


def tell_of(audience: Audience, task_id: str, left: Sequence[Returned]) -> None:
    for returned in left:
        use = ToolUse(returned.use_id, returned.tool, "", returned.execution_id)
        audience.tool_used(task_id, "", use, "error" if returned.is_error else "success", returned.text)
