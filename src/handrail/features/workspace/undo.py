"""Plans how to undo changes, newest first. Later changes by others stay."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from handrail.features.workspace.change import (
    FOLDER,
    Change,
    FolderChange,
    LinkChange,
    Move,
    Step,
    content_hash,
    read_current,
)
from handrail.features.workspace.intent import intent_step
from handrail.features.workspace.path_states import PathStates, is_below
from handrail.features.workspace.snapshots import Snapshot
from handrail.features.workspace.workspace import Workspace
from handrail.ports.errors import Failure, NotFound

_CHANGED_SINCE = "it was changed after that; undoing would lose the later change"
_NOT_AS_ALLOWED = "it differs from what the client was allowed to write; undoing could lose another change"


class RefusedUndo(msgspec.Struct, frozen=True, rename="camel"):
    """A change that can't be undone without losing something else."""

    path: str
    snapshot_id: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


@dataclass
class UndoPlan:
    steps: list[Step] = field(default_factory=list)
    refused: list[RefusedUndo] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ChangeHistory:
    """A change, its undo, the undo of that, and so on."""

    snapshots: list[Snapshot]

    @property
    def change(self) -> Snapshot:
        return self.snapshots[0]

    @property
    def last(self) -> Snapshot:
        return self.snapshots[-1]

    @property
    def stands(self) -> bool:
        return len(self.snapshots) % 2 == 1

    def stood_at(self, timestamp: float) -> bool:
        return sum(snapshot.timestamp <= timestamp for snapshot in self.snapshots) % 2 == 1


def change_histories(workspace: Workspace) -> list[ChangeHistory]:
    """Returns the history of each change, those that were changed last first."""
    histories, containing = dict[str, ChangeHistory](), dict[str, ChangeHistory]()
    for snapshot in reversed([*workspace.snapshots.newest_first()]):
        if snapshot.undoes is None:
            history = ChangeHistory([snapshot])
        elif snapshot.undoes in containing:
            history = containing[snapshot.undoes]
            history.snapshots.append(snapshot)
        else:  # the change that it undid is no longer kept
            continue
        containing[snapshot.id] = history
        histories.pop(history.change.id, None)
        histories[history.change.id] = history
    return [*reversed(histories.values())]


def standing_changes(workspace: Workspace) -> list[Snapshot]:
    """Returns changes that are not undone, newest first. One that was made again is the redo."""
    return [history.last for history in change_histories(workspace) if history.stands]


def undone_by(workspace: Workspace) -> dict[str, str]:
    """The ids of changes that are undone now, each with the id of its undo. An undo can be undone as well."""
    undos = dict[str, str]()
    for snapshot in workspace.snapshots.newest_first():
        if snapshot.undoes is not None and snapshot.id not in undos:
            undos.setdefault(snapshot.undoes, snapshot.id)
    return undos


def plan_undo(workspace: Workspace, snapshots: Iterable[Snapshot]) -> UndoPlan:
    """Plans to undo the snapshots, which come newest first.

    Each is undone only if its result is still there, or is restored by the steps before it.
    """
    plan, states = UndoPlan(), PathStates(workspace)
    contents: dict[str, bytes | None] = {}
    for snapshot in snapshots:
        try:
            step = _inverse_step(workspace, snapshot, states, contents)
        except Failure as failure:
            plan.refused.append(RefusedUndo(snapshot.path, snapshot.id, failure.message))
            states.set(snapshot.path, "refused")
            continue
        if step is None and was_never_made(workspace, snapshot, states):
            continue
        if step is None:
            why = _NOT_AS_ALLOWED if snapshot.is_by_client else _CHANGED_SINCE
            plan.refused.append(RefusedUndo(snapshot.moved_to or snapshot.path, snapshot.id, why))
            states.set(snapshot.path, "refused")  # earlier changes to it can't be undone either
            continue
        plan.steps.append(step)
        states.apply(intent_step(step, snapshot.id))
        if isinstance(step, Change):
            contents[step.path] = step.after
        elif isinstance(step, LinkChange):
            contents[step.path] = None if step.after is None else step.after.encode()
        elif isinstance(step, Move):
            _move_contents(contents, step)
    return plan


def was_never_made(workspace: Workspace, snapshot: Snapshot, states: PathStates) -> bool:
    """Returns whether a client was allowed to make the change itself but the file is still as it was."""
    if not snapshot.is_by_client:
        return False
    before = None if snapshot.was_absent else workspace.snapshots.read(snapshot.id)[1]
    return states.is_at(snapshot.path, content_hash(before))


def _inverse_step(
    workspace: Workspace, snapshot: Snapshot, states: PathStates, contents: dict[str, bytes | None]
) -> Step | None:
    """Returns None if the change's result is no longer there."""
    if snapshot.after_hash is None:
        raise NotFound("the result of the write isn't known")
    path = snapshot.path
    workspace.files.parse(path)
    if states.is_below_file(path):
        return None
    if snapshot.kind == "move":
        assert snapshot.moved_to is not None
        move = Move(snapshot.moved_to, path, snapshot.after_hash, snapshot.id)
        return move if states.is_before(intent_step(move, snapshot.id)) else None
    if snapshot.kind == "folder":
        change = FolderChange(path, snapshot.after_hash != FOLDER, snapshot.before_mode, snapshot.id)
        is_possible = states.is_before(intent_step(change, snapshot.id)) and (change.is_made or states.is_empty(path))
        return change if is_possible else None
    mode = "" if snapshot.after_mode is None else f":{snapshot.after_mode:o}"
    is_absent = snapshot.after_hash == content_hash(None)
    state = snapshot.after_hash + ("" if is_absent else mode)
    if not states.is_at(path, state):
        return None
    present_path = states.on_disk(path)
    if snapshot.kind == "link":
        return _inverse_link(workspace, snapshot, present_path, contents)
    if path in contents:
        current = contents[path]
    else:  # a folder may still be on disk where the steps before leave nothing
        current = None if present_path is None or is_absent else read_current(workspace, present_path)[1]
    before = None if snapshot.was_absent else workspace.snapshots.read(snapshot.id)[1]
    return Change(
        path,
        current,
        before,
        undoes=snapshot.id,
        before_mode=None if is_absent else snapshot.after_mode,
        after_mode=snapshot.before_mode,
    )


def _inverse_link(
    workspace: Workspace, snapshot: Snapshot, present_path: str | None, contents: dict[str, bytes | None]
) -> LinkChange:
    """`contents` has the link's target where an earlier step of the plan sets it."""
    path = snapshot.path
    current: str | None = None
    if path in contents:
        target = contents[path]
        current = None if target is None else target.decode()
    elif present_path is not None and workspace.files.status(present_path) is not None:
        current = workspace.files.link_target(present_path)
    before = None if snapshot.was_absent else workspace.snapshots.read(snapshot.id)[1].decode()
    return LinkChange(path, current, before, snapshot.id)


def _move_contents(contents: dict[str, bytes | None], move: Move) -> None:
    for path in [each for each in contents if is_below(each, move.to)]:
        del contents[path]
    for path in [each for each in contents if is_below(each, move.path)]:
        contents[move.to + path[len(move.path) :]] = contents.pop(path)
