"""Plans the steps that take an agent's changes into the project, with the person's choices for hunks and conflicts."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from handrail.features.review.decisions import Decision
from handrail.features.review.item import FileChange
from handrail.features.review.merge import MINE, THEIRS
from handrail.features.workspace.offers import Change, LinkChange, Step
from handrail.ports.errors import InvalidParams

ALL = None
"""As `hunks`: the whole file with its mode."""


@dataclass
class Plan:
    steps: list[Step] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """Paths that can't be taken, each with the reason."""
    decisions: dict[str, Decision] = field(default_factory=dict)
    """Decisions that are stored once the plan is carried out."""
    paths: list[str] = field(default_factory=list)
    """What is taken, as the review lists it: without the folders that are made on the way."""


@dataclass(frozen=True, slots=True)
class FileChoice:
    """What a person takes from a file, and how its conflicts are resolved.

    `theirs`: the conflicting hunks that replace the person's edits (any number, for a file without hunks). `content`:
    the whole file as the person has edited it. `is_settled`: the file's other changes aren't shown again.
    """

    hunks: Collection[int] | None = ALL
    theirs: Collection[int] = ()
    content: bytes | None = None
    is_settled: bool = False


def steps_of(change: FileChange, choice: FileChoice) -> list[Step]:
    """The steps for one file; empty if nothing can be taken. Raises InvalidParams if conflict marks are left."""
    if change.is_link:
        return _link_steps(change, choice)
    step = _file_step(change, choice)
    return [] if step is None else [step]


def _link_steps(change: FileChange, choice: FileChoice) -> list[Step]:
    """The steps for a link. If a file becomes a link or a link a file, the old one is removed first."""
    if choice.content is not None:
        raise InvalidParams(f"{change.path} is a link; take it or leave it.", path=change.path)
    if (change.conflict is not None and not choice.theirs) or choice.hunks == []:
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


def _file_step(change: FileChange, choice: FileChoice) -> Step | None:
    if choice.content is not None:
        if any(line in (MINE, THEIRS) for line in choice.content.split(b"\n")):
            raise InvalidParams(f"{change.path} still has conflict marks.", hint="Remove them.", path=change.path)
        return None if choice.content == change.project else Change(change.path, change.project, choice.content)
    if change.merge is not None and change.base_is_known:
        return _merge_step(change, choice)
    if (change.conflict is not None and not choice.theirs) or choice.hunks == []:
        return None
    if change.agents is None:
        return _removal(change)
    mode = change.new_mode
    before_mode = change.project_mode if mode is not None and change.project is not None else None
    return Change(change.path, change.project, change.agents, before_mode=before_mode, after_mode=mode)


def _merge_step(change: FileChange, choice: FileChoice) -> Step | None:
    assert change.merge is not None
    is_whole = choice.hunks is ALL and change.conflict is None
    chosen = set(range(len(change.merge.hunks)) if choice.hunks is None else choice.hunks)
    result = change.merge.result(chosen, choice.theirs)
    mode = change.new_mode if is_whole else None
    if result == change.project and mode is None:
        return None
    before_mode = change.project_mode if mode is not None else None
    return Change(change.path, change.project, result, before_mode=before_mode, after_mode=mode)


def plan_of_commit(changes: Sequence[FileChange], why_closed: Callable[[str], str | None]) -> Plan:
    """A plan with all changes of a commit that can be merged; the others are skipped."""
    plan = Plan()
    for change in changes:
        why = change.refused or why_closed(change.path) or change.conflict
        if why is not None:
            plan.skipped.append(f"{change.path}: {why}")
        elif not change.is_taken:
            plan.steps += steps_of(change, FileChoice())
    return plan
