"""What takes one file's change, conflicts resolved as a person said: a step for the workspace."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from handrail.features.review.decisions import Decision
from handrail.features.review.item import FileChange
from handrail.features.review.merge import MINE, THEIRS
from handrail.features.workspace.offers import Change, LinkChange, Step
from handrail.ports.errors import InvalidParams

ALL = None
"""In a choice: the whole file with its mode, not single hunks."""


@dataclass
class Plan:
    steps: list[Step] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """What can't be taken, and why."""
    decisions: dict[str, Decision] = field(default_factory=dict)
    """What isn't shown again once this is done."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Of a file: which hunks, and how its conflicts are resolved.

    `theirs` are conflicting hunks, by place, that replace the person's own edits (any number, for a file without
    hunks); `content` is the whole file as the person has edited it; with `is_settled`, what is left of the file's
    changes isn't shown again.
    """

    hunks: Collection[int] | None = ALL
    theirs: Collection[int] = ()
    content: bytes | None = None
    is_settled: bool = False


def steps_of(change: FileChange, wish: Wish) -> list[Step]:
    """Empty if nothing can be taken. InvalidParams where conflict marks are left."""
    if change.is_link:
        return _of_link(change, wish)
    step = _step_of(change, wish)
    return [] if step is None else [step]


def _of_link(change: FileChange, wish: Wish) -> list[Step]:
    """A file that becomes a link, or a link that becomes a file, is removed first."""
    if wish.content is not None:
        raise InvalidParams(f"{change.path} is a link; take it or leave it.", path=change.path)
    if (change.conflict is not None and not wish.theirs) or wish.hunks == []:
        return []
    before = change.project.decode() if change.links[1] and change.project is not None else None
    after = change.agents.decode() if change.links[2] and change.agents is not None else None
    steps: list[Step] = []
    if change.project is not None and not change.links[1]:
        steps.append(_removal(change))
    if before is not None or after is not None:
        steps.append(LinkChange(change.path, before, after))
    if change.agents is not None and not change.links[2]:
        steps.append(Change(change.path, None, change.agents))
    return steps


def _removal(change: FileChange) -> Change:
    return Change(change.path, change.project, None, before_mode=change.project_mode)


def _step_of(change: FileChange, wish: Wish) -> Step | None:
    if wish.content is not None:
        if any(line in (MINE, THEIRS) for line in wish.content.split(b"\n")):
            raise InvalidParams(f"{change.path} still has conflict marks.", hint="Remove them.", path=change.path)
        return None if wish.content == change.project else Change(change.path, change.project, wish.content)
    if change.merge is not None and change.base_is_known:
        return _merged(change, wish)
    if (change.conflict is not None and not wish.theirs) or wish.hunks == []:
        return None
    if change.agents is None:
        return _removal(change)
    mode = change.new_mode
    before_mode = change.project_mode if mode is not None and change.project is not None else None
    return Change(change.path, change.project, change.agents, before_mode=before_mode, after_mode=mode)


def _merged(change: FileChange, wish: Wish) -> Step | None:
    assert change.merge is not None
    is_whole = wish.hunks is ALL and change.conflict is None
    chosen = set(range(len(change.merge.hunks)) if wish.hunks is None else wish.hunks)
    result = change.merge.result(chosen, wish.theirs)
    mode = change.new_mode if is_whole else None
    if result == change.project and mode is None:
        return None
    before_mode = change.project_mode if mode is not None else None
    return Change(change.path, change.project, result, before_mode=before_mode, after_mode=mode)


def plan_of_commit(changes: Sequence[FileChange], why_closed: Callable[[str], str | None]) -> Plan:
    """All of a commit's changes that merge; the others are named."""
    plan = Plan()
    for change in changes:
        why = change.refused or why_closed(change.path) or change.conflict
        if why is not None:
            plan.left.append(f"{change.path}: {why}")
        elif not change.is_taken:
            plan.steps += steps_of(change, Wish())
    return plan
