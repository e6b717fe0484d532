"""Commits changes of the project's files: all of them, or none.

A commit survives a crash at any moment: an intent exists while it runs, and the next process that holds the lock
finishes or reverts what a dead process left.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import msgspec

from handrail.features.workspace.change import (
    ABSENT,
    FOLDER,
    Change,
    FolderChange,
    LinkChange,
    Move,
    Step,
    check_base,
    kind_of,
    replayed,
    state_now,
    states_of,
)
from handrail.features.workspace.idempotency import Written
from handrail.features.workspace.intent import FILE, Intent, IntentStep, intent_step, read_intent
from handrail.features.workspace.snapshots import Snapshot
from handrail.features.workspace.states import States
from handrail.features.workspace.workspace import AGENT_FOLDER, Workspace
from handrail.kernel.call import Call
from handrail.ports.errors import Conflict, Declined, Failure, InputOutput, NotFound

_STAGED = "staged"


def commit(workspace: Workspace, call: Call, change: Change) -> Snapshot | Written:
    """Does what was shown, or raises and changes nothing.

    Returns Written if another call with the same key was first.
    """
    with workspace.lock(on_wait=call.checkpoint):
        workspace.hide_from_git()
        recover(workspace)
        if (first := replayed(workspace, change.path, change.repetition)) is not None:
            return first
        check_base(change.path, states_of(change)[0], _state(workspace, change))
        call.checkpoint()
        if change.dry_run is not None and not workspace.dry_runs.holds(change.dry_run):
            raise Declined("The dry run was used by another write.", hint="Make a new dry run.", path=change.path)
        snapshot = _planned(workspace, call, change, 0)
        intent = Intent([intent_step(change, snapshot.id)], change.repetition, change.dry_run)
        workspace.own.write(FILE, msgspec.json.encode(intent), is_durable=False)
        with _reverting(workspace, intent):
            if change.dry_run is not None:
                workspace.dry_runs.use_up(change.dry_run)
            workspace.snapshots.store(snapshot, change.before)
            _apply(workspace, change, None)
        _finish(workspace, intent)
        return snapshot


def commit_all(workspace: Workspace, call: Call, steps: Sequence[Step]) -> list[Snapshot]:
    """Does all steps in their order as one unit, or raises and changes nothing."""
    if not steps:
        return []
    with workspace.lock(on_wait=call.checkpoint):
        workspace.hide_from_git()
        recover(workspace)
        snapshots = [_planned(workspace, call, step, order) for order, step in enumerate(steps)]
        planned = [intent_step(step, kept.id) for step, kept in zip(steps, snapshots, strict=True)]
        intent = Intent(planned, is_staged=True)
        _check_all(workspace, intent)
        call.checkpoint()
        workspace.own.write(FILE, msgspec.json.encode(intent), is_durable=False)
        with _reverting(workspace, intent):
            _stage(workspace, steps, snapshots)
            for order, step in enumerate(steps):
                _apply(workspace, step, order)
            workspace.files.sync()
        _finish(workspace, intent)
        return snapshots


def keep_before(workspace: Workspace, call: Call, changes: Sequence[Change]) -> None:
    """What undoes changes that a client is about to make itself."""
    with workspace.lock(on_wait=call.checkpoint):
        workspace.hide_from_git()
        recover(workspace)
        for order, change in enumerate(changes):
            snapshot = msgspec.structs.replace(_planned(workspace, call, change, order), is_by_client=True)
            workspace.snapshots.store(snapshot, change.before)
        workspace.snapshots.retain({each.path for each in changes}, workspace.policy().limits.snapshot_retention)


def settle(workspace: Workspace) -> None:
    """Outside the lock: waits for a running commit, or finishes one that a dead process left."""
    if workspace.own.mode(FILE) is not None:
        with workspace.lock():
            recover(workspace)


def recover(workspace: Workspace) -> None:
    """Under the lock: finishes or reverts the commit of a process that died in it."""
    intent = read_intent(workspace)
    if intent is None:
        return
    for step in intent.steps:
        with suppress(Failure):
            workspace.files.sweep(step.path)
    is_stored = all(workspace.snapshots.is_complete(step.snapshot_id) for step in intent.steps)
    if is_stored and len(_applied(workspace, intent)) == len(intent.steps):
        _finish(workspace, intent)
    else:
        _take_back(workspace, intent, is_stored=is_stored)


def _planned(workspace: Workspace, call: Call, step: Step, order: int) -> Snapshot:
    if isinstance(step, Change):
        return workspace.snapshots.plan(
            step.path,
            step.before,
            after_hash=step.after_hash,
            key=step.repetition.key if step.repetition else None,
            execution_id=call.execution_id,
            undoes=step.undoes,
            modes=(step.before_mode, step.after_mode),
            order=order,
            task=call.task or call.own_task,
        )
    base, after = states_of(step)
    return workspace.snapshots.plan(
        step.path,
        None if base == ABSENT else _held(step),
        after_hash=base if isinstance(step, Move) else after,
        key=None,
        execution_id=call.execution_id,
        undoes=step.undoes,
        kind=kind_of(step),
        moved_to=step.to if isinstance(step, Move) else None,
        modes=(step.mode, None) if isinstance(step, FolderChange) else (None, None),
        order=order,
        task=call.task or call.own_task,
    )


def _held(step: Step) -> bytes | None:
    """What a snapshot keeps."""
    if isinstance(step, LinkChange):
        return None if step.before is None else step.before.encode()
    return step.before if isinstance(step, Change) else b""


def _check_all(workspace: Workspace, intent: Intent) -> None:
    """Every step finds what it was planned for; a later one finds what the earlier ones leave."""
    states = States(workspace)
    for step in intent.steps:
        if not states.is_before(step):
            raise Conflict(
                f"{step.path} changed since it was looked at.",
                hint="Look at it again and repeat the call.",
                path=step.path,
            )
        states.do(step)


def _stage(workspace: Workspace, steps: Sequence[Step], snapshots: Sequence[Snapshot]) -> None:
    """Snapshots and new contents on disk, all with one trip."""
    for order, (step, snapshot) in enumerate(zip(steps, snapshots, strict=True)):
        workspace.snapshots.store(snapshot, _held(step), is_durable=False)
        if isinstance(step, Change) and step.after is not None:
            workspace.own.write(f"{_STAGED}/{order}", step.after, is_durable=False)
    workspace.own.sync()


def _apply(workspace: Workspace, step: Step, order: int | None) -> None:
    """The last moment before the change checks once more that the path is as it was shown.

    With an `order`, the step is one of a unit that is synced as a whole.
    """
    files, is_durable = workspace.files, order is None
    try:
        if isinstance(step, FolderChange):
            if step.is_made:
                files.make_folder(step.path, step.mode, is_durable=is_durable)
            else:
                files.remove_folder(step.path, is_durable=is_durable)
        elif isinstance(step, Move):
            files.move(step.path, step.to, guard=_guard(workspace, step))
        elif isinstance(step, LinkChange):
            files.put_link(step.path, step.after, is_durable=is_durable, guard=_guard(workspace, step))
        elif step.after is None:
            if not files.remove(step.path, is_durable=is_durable, guard=_guard(workspace, step)):
                check_base(step.path, step.base_hash, ABSENT)
        elif order is None:
            files.write(step.path, step.after, guard=_guard(workspace, step), mode=step.after_mode)
        else:
            staged = f"{AGENT_FOLDER}/{_STAGED}/{order}"
            files.adopt(staged, step.path, guard=_guard(workspace, step), mode=step.after_mode)
    except NotFound as blocked:  # missing folders are made, so one of the names on the way is a file
        raise InputOutput(f"{step.path} can't be changed: {blocked.message}", **blocked.details) from None


def _guard(workspace: Workspace, step: Change | Move | LinkChange) -> Callable[[], None]:
    def still_as_shown() -> None:
        check_base(step.path, states_of(step)[0], _state(workspace, step))

    return still_as_shown


def _state(workspace: Workspace, step: Change | Move | LinkChange) -> str:
    return state_now(workspace, step.path, with_mode=":" in states_of(step)[0])


class _reverting:  # noqa: N801 - it reads as what it does: `with _reverting(…)`
    """Takes back what was done of the intent, if its block fails. What can't be now will be by the next holder."""

    def __init__(self, workspace: Workspace, intent: Intent) -> None:
        self._revert = partial(_take_back, workspace, intent)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Failure):
            with suppress(Failure):
                self._revert()


def _applied(workspace: Workspace, intent: Intent) -> list[IntentStep]:
    """Those that were done and still stand, the last first."""
    states, found = States(workspace), []
    for step in reversed(intent.steps):
        if states.is_after(step):
            found.append(step)
            states.take_back(step)
    return found


def _finish(workspace: Workspace, intent: Intent) -> None:
    """The files are written; errors from here on are repaired by the next `recover`."""
    try:
        if intent.repetition is not None:
            step = intent.steps[0]
            written = Written(
                path=step.path,
                mode=intent.repetition.mode,
                content_hash=intent.repetition.content_hash,
                snapshot_id=step.snapshot_id,
                at=workspace.now().timestamp(),
                is_partial=intent.repetition.is_partial,
            )
            workspace.idempotency.remember(intent.repetition.key, written)
        workspace.snapshots.retain(intent.paths, workspace.policy().limits.snapshot_retention)
        _end(workspace, intent, is_durable=False)
    except Failure:
        return


def _take_back(workspace: Workspace, intent: Intent, *, is_stored: bool = True) -> None:
    """What somebody has changed since stays as it is, and so does its snapshot."""
    if is_stored:
        for step in _applied(workspace, intent):
            _revert(workspace, step)
    states, has_kept = States(workspace), False
    for step in intent.steps:
        if states.is_before(step):
            states.do(step)
        elif workspace.snapshots.is_complete(step.snapshot_id):
            has_kept = True
            continue
        workspace.snapshots.drop(step.snapshot_id)
    if intent.dry_run is not None and not has_kept:
        workspace.dry_runs.give_back(intent.dry_run)
    _end(workspace, intent, is_durable=True)


def _revert(workspace: Workspace, step: IntentStep) -> None:
    files = workspace.files
    if step.base == step.after and step.kind != "move":
        return
    if step.kind == "move":
        assert step.to is not None
        files.move(step.to, step.path)
    elif step.kind == "folder":
        if step.base == FOLDER:
            files.make_folder(step.path, step.before_mode)
        else:
            with suppress(Conflict):  # somebody has put something into it
                files.remove_folder(step.path)
    elif step.kind == "link":
        target = None if step.base == ABSENT else workspace.snapshots.read(step.snapshot_id)[1].decode()
        files.put_link(step.path, target)
    elif step.base == ABSENT:
        files.remove(step.path)
    else:
        _, content = workspace.snapshots.read(step.snapshot_id)
        files.write(step.path, content, mode=step.before_mode)


def _end(workspace: Workspace, intent: Intent, *, is_durable: bool) -> None:
    """Not durable where all is done: an intent that a power cut brings back is finished once more, to the same end."""
    if intent.is_staged:
        workspace.own.remove_tree(_STAGED)
    workspace.own.remove(FILE, is_durable=is_durable)
