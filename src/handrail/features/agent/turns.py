"""Reads a conversation's turns: which tool calls have no result yet, and whether the work is done."""

from collections.abc import Sequence

import msgspec

from handrail.kernel.call import new_execution_id
from handrail.ports.errors import Unsupported
from handrail.ports.model import AssistantTurn, Reply, ToolResult, ToolUse, Turn, UserTurn

ENDING = "attempt_completion"


def last_reply(turns: Sequence[Turn]) -> AssistantTurn | None:
    """The last reply since the person's last message."""
    for turn in reversed(turns):
        if isinstance(turn, AssistantTurn):
            return turn
        if isinstance(turn, UserTurn):
            return None
    return None


def pending(turns: Sequence[Turn]) -> list[ToolUse]:
    """Tool calls of the last reply without an outcome."""
    reply = last_reply(turns)
    return [] if reply is None else _without_outcome(reply.uses, turns)


def unsettled(turns: Sequence[Turn]) -> list[ToolUse]:
    """Tool calls of any reply without an outcome. Models need one for each before anything else is said."""
    return _without_outcome([use for turn in turns if isinstance(turn, AssistantTurn) for use in turn.uses], turns)


def _without_outcome(uses: Sequence[ToolUse], turns: Sequence[Turn]) -> list[ToolUse]:
    had = {turn.execution_id for turn in turns if isinstance(turn, ToolResult)}
    return [use for use in uses if use.execution_id not in had]


def numbered(reply: Reply, message_id: str) -> AssistantTurn:
    """Each tool call with its execution id, which is stored before the call is made."""
    uses = tuple(msgspec.structs.replace(use, execution_id=new_execution_id()) for use in reply.replied.uses)
    return msgspec.structs.replace(reply.replied, uses=uses, id=message_id)


def check_is_whole(reply: Reply) -> None:
    if reply.stopped == "refusal":
        raise Unsupported("The model refused to answer.", hint="Say it in other words, or choose another model.")
    if reply.stopped == "length" and not reply.replied.uses:
        raise Unsupported("The model's answer reached its maximum length.", hint="Tell it to continue.")


def is_done(turns: Sequence[Turn]) -> bool:
    """The last reply said so, and nothing was said after it."""
    reply = last_reply(turns)
    if reply is None or not isinstance(turns[-1], ToolResult):
        return False
    ending = {use.execution_id for use in reply.uses if use.name == ENDING}
    return any(isinstance(turn, ToolResult) and turn.execution_id in ending and not turn.is_error for turn in turns)
