"""Reads from a conversation's turns which tool calls have no result yet, and whether the work is done."""

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


def pending_calls(turns: Sequence[Turn]) -> list[ToolUse]:
    """The last reply's tool calls without a result."""
    reply = last_reply(turns)
    return [] if reply is None else _without_result(reply.uses, turns)


def calls_without_result(turns: Sequence[Turn]) -> list[ToolUse]:
    """The tool calls without a result in all replies."""
    return _without_result([use for turn in turns if isinstance(turn, AssistantTurn) for use in turn.uses], turns)


def _without_result(uses: Sequence[ToolUse], turns: Sequence[Turn]) -> list[ToolUse]:
    ids = {turn.execution_id for turn in turns if isinstance(turn, ToolResult)}
    return [use for use in uses if use.execution_id not in ids]


def with_execution_ids(reply: Reply, message_id: str) -> AssistantTurn:
    """The reply as a turn, with an execution id for each tool call, which is stored before the call is made."""
    uses = tuple(msgspec.structs.replace(use, execution_id=new_execution_id()) for use in reply.replied.uses)
    return msgspec.structs.replace(reply.replied, uses=uses, id=message_id)


def check_is_complete(reply: Reply) -> None:
    if reply.stopped == "refusal":
        raise Unsupported("The model refused to answer.", hint="Rephrase it, or choose another model.")
    if reply.stopped == "length" and not reply.replied.uses:
        if not reply.replied.text:
            raise Unsupported(
                "The model ran out of room before its answer. Its server may give it too small a context."
            )
        raise Unsupported("The model's answer reached its maximum length.", hint="Tell it to continue.")


def is_done(turns: Sequence[Turn]) -> bool:
    """Whether the last reply completed the work, and no message followed it."""
    reply = last_reply(turns)
    if reply is None or not isinstance(turns[-1], ToolResult):
        return False
    ending = {use.execution_id for use in reply.uses if use.name == ENDING}
    return any(isinstance(turn, ToolResult) and turn.execution_id in ending and not turn.is_error for turn in turns)
