"""What takes one file's change: a step for the workspace."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from handrail.features.review.item import FileChange
from handrail.features.workspace.offers import Change, Step

ALL = None
"""In a choice: the whole file with its mode, not single hunks."""


@dataclass
class Plan:
    steps: list[Step] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """What can't be taken, and why."""


def step_of(change: FileChange, hunks: Iterable[int] | None) -> Step | None:
    """None if nothing can be taken."""
    if change.merge is not None and change.base_is_known:
        return _merged(change, hunks)
    if change.conflict is not None:
        return None
    if change.agents is None:
        return Change(change.path, change.project, None, before_mode=change.project_mode)
    mode = change.new_mode
    before_mode = change.project_mode if mode is not None and change.project is not None else None
    return Change(change.path, change.project, change.agents, before_mode=before_mode, after_mode=mode)


def _merged(change: FileChange, hunks: Iterable[int] | None) -> Step | None:
    assert change.merge is not None
    is_whole = hunks is ALL and change.conflict is None
    chosen = set(range(len(change.merge.hunks)) if hunks is None else hunks)
    result = change.merge.result(chosen)
    mode = change.new_mode if is_whole else None
    if result == change.project and mode is None:
        return None
    before_mode = change.project_mode if mode is not None else None
    return Change(change.path, change.project, result, before_mode=before_mode, after_mode=mode)


def plan_of_commit(changes: Sequence[FileChange], why_closed: Callable[[str], str | None]) -> Plan:
    """All of a commit's changes that merge; the others are named."""
    plan = Plan()
    for change in changes:
        why = why_closed(change.path) or change.conflict
        if why is not None:
            plan.left.append(f"{change.path}: {why}")
        elif not change.is_taken and (step := step_of(change, ALL)) is not None:
            plan.steps.append(step)
    return plan
