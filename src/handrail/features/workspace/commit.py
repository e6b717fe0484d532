"""Commits changes to the project's files: all of them, or none.

A commit survives a crash at any moment: while it runs, an intent is on disk, and the next process that takes the lock
finishes or reverts what a dead process started.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

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
    find_repeated,
    kind_of,
    state_now,
    states_of,
)
from handrail.features.workspace.idempotency import EarlierWrite
from handrail.features.workspace.intent import FILE, Intent, IntentStep, intent_step, read_intent
from handrail.features.workspace.path_states import PathStates
from handrail.features.workspace.snapshots import Snapshot
from handrail.features.workspace.workspace import AGENT_FOLDER, Workspace
from handrail.kernel.call import Call
from handrail.ports.errors import Conflict, Declined, Failure, InputOutput, NotFound

_STAGED = "staged"


def commit(workspace: Workspace, call: Call, change: Change) -> Snapshot | EarlierWrite:
    """Makes the change as it was shown, or raises and changes nothing.

    Returns the earlier write if another call with the same key came first.
    """
    with workspace.lock(on_wait=call.checkpoint):
        workspace.hide_from_git()
        recover(workspace)
        if (first := find_repeated(workspace, change.path, change.repetition)) is not None:
            return first
        check_base(change.path, states_of(change)[0], _state(workspace, change))
        call.checkpoint()
        if change.dry_run is not None and not workspace.dry_runs.is_unused(change.dry_run):
            raise Declined("Another write has used the dry run.", hint="Make a new dry run.", path=change.path)
        snapshot = _plan_snapshot(workspace, call, change, 0)
        intent = Intent([intent_step(change, snapshot.id)], change.repetition, change.dry_run)
        workspace.own.write(FILE, msgspec.json.encode(intent), is_durable=False)
        with _rolled_back_on_failure(workspace, intent, [change]):
            if change.dry_run is not None:
                workspace.dry_runs.use_up(change.dry_run)
            workspace.snapshots.store(snapshot, change.before)
            _apply(workspace, change, None)
        _finish(workspace, intent)
        return snapshot


def commit_all(workspace: Workspace, call: Call, steps: Sequence[Step]) -> list[Snapshot]:
    """Makes all changes in order as one unit, or raises and changes nothing."""
    if not steps:
        return []
    with workspace.lock(on_wait=call.checkpoint):
        workspace.hide_from_git()
        recover(workspace)
        snapshots = [_plan_snapshot(workspace, call, step, order) for order, step in enumerate(steps)]
        intent_steps = [intent_step(step, snapshot.id) for step, snapshot in zip(steps, snapshots, strict=True)]
        intent = Intent(intent_steps, is_staged=True)
        _check_states(workspace, intent)
        call.checkpoint()
        workspace.own.write(FILE, msgspec.json.encode(intent), is_durable=False)
        begun = list[Step]()
        with _rolled_back_on_failure(workspace, intent, begun):
            _stage(workspace, steps, snapshots)
            for order, step in enumerate(steps):
                begun.append(step)
                _apply(workspace, step, order)
            workspace.files.sync()
        _finish(workspace, intent)
        return snapshots


def snapshot_before(workspace: Workspace, call: Call, changes: Sequence[Change]) -> None:
    """Keeps snapshots for undoing changes that a client is about to make itself."""
    with workspace.lock(on_wait=call.checkpoint):
        workspace.hide_from_git()
        recover(workspace)
        for order, change in enumerate(changes):
            snapshot = msgspec.structs.replace(_plan_snapshot(workspace, call, change, order), is_by_client=True)
            workspace.snapshots.store(snapshot, change.before)
        workspace.snapshots.retain({each.path for each in changes}, workspace.policy().limits.snapshot_retention)


def settle(workspace: Workspace) -> None:
    """Waits for a running commit, or finishes one that a dead process left. Called without the lock."""
    if workspace.own.mode(FILE) is not None:
        with workspace.lock():
            recover(workspace)


def recover(workspace: Workspace) -> None:
    """Finishes or reverts the commit of a process that died during it. Called with the lock held."""
    intent = read_intent(workspace)
    if intent is None:
        return
    for step in intent.steps:
        with suppress(Failure):
            workspace.files.sweep(step.path)
    is_stored = all(workspace.snapshots.is_complete(step.snapshot_id) for step in intent.steps)
    if is_stored and len(_applied_steps(workspace, intent.steps)) == len(intent.steps):
        _finish(workspace, intent)
    else:
        _roll_back(workspace, intent, intent.steps if is_stored else ())


def _plan_snapshot(workspace: Workspace, call: Call, step: Step, order: int) -> Snapshot:
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
        None if base == ABSENT else _content_before(step),
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


def _content_before(step: Step) -> bytes | None:
    """Returns what a snapshot stores."""
    if isinstance(step, LinkChange):
        return None if step.before is None else step.before.encode()
    return step.before if isinstance(step, Change) else b""


def _check_states(workspace: Workspace, intent: Intent) -> None:
    """Checks that every path is as the step expects it, given the steps before it."""
    states = PathStates(workspace)
    for step in intent.steps:
        if not states.is_before(step):
            changed = step.to if step.to is not None and states.is_at(step.path, step.base) else step.path
            raise Conflict(
                f"{changed} has changed since it was read.", hint="Check it again and repeat the call.", path=changed
            )
        states.apply(step)


def _stage(workspace: Workspace, steps: Sequence[Step], snapshots: Sequence[Snapshot]) -> None:
    """Writes snapshots and new contents to disk with one sync."""
    for order, (step, snapshot) in enumerate(zip(steps, snapshots, strict=True)):
        workspace.snapshots.store(snapshot, _content_before(step), is_durable=False)
        if isinstance(step, Change) and step.after is not None:
            workspace.own.write(f"{_STAGED}/{order}", step.after, is_durable=False)
    workspace.own.sync()


def _apply(workspace: Workspace, step: Step, order: int | None) -> None:
    """Applies a step, after checking once more that the path is as it was shown.

    With an `order`, the step belongs to a unit that is synced as a whole.
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
    except NotFound as error:  # missing folders are created, so a parent of this path must be a file
        raise InputOutput(f"{step.path} can't be changed: {error.message}", **error.details) from None


def _guard(workspace: Workspace, step: Change | Move | LinkChange) -> Callable[[], None]:
    def check() -> None:
        check_base(step.path, states_of(step)[0], _state(workspace, step))

    return check


def _state(workspace: Workspace, step: Change | Move | LinkChange) -> str:
    return state_now(workspace, step.path, with_mode=":" in states_of(step)[0])


@contextmanager
def _rolled_back_on_failure(workspace: Workspace, intent: Intent, begun: Sequence[Step]) -> Iterator[None]:
    """Reverts what was applied of the intent if the block fails. If that fails too, `recover` does it later."""
    try:
        yield
    except Failure:
        with suppress(Failure):
            _roll_back(workspace, intent, intent.steps[: len(begun)])
        raise


def _applied_steps(workspace: Workspace, begun: Sequence[IntentStep]) -> list[IntentStep]:
    """Returns the steps that were applied and whose result is still there, last first."""
    states, applied = PathStates(workspace), []
    for step in reversed(begun):
        if states.is_after(step):
            applied.append(step)
            states.revert(step)
    return applied


def _finish(workspace: Workspace, intent: Intent) -> None:
    """Records the finished commit. If that fails, the next `recover` repairs it: the files are written."""
    try:
        if intent.repetition is not None:
            step = intent.steps[0]
            written = EarlierWrite(
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


def _roll_back(workspace: Workspace, intent: Intent, begun: Sequence[IntentStep]) -> None:
    """Reverts the applied steps. What others have changed since then stays, and so does its snapshot."""
    for step in _applied_steps(workspace, begun):
        _revert(workspace, step)
    states, has_kept_snapshot = PathStates(workspace), False
    for step in intent.steps:
        if states.is_before(step):
            states.apply(step)
        elif workspace.snapshots.is_complete(step.snapshot_id):
            has_kept_snapshot = True
            continue
        workspace.snapshots.drop(step.snapshot_id)
    if intent.dry_run is not None and not has_kept_snapshot:
        workspace.dry_runs.restore(intent.dry_run)
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
            with suppress(Conflict):  # someone has put something into it
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
    """Removes the intent. Needn't be durable after success: finishing once more leads to the same result."""
    if intent.is_staged:
        workspace.own.remove_tree(_STAGED)
    workspace.own.remove(FILE, is_durable=is_durable)
