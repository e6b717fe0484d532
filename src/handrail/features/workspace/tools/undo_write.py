"""undo_write: undoes one change, or all changes of an execution, a task, a file or a period."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.workspace.change import Change, FolderChange, LinkChange, Move, Step, file_name
from handrail.features.workspace.commit import commit_all
from handrail.features.workspace.path_states import PathStates
from handrail.features.workspace.snapshots import ID_PATTERN, Snapshot
from handrail.features.workspace.undo import (
    RefusedUndo,
    UndoPlan,
    change_histories,
    plan_undo,
    standing_changes,
    undone_by,
    was_never_made,
)
from handrail.features.workspace.unit_preview import preview_unit
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


class UndoneChange(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    undone: str
    snapshot_id: str
    removed: bool | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """Describes the newest change; `others` are undone with it, and `refused` are not."""

    path: str
    undone: str
    snapshot_id: str
    removed: bool | UnsetType = UNSET
    others: list[UndoneChange] | UnsetType = UNSET
    refused: list[RefusedUndo] | UnsetType = UNSET
    incomplete: list[str] | UnsetType = UNSET
    """Files whose older changes are no longer kept, so their content at that time isn't known."""


async def undo_write(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Undo a change: the file gets its previous content, or is removed if the change created it; a moved or deleted
    file comes back. Without an id, the newest change; with an execution id, everything it changed; with a task,
    everything its calls changed; with a path, all changes to that file, or the task's; with `to`, everything changed
    after that point in time. What others have changed since stays and is listed.
    """
    assert preview is not None
    plan: UndoPlan = preview.state
    snapshots = await in_thread(call, lambda: commit_all(workspace, call, plan.steps), is_final=True)
    first, *others = [_describe(step, snapshot) for step, snapshot in zip(plan.steps, snapshots, strict=True)]
    refused, incomplete = list(plan.refused), list(plan.incomplete)
    return Result(
        *(first.path, first.undone, first.snapshot_id, first.removed),
        *(others or UNSET, refused or UNSET, incomplete or UNSET),
    )


async def preview(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    return await in_thread(call, lambda: _plan(workspace, params))


def _plan(workspace: Workspace, params: Params) -> Preview:
    selection = _select(workspace, params)
    plan = plan_undo(workspace, selection)
    if not plan.steps and not plan.refused:
        raise NotFound("Nothing to undo: the client didn't make this change.")
    if not plan.steps:
        refused, undos = plan.refused[0], undone_by(workspace)
        if all(snapshot.id in undos for snapshot in selection):
            raise Conflict(
                f"{refused.path}: this change is already undone.",
                hint=f"`handrail undo {undos[refused.snapshot_id]}` makes it again.",
                path=refused.path,
            )
        raise Conflict(
            f"{refused.path}: {refused.why}.",
            hint="`handrail history` lists the writes; undo the later ones first.",
            path=refused.path,
            refused=msgspec.to_builtins(plan.refused),
        )
    if params.to is not None:
        plan.incomplete = _incomplete_paths(workspace, selection, parse_time(params.to))
    plan_preview = preview_unit(plan.steps, _summary(plan, params), map(str, plan.refused))
    warnings = [f"# {path}: older changes are no longer kept; it may have been different\n" for path in plan.incomplete]
    plan_preview = replace(plan_preview, diff="".join((*warnings, plan_preview.diff or "")))
    executions = {snapshot.execution_id for snapshot in selection}
    return replace(plan_preview, state=plan, undoes=executions.pop() if len(executions) == 1 else None)


def _summary(plan: UndoPlan, params: Params) -> str:
    if len(plan.steps) > 1:
        task_text = f" of task {quoted_line(params.task)}" if params.task else ""
        since = f" since {parse_time(params.to):%Y-%m-%d %H:%M:%S %Z}" if params.to else ""
        return f"Undo {len(plan.steps)} changes{task_text}{since}"
    step = plan.steps[0]
    verb = "Remove" if isinstance(step, Change | LinkChange) and step.after is None else "Restore"
    return f"{verb} {quoted_line(step.path)} (undo {step.undoes})"


def _select(workspace: Workspace, params: Params) -> list[Snapshot]:
    """Returns the snapshots to undo, newest first."""
    if params.task is not None or params.path is not None or params.to is not None:
        if params.id is not None:
            raise InvalidParams("Give either an id, or a task, a path and a time.")
        path = None if params.path is None else file_name(params.path)
        return _select_matching(workspace, params.task, path, None if params.to is None else parse_time(params.to))
    if params.id is None:
        states, changes = PathStates(workspace), standing_changes(workspace)
        newest = next((each for each in changes if not was_never_made(workspace, each, states)), None)
        if newest is None:
            raise NotFound("Nothing to undo.")
        return [snapshot for snapshot in changes if _is_same_execution(snapshot, newest)]
    if params.id.startswith("exec_"):
        return _of_execution(workspace, params.id)
    if not ID_PATTERN.fullmatch(params.id):
        raise InvalidParams(
            f"{params.id!r} is neither a snapshot id nor an execution id.", hint="See `handrail history`."
        )
    return [workspace.snapshots.read(params.id)[0]]


def parse_time(time: str) -> datetime:
    """Parses a time with its zone. Raises InvalidParams."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidParams(f"{time!r} is not a time such as 2026-01-02T03:04:05+00:00.")
    return moment


def _select_matching(workspace: Workspace, task: str | None, path: str | None, to: datetime | None) -> list[Snapshot]:
    after = 0.0 if to is None else to.timestamp() * 1000
    matching = [  # with a time, changes that were undone after it are made again
        history.last
        for history in change_histories(workspace)
        if task in (None, history.change.task)
        and path in (None, history.change.path, history.change.moved_to)
        and history.stands != history.stood_at(after)
    ]
    if not matching:
        to_path = "" if path is None else f" to {path}"
        by_task = "" if task is None else f" by task {task!r}"
        since = "" if to is None else f" since {to:%Y-%m-%d %H:%M:%S %Z}"
        message = f"There are no changes{to_path}{by_task}{since} to undo."
        raise NotFound(message, hint="`handrail history` lists changes.")
    return matching


def _incomplete_paths(workspace: Workspace, selection: Sequence[Snapshot], to: datetime) -> list[str]:
    """Returns files whose kept snapshots are all from after that time: older ones may have been dropped."""
    keep = workspace.policy().limits.snapshot_retention
    kept = dict[str, list[float]]()
    for snapshot in workspace.snapshots.newest_first():
        kept.setdefault(snapshot.path, []).append(snapshot.timestamp)
    after = to.timestamp() * 1000
    paths = dict.fromkeys(snapshot.path for snapshot in selection)
    return [path for path in paths if 0 < keep <= len(kept[path]) and min(kept[path]) > after]


def _of_execution(workspace: Workspace, execution_id: str) -> list[Snapshot]:
    """Returns the changes that are not undone; if there are none, all of them, so that the errors explain why."""
    standing = [history for history in change_histories(workspace) if history.stands]
    snapshots = [each.last for each in standing if execution_id in (each.change.execution_id, each.last.execution_id)]
    snapshots = snapshots or [
        snapshot for snapshot in workspace.snapshots.newest_first() if snapshot.execution_id == execution_id
    ]
    if not snapshots:
        raise NotFound(f"No snapshot is kept of {execution_id}.", hint="`handrail history` lists the writes.")
    return snapshots


def _is_same_execution(snapshot: Snapshot, newest: Snapshot) -> bool:
    return snapshot.id == newest.id or (snapshot.execution_id or "") == newest.execution_id


def _describe(step: Step, snapshot: Snapshot) -> UndoneChange:
    assert step.undoes is not None
    path = step.to if isinstance(step, Move) else step.path
    return UndoneChange(path, step.undoes, snapshot.id, True if _removes(step) else UNSET)


def _removes(step: Step) -> bool:
    if isinstance(step, FolderChange):
        return not step.is_made
    return isinstance(step, Change | LinkChange) and step.after is None


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
