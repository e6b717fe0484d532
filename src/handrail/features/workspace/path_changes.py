"""What move_path, copy_path, make_folder and delete_path share: parameters, results, checks and the commit."""

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
    read_only_facts,
    states_of,
)
from handrail.features.workspace.commit import commit_all
from handrail.features.workspace.plans import add_parent_folders, folder_contents
from handrail.features.workspace.unit_preview import preview_unit
from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.target import Step as TargetStep
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, Preview
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, TooLarge

_MOST_LISTED = 200
_MOST_PATHS = 10_000
_MOST_BYTES = 128 * 1024 * 1024


class Changed(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    change: Literal["created", "changed", "removed", "moved"]
    kind: Literal["file", "folder"]
    to: str | UnsetType = UNSET
    snapshot_id: str | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """What was changed, or would be in a dry run. `more` counts the changes that are not listed."""

    applied: bool
    changes: list[Changed]
    more: int | UnsetType = UNSET


class PathParams(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """Parameters that all of these tools take."""

    path: str
    dry_run: bool = False


class SourceParams(PathParams, frozen=True, kw_only=True):
    """Parameters of the tools that lead from one path (`path`) to another (`to`)."""

    to: str


def effect(params: PathParams) -> Effect:
    return Effect.READ if params.dry_run else Effect.WRITE


def tree_paths(workspace: Workspace, path: str) -> list[str]:
    """Returns the path itself and, if it is a folder, everything in it. Raises TooLarge."""
    name = file_name(path)
    status = workspace.files.status(name)
    if status is None or status.kind != "folder":
        return [name]
    contents = folder_contents(workspace, name)
    if len(contents) > _MOST_PATHS:
        raise TooLarge(
            f"{name} contains {len(contents)} files and folders; at most {_MOST_PATHS} can be handled at once.",
            hint="Handle the folders in it one by one.",
            path=name,
            limit=_MOST_PATHS,
        )
    return [name, *contents]


def combined_target(effects: Iterable[tuple[Effect, str]]) -> Target:
    """Returns a target with several paths: the strictest rule for any of them applies."""
    return Target(steps=tuple(TargetStep(effect, Target(path=path)) for effect, path in effects))


def check_located(call: Call, steps: Sequence[Step]) -> None:
    """Raises Conflict if a step has a path that the policy didn't decide about because it is new."""
    for step in steps:
        path = step.path
        if path not in call.located and not (isinstance(step, FolderChange) and step.is_made):
            raise Conflict(f"{path} was created during the call.", hint="Repeat the call.", path=path)


def check_size(workspace: Workspace, paths: Iterable[str]) -> None:
    """Raises TooLarge if the files are too large to be kept for undo and read into memory."""
    total = sum(status.size for path in paths if (status := workspace.files.status(path)) and status.kind == "file")
    if total > _MOST_BYTES:
        raise TooLarge(
            f"That is {total} bytes; at most {_MOST_BYTES} can be handled at once, because undo keeps them.",
            hint="Do it in parts.",
            limit=_MOST_BYTES,
        )


def make_preview(workspace: Workspace, steps: Sequence[Step], summary: str, about: CallSubject) -> Preview:
    preview = preview_unit(add_parent_folders(workspace, steps), summary)
    return replace(preview, about=replace(about, can_undo=True), facts=read_only_facts(workspace, steps))


async def apply_preview(workspace: Workspace, call: Call, preview: Preview) -> Result:
    steps: Sequence[Step] = preview.state
    snapshots = await in_thread(call, lambda: commit_all(workspace, call, steps), is_final=True)
    return make_result(steps, [snapshot.id for snapshot in snapshots])


def dry_run_result(workspace: Workspace, steps: Sequence[Step]) -> Result:
    return make_result(add_parent_folders(workspace, steps), None)


def make_result(steps: Sequence[Step], snapshot_ids: Sequence[str] | None) -> Result:
    """Describes the steps. Without snapshot ids they are a dry run's."""
    changes = [
        _describe_step(step, UNSET if snapshot_ids is None else snapshot_ids[at])
        for at, step in enumerate(steps[:_MOST_LISTED])
    ]
    return Result(snapshot_ids is not None, changes, len(steps) - len(changes) or UNSET)


def _describe_step(step: Step, snapshot_id: str | UnsetType) -> Changed:
    before, after = states_of(step)
    if isinstance(step, Move):
        kind: Literal["file", "folder"] = "folder" if before == FOLDER else "file"
        return Changed(step.path, "moved", kind, step.to, snapshot_id)
    change: Literal["created", "changed", "removed"] = "changed"
    if ABSENT in (before, after):
        change = "created" if before == ABSENT else "removed"
    return Changed(step.path, change, "file" if isinstance(step, Change) else "folder", UNSET, snapshot_id)


def count_files(steps: Sequence[Step]) -> int:
    return sum(isinstance(step, Change) for step in steps)
