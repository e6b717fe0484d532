"""What the tools share that move, copy, make and remove paths: where they act, what is shown, what they answer."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.workspace.change import (
    ABSENT,
    FOLDER,
    Change,
    FolderChange,
    Move,
    Step,
    file_name,
    inside,
    read_only_facts,
    states_of,
    with_parents,
)
from handrail.features.workspace.commit import commit_all
from handrail.features.workspace.unit import preview_of_unit
from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.target import Step as TargetStep
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, Preview
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, TooLarge

_MOST_TOLD = 200
_MOST_PATHS = 10_000
_MOST_BYTES = 128 * 1024 * 1024


class Changed(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    change: Literal["created", "changed", "removed", "moved"]
    kind: Literal["file", "folder"]
    to: str | UnsetType = UNSET
    snapshot_id: str | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """`more` changes are not listed."""

    applied: bool
    changes: list[Changed]
    more: int | UnsetType = UNSET


class ActParams(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """What all of them take."""

    path: str
    dry_run: bool = False


class FromTo(ActParams, frozen=True, kw_only=True):
    """Of those that lead from one path to another."""

    to: str


def effect(params: ActParams) -> Effect:
    return Effect.READ if params.dry_run else Effect.WRITE


def below(workspace: Workspace, path: str) -> list[str]:
    """The path itself and, of a folder, everything in it. TooLarge."""
    name = file_name(path)
    found = workspace.files.status(name)
    if found is None or found.kind != "folder":
        return [name]
    held = inside(workspace, name)
    if len(held) > _MOST_PATHS:
        raise TooLarge(
            f"{name} holds {len(held)} files and folders; at most {_MOST_PATHS} can be handled at once.",
            hint="Name the folders in it one by one.",
            path=name,
            limit=_MOST_PATHS,
        )
    return [name, *held]


def target_of(effects: Iterable[tuple[Effect, str]]) -> Target:
    """Where no single path names it all, the strictest rule about any of them counts."""
    return Target(steps=tuple(TargetStep(effect, Target(path=path)) for effect, path in effects))


def check_located(call: Call, steps: Sequence[Step]) -> None:
    """The policy has decided about the paths that were found first; a new one among them is a conflict."""
    for step in steps:
        path = step.path
        if path not in call.located and not (isinstance(step, FolderChange) and step.is_made):
            raise Conflict(f"{path} has appeared meanwhile.", hint="Repeat the call.", path=path)


def check_size(workspace: Workspace, paths: Iterable[str]) -> None:
    """What undo brings back is kept beside the project, and is read as a whole before."""
    total = sum(found.size for path in paths if (found := workspace.files.status(path)) and found.kind == "file")
    if total > _MOST_BYTES:
        raise TooLarge(
            f"That is {total} bytes; at most {_MOST_BYTES} can be handled at once, because undo keeps them.",
            hint="Do it in parts.",
            limit=_MOST_BYTES,
        )


def planned(workspace: Workspace, steps: Sequence[Step], summary: str, about: CallSubject) -> Preview:
    shown = preview_of_unit(with_parents(workspace, steps), summary)
    return replace(shown, about=replace(about, can_undo=True), facts=read_only_facts(workspace, steps))


async def done(workspace: Workspace, call: Call, preview: Preview) -> Result:
    steps: Sequence[Step] = preview.state
    kept = await in_thread(call, lambda: commit_all(workspace, call, steps), is_final=True)
    return answer(steps, [snapshot.id for snapshot in kept])


def dry_run(workspace: Workspace, steps: Sequence[Step]) -> Result:
    return answer(with_parents(workspace, steps), None)


def answer(steps: Sequence[Step], snapshot_ids: Sequence[str] | None) -> Result:
    """Without ids, what would be done."""
    told = [
        _told(step, UNSET if snapshot_ids is None else snapshot_ids[at]) for at, step in enumerate(steps[:_MOST_TOLD])
    ]
    return Result(snapshot_ids is not None, told, len(steps) - len(told) or UNSET)


def _told(step: Step, snapshot_id: str | UnsetType) -> Changed:
    before, after = states_of(step)
    if isinstance(step, Move):
        kind: Literal["file", "folder"] = "folder" if before == FOLDER else "file"
        return Changed(step.path, "moved", kind, step.to, snapshot_id)
    change: Literal["created", "changed", "removed"] = "changed"
    if ABSENT in (before, after):
        change = "created" if before == ABSENT else "removed"
    return Changed(step.path, change, "file" if isinstance(step, Change) else "folder", UNSET, snapshot_id)


def files_of(steps: Sequence[Step]) -> int:
    return sum(isinstance(step, Change) for step in steps)
