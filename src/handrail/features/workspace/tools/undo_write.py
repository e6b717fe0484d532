"""Undo: reverts one change, or all changes of an execution or a task, and touches nothing else."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.workspace.change import Change, LinkChange, Move, Step, file_name
from handrail.features.workspace.commit import commit_all
from handrail.features.workspace.snapshots import ID_PATTERN, Snapshot
from handrail.features.workspace.states import States
from handrail.features.workspace.undo import Refused, UndoPlan, is_never_made, plan_undo, standing
from handrail.features.workspace.unit import preview_of_unit
from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, InvalidParams, NotFound


class Params(msgspec.Struct, frozen=True):
    id: str | None = None
    task: str | None = None
    path: str | None = None
    to: str | None = None


class Undone(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    undone: str
    snapshot_id: str
    removed: bool | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """Of the newest change; `others` are undone with it, and `refused` are not."""

    path: str
    undone: str
    snapshot_id: str
    removed: bool | UnsetType = UNSET
    others: list[Undone] | UnsetType = UNSET
    refused: list[Refused] | UnsetType = UNSET
    incomplete: list[str] | UnsetType = UNSET
    """Files whose older changes are no longer kept: how they were at that time isn't known."""


async def undo_write(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Undo a change: the file gets its previous content, or is removed if the change created it; a moved or deleted
    file comes back. Without an id, the newest change; with an execution id, everything it changed; with a task,
    everything its calls changed; with a path, all changes to that file, or the task's; with `to`, everything changed
    after that point in time. What others have changed since stays and is listed.
    """
    assert preview is not None
    plan: UndoPlan = preview.state
    done = await in_thread(call, lambda: commit_all(workspace, call, plan.steps), is_final=True)
    first, *others = [_undone(step, snapshot) for step, snapshot in zip(plan.steps, done, strict=True)]
    refused, incomplete = list(plan.refused), list(plan.incomplete)
    return Result(
        *(first.path, first.undone, first.snapshot_id, first.removed),
        *(others or UNSET, refused or UNSET, incomplete or UNSET),
    )


async def preview(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    return await in_thread(call, lambda: _planned(workspace, params))


def _planned(workspace: Workspace, params: Params) -> Preview:
    chosen = _chosen(workspace, params)
    plan = plan_undo(workspace, chosen)
    if not plan.steps and not plan.refused:
        raise NotFound("There is nothing to undo: the client didn't make this change.")
    if not plan.steps:
        refused = plan.refused[0]
        raise Conflict(
            f"{refused.path}: {refused.why}.",
            hint="`handrail history` lists the writes; undo the later ones first.",
            path=refused.path,
            refused=msgspec.to_builtins(plan.refused),
        )
    if params.to is not None:
        plan.incomplete = _incomplete(workspace, chosen, moment_of(params.to))
    shown = preview_of_unit(plan.steps, _summary(plan, params), map(str, plan.refused))
    lost = [f"# {path}: older changes are no longer kept; it may have been different\n" for path in plan.incomplete]
    shown = replace(shown, diff="".join((*lost, shown.diff or "")))
    undone = {snapshot.execution_id for snapshot in chosen}
    return replace(shown, state=plan, undoes=undone.pop() if len(undone) == 1 else None)


def _summary(plan: UndoPlan, params: Params) -> str:
    if len(plan.steps) > 1:
        of = f" of task {quoted_line(params.task)}" if params.task else ""
        since = f" since {moment_of(params.to):%Y-%m-%d %H:%M:%S %Z}" if params.to else ""
        return f"Undo {len(plan.steps)} changes{of}{since}"
    step = plan.steps[0]
    verb = "Remove" if isinstance(step, Change | LinkChange) and step.after is None else "Restore"
    return f"{verb} {quoted_line(step.path)} (undo {step.undoes})"


def _chosen(workspace: Workspace, params: Params) -> list[Snapshot]:
    """Newest first."""
    if params.task is not None or params.path is not None or params.to is not None:
        if params.id is not None:
            raise InvalidParams("Give an id, or a task, a path and a time, not both.")
        path = None if params.path is None else file_name(params.path)
        return _wanted(workspace, params.task, path, None if params.to is None else moment_of(params.to))
    if params.id is None:
        states = States(workspace)
        changes = (each for each in standing(workspace) if not is_never_made(workspace, each, states))
        newest = next(changes, None)
        if newest is None:
            raise NotFound("There is no write to undo.")
        return [snapshot for snapshot in standing(workspace) if _is_same(snapshot, newest)]
    if params.id.startswith("exec_"):
        return _of_execution(workspace, params.id)
    if not ID_PATTERN.fullmatch(params.id):
        raise InvalidParams(
            f"{params.id!r} is neither a snapshot's nor an execution's id.", hint="See `handrail history`."
        )
    return [workspace.snapshots.read(params.id)[0]]


def moment_of(time: str) -> datetime:
    """A time with its zone. InvalidParams."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidParams(f"{time!r} is not a time such as 2026-01-02T03:04:05+00:00.")
    return moment


def _wanted(workspace: Workspace, task: str | None, path: str | None, to: datetime | None) -> list[Snapshot]:
    after = None if to is None else to.timestamp() * 1000
    found = [
        snapshot
        for snapshot in standing(workspace)
        if task in (None, snapshot.task)
        and path in (None, snapshot.path, snapshot.moved_to)
        and (after is None or snapshot.timestamp > after)
    ]
    if not found:
        of = " of ".join([*([] if path is None else [path]), *([] if task is None else [f"task {task!r}"])])
        since = "" if to is None else f" after {to:%Y-%m-%d %H:%M:%S %Z}"
        said = f"No change{' of ' if of else ''}{of}{since} is left to undo."
        raise NotFound(said, hint="`handrail history` lists the writes.")
    return found


def _incomplete(workspace: Workspace, chosen: Sequence[Snapshot], to: datetime) -> list[str]:
    """Files of which as many snapshots are kept as may be, all from after that time: older ones may be gone."""
    keep = workspace.policy().limits.snapshot_retention
    kept = dict[str, list[float]]()
    for snapshot in workspace.snapshots.newest_first():
        kept.setdefault(snapshot.path, []).append(snapshot.timestamp)
    after = to.timestamp() * 1000
    paths = dict.fromkeys(snapshot.path for snapshot in chosen)
    return [path for path in paths if 0 < keep <= len(kept[path]) and min(kept[path]) > after]


def _of_execution(workspace: Workspace, execution_id: str) -> list[Snapshot]:
    """Those that still stand; if none does, all of them, so that it is said what has become of them."""
    found = [snapshot for snapshot in workspace.snapshots.newest_first() if snapshot.execution_id == execution_id]
    left = {snapshot.id for snapshot in standing(workspace) if snapshot.execution_id == execution_id}
    found = [snapshot for snapshot in found if not left or snapshot.id in left]
    if not found:
        raise NotFound(f"No snapshot is kept of {execution_id}.", hint="`handrail history` lists the writes.")
    return found


def _is_same(snapshot: Snapshot, newest: Snapshot) -> bool:
    """They belong to one execution."""
    return snapshot.id == newest.id or (snapshot.execution_id or "") == newest.execution_id


def _undone(step: Step, snapshot: Snapshot) -> Undone:
    assert step.undoes is not None
    path = step.to if isinstance(step, Move) else step.path
    is_removed = isinstance(step, Change | LinkChange) and step.after is None
    return Undone(path, step.undoes, snapshot.id, True if is_removed else UNSET)


TOOL = Tool(
    name="undo_write",
    title="Undo a write",
    params=Params,
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {"type": ["string", "null"]} for name in ("id", "task", "path", "to")},
    },
    effect=Effect.WRITE,
    errors=(NotFound, Conflict, InvalidParams),
    is_for_agents=False,
    preview=preview,
    run=undo_write,
)
