"""How far a run may go before a person is asked: steps, cost, repeated fixes of one file, and repeated calls."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Any

from handrail.ports.agent import Limit, Run
from handrail.ports.errors import Unsupported
from handrail.ports.model import AssistantTurn, ToolResult, ToolUse, Turn, UserTurn

WARNED_AFTER = 3
STOPPED_AFTER = 6
_WRITES = frozenset({"write_to_file", "replace_in_file", "edit_file"})
_CHECKS = frozenset({"validate_script", "preview_scene"})
_FAILED = ('"valid":false', '"valid": false', '"firstErrorLine":')


class LimitReached(Unsupported):
    """`limit` names the limit. When it is raised, the run continues from where it was."""

    def __init__(self, message: str, limit: Limit, most: float) -> None:
        super().__init__(f"{message} Raise this limit and resume.", limit=limit, most=most)
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Limits:
    """`steps` is the number of model replies to one message of a person.

    `cost` is the US dollars that a task may cost; 0 means no limit.
    """

    steps: int = 100
    cost: float = 0.0

    def of(self, run: Run) -> "Limits":
        """The task's own limits, or those of the settings."""
        steps = self.steps if run.most_steps is None else run.most_steps
        return Limits(steps, self.cost if run.most_cost is None else run.most_cost)

    def check(self, run: Run) -> None:
        """Called before the model is asked. LimitReached."""
        most = self.of(run)
        if run.steps >= most.steps:
            told = f"The model has taken {run.steps} steps, and may take {most.steps} for one message."
            raise LimitReached(told, "mostSteps", most.steps)
        spent = run.usage.cost or 0
        if most.cost and spent >= most.cost:
            told = f"This task has cost {spent:.2f} US dollars, and may cost {most.cost:.2f}."
            raise LimitReached(told, "mostCost", most.cost)


class InCircles(Unsupported):
    """The agent repeats itself; only a message of a person continues the run."""

    def __init__(self) -> None:
        super().__init__("The model keeps repeating itself.", hint="Tell it how to continue.")


def repetitions(turns: Sequence[Turn]) -> int:
    """How often the same call had the same outcome before, since the person's last message."""
    outcomes: Counter[tuple[str, str, str]] = Counter()
    asked: dict[str, tuple[str, str]] = {}
    last: tuple[str, str, str] | None = None
    for turn in turns:
        if isinstance(turn, AssistantTurn):
            asked |= {use.execution_id: (use.name, use.arguments) for use in turn.uses}
        elif isinstance(turn, ToolResult) and turn.execution_id in asked:
            last = (*asked[turn.execution_id], turn.text)
            outcomes[last] += 1
        elif isinstance(turn, UserTurn):
            outcomes.clear()
            last = None
    return outcomes[last] if last is not None else 0


def check_may_mend(turns: Sequence[Turn], use: ToolUse, most: int) -> ToolResult | None:
    """The refusal for a write that would be one fix too many since the person's last message, or None if it may run."""
    path = _path(use)
    if path is None or use.name not in _WRITES or _is_dry(use) or _mended(turns)[path] < most + 1:
        return None
    told = f"The check of {path} still fails, and you may fix it by yourself {most} times at most: ask the person."
    return ToolResult(use.id, use.execution_id, use.name, told, is_error=True)


def _mended(turns: Sequence[Turn]) -> Counter[str]:
    """The files whose checks failed, each after a write."""
    failed: Counter[str] = Counter()
    uses: dict[str, ToolUse] = {}
    written: set[str] = set()
    for turn in turns:
        if isinstance(turn, UserTurn):
            failed.clear()
            written.clear()
        elif isinstance(turn, AssistantTurn):
            uses |= {use.execution_id: use for use in turn.uses}
        elif isinstance(turn, ToolResult) and (use := uses.get(turn.execution_id)) is not None:
            path = _path(use)
            if path is None or turn.is_error:
                continue
            if use.name in _WRITES and not _is_dry(use):
                written.add(path)
            elif use.name in _CHECKS and path in written and any(sign in turn.text for sign in _FAILED):
                failed[path] += 1
                written.discard(path)
    return failed


def _path(use: ToolUse) -> str | None:
    given = _arguments(use)
    path = given.get("path", given.get("scenePath"))
    return normpath(path) if isinstance(path, str) else None


def _is_dry(use: ToolUse) -> bool:
    dry = _arguments(use).get("dryRun")
    return dry is not False if use.name == "write_to_file" else dry is True


def _arguments(use: ToolUse) -> dict[str, Any]:
    try:
        given = json.loads(use.arguments or "{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}
