"""How far a run may go before it asks a person: steps, cost, automatic fixes of one file, and repeated calls."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Any

from handrail.ports.agent import Limit, Run
from handrail.ports.errors import Unsupported
from handrail.ports.model import AssistantTurn, ToolResult, ToolUse, Turn, UserTurn

WARN_AFTER = 3
STOP_AFTER = 6
_WRITES = frozenset({"write_to_file", "replace_in_file", "edit_file"})
_CHECKS = frozenset({"validate_script", "preview_scene"})
_FAILURE_SIGNS = ('"valid":false', '"valid": false', '"firstErrorLine":')


class LimitReached(Unsupported):
    """`limit` names the limit. Once a person raises it, the run continues where it was."""

    def __init__(self, message: str, limit: Limit, most: float) -> None:
        super().__init__(f"{message} Raise this limit and resume.", limit=limit, most=most)
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Limits:
    """`steps`: the most replies of the model to one message. `cost`: the most US dollars for a task; 0 is unlimited."""

    steps: int = 100
    cost: float = 0.0

    def of(self, run: Run) -> "Limits":
        """The task's own limits, or those in the settings."""
        steps = self.steps if run.most_steps is None else run.most_steps
        return Limits(steps, self.cost if run.most_cost is None else run.most_cost)

    def check(self, run: Run) -> None:
        """Called before each request to the model. Raises LimitReached."""
        most = self.of(run)
        if run.steps >= most.steps:
            message = f"The model has taken {run.steps} steps, and may take {most.steps} for one message."
            raise LimitReached(message, "mostSteps", most.steps)
        spent = run.usage.cost or 0
        if most.cost and spent >= most.cost:
            message = f"This task has cost {spent:.2f} US dollars, and may cost {most.cost:.2f}."
            raise LimitReached(message, "mostCost", most.cost)


class LoopDetected(Unsupported):
    """The agent repeats itself; the run only continues with another message from the person."""

    def __init__(self) -> None:
        super().__init__("The model keeps repeating itself.", hint="Tell it how to continue.")


def count_repetitions(turns: Sequence[Turn]) -> int:
    """How often the last call was made with the same result since the person's last message."""
    outcomes: Counter[tuple[str, str, str]] = Counter()
    calls: dict[str, tuple[str, str]] = {}
    last: tuple[str, str, str] | None = None
    for turn in turns:
        if isinstance(turn, AssistantTurn):
            calls |= {use.execution_id: (use.name, use.arguments) for use in turn.uses}
        elif isinstance(turn, ToolResult) and turn.execution_id in calls:
            last = (*calls[turn.execution_id], turn.text)
            outcomes[last] += 1
        elif isinstance(turn, UserTurn):
            outcomes.clear()
            last = None
    return outcomes[last] if last is not None else 0


def check_auto_fix(turns: Sequence[Turn], use: ToolUse, most: int) -> ToolResult | None:
    """The refusal of a write that is one automatic fix too many since the person's last message; None if it may run."""
    path = _path(use)
    if path is None or use.name not in _WRITES or _is_dry_run(use) or _failed_checks(turns)[path] < most + 1:
        return None
    message = f"The check of {path} still fails, and you have fixed it {most} times without asking: ask the person."
    return ToolResult(use.id, use.execution_id, use.name, message, is_error=True)


def _failed_checks(turns: Sequence[Turn]) -> Counter[str]:
    """How often a check of each file failed after a write to it."""
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
            if use.name in _WRITES and not _is_dry_run(use):
                written.add(path)
            elif use.name in _CHECKS and path in written and any(sign in turn.text for sign in _FAILURE_SIGNS):
                failed[path] += 1
                written.discard(path)
    return failed


def _path(use: ToolUse) -> str | None:
    arguments = _arguments(use)
    path = arguments.get("path", arguments.get("scenePath"))
    return normpath(path) if isinstance(path, str) else None


def _is_dry_run(use: ToolUse) -> bool:
    dry = _arguments(use).get("dryRun")
    return dry is not False if use.name == "write_to_file" else dry is True


def _arguments(use: ToolUse) -> dict[str, Any]:
    try:
        arguments = json.loads(use.arguments or "{}")
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}
