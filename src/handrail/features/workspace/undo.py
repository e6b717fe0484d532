"""What undoes changes: of one execution or of a whole task, the newest first. Later changes by others stay."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from handrail.features.workspace.change import FOLDER, Change, FolderChange, LinkChange, Move, Step, content_hash, look
from handrail.features.workspace.intent import intent_step
from handrail.features.workspace.snapshots import Snapshot
from handrail.features.workspace.states import States
from handrail.features.workspace.workspace import Workspace
from handrail.ports.errors import Failure, NotFound

_CHANGED_SINCE = "it was changed after that; undoing would lose the later change"
_NOT_AS_ALLOWED = "it isn't as the client was allowed to leave it; undoing could lose another change"


class Refused(msgspec.Struct, frozen=True, rename="camel"):
    """What can't be undone without losing something else."""

    path: str
    snapshot_id: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


@dataclass
class UndoPlan:
    steps: list[Step] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)


def standing(workspace: Workspace) -> Iterable[Snapshot]:
    """Changes that are neither an undo nor undone, the newest first."""
    undone: set[str | None] = set()
    for snapshot in workspace.snapshots.newest_first():
        if snapshot.undoes is not None:
            undone.add(snapshot.undoes)
        elif snapshot.id not in undone:
            yield snapshot


def plan_undo(workspace: Workspace, snapshots: Iterable[Snapshot]) -> UndoPlan:
    """`snapshots` come newest first. Each is undone only if what it left is still there, or comes back on the way."""
    plan, states = UndoPlan(), States(workspace)
    contents: dict[str, bytes | None] = {}
    for snapshot in snapshots:
        try:
            step = _inverse(workspace, snapshot, states, contents)
        except Failure as failure:
            plan.refused.append(Refused(snapshot.path, snapshot.id, failure.message))
            states.set(snapshot.path, "refused")
            continue
        if step is None and is_never_made(workspace, snapshot, states):
            continue
        if step is None:
            why = _NOT_AS_ALLOWED if snapshot.is_by_client else _CHANGED_SINCE
            plan.refused.append(Refused(snapshot.moved_to or snapshot.path, snapshot.id, why))
            states.set(snapshot.path, "refused")  # what was done to it before can't be undone either
            continue
        plan.steps.append(step)
        states.do(intent_step(step, snapshot.id))
        if isinstance(step, Change):
            contents[step.path] = step.after
        elif isinstance(step, LinkChange):
            contents[step.path] = None if step.after is None else step.after.encode()
        elif isinstance(step, Move):
            _move_contents(contents, step)
    return plan


def is_never_made(workspace: Workspace, snapshot: Snapshot, states: States) -> bool:
    """A change that a client was allowed to make itself, while the file is as it was before."""
    if not snapshot.is_by_client:
        return False
    before = None if snapshot.was_absent else workspace.snapshots.read(snapshot.id)[1]
    return states.is_at(snapshot.path, content_hash(before))


def _inverse(
    workspace: Workspace, snapshot: Snapshot, states: States, contents: dict[str, bytes | None]
) -> Step | None:
    """None if what it left is no longer there."""
    if snapshot.after_hash is None:
        raise NotFound("what the write left isn't known")
    path = snapshot.path
    workspace.files.parse(path)
    if snapshot.kind == "move":
        assert snapshot.moved_to is not None
        move = Move(snapshot.moved_to, path, snapshot.after_hash, snapshot.id)
        return move if states.is_before(intent_step(move, snapshot.id)) else None
    if snapshot.kind == "folder":
        change = FolderChange(path, snapshot.after_hash != FOLDER, snapshot.before_mode, snapshot.id)
        is_possible = states.is_before(intent_step(change, snapshot.id)) and (change.is_made or states.is_free(path))
        return change if is_possible else None
    mode = "" if snapshot.after_mode is None else f":{snapshot.after_mode:o}"
    is_absent = snapshot.after_hash == content_hash(None)
    left = snapshot.after_hash + ("" if is_absent else mode)
    if not states.is_at(path, left):
        return None
    place = states.on_disk(path)
    if snapshot.kind == "link":
        return _link_inverse(workspace, snapshot, place, contents)
    current = contents[path] if path in contents else None if place is None else look(workspace, place)[1]
    before = None if snapshot.was_absent else workspace.snapshots.read(snapshot.id)[1]
    return Change(
        path,
        current,
        before,
        undoes=snapshot.id,
        before_mode=None if is_absent else snapshot.after_mode,
        after_mode=snapshot.before_mode,
    )


def _link_inverse(
    workspace: Workspace, snapshot: Snapshot, place: str | None, contents: dict[str, bytes | None]
) -> LinkChange:
    """`contents` has where a link leads that an earlier step of the plan leaves."""
    path = snapshot.path
    current: str | None = None
    if path in contents:
        left = contents[path]
        current = None if left is None else left.decode()
    elif place is not None and workspace.files.status(place) is not None:
        current = workspace.files.link_target(place)
    before = None if snapshot.was_absent else workspace.snapshots.read(snapshot.id)[1].decode()
    return LinkChange(path, current, before, snapshot.id)


def _move_contents(contents: dict[str, bytes | None], move: Move) -> None:
    for path in [known for known in contents if known == move.path or known.startswith(move.path + "/")]:
        contents[move.to + path[len(move.path) :]] = contents.pop(path)
