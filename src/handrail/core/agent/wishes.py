"""What a model wished for and what came of it, as far as the turns tell."""

from collections.abc import Sequence

from handrail.contract.agent import Mode
from handrail.contract.model import Replied, Returned, Said, ToolUse, Turn
from handrail.core.agent.planning import steps_of


def last_reply(turns: Sequence[Turn]) -> Replied | None:
    """Since the person last spoke."""
    for turn in reversed(turns):
        if isinstance(turn, Replied):
            return turn
        if isinstance(turn, Said):
            return None
    return None


def pending(turns: Sequence[Turn]) -> list[ToolUse]:
    """Wishes of the last reply without an outcome."""
    reply = last_reply(turns)
    return [] if reply is None else _without_outcome(reply.uses, turns)


def unsettled(turns: Sequence[Turn]) -> list[ToolUse]:
    """Wishes of any reply without an outcome: models want one for each before anything else is said."""
    return _without_outcome([use for turn in turns if isinstance(turn, Replied) for use in turn.uses], turns)


def is_something_left(turns: Sequence[Turn], mode: Mode) -> bool:
    """Words without a reply, a reply without all that it wished for, or a plan that nobody has answered."""
    last = turns[-1] if turns else None
    if isinstance(last, Replied) and not last.uses:
        return mode == "plan" and bool(steps_of(last.text))
    return last is not None


def _without_outcome(uses: Sequence[ToolUse], turns: Sequence[Turn]) -> list[ToolUse]:
    had = {turn.execution_id for turn in turns if isinstance(turn, Returned)}
    return [use for use in uses if use.execution_id not in had]
