"""Changes a file of the project: plans it, shows it, and commits exactly what was shown.

A commit survives a crash at any moment: an intent file exists while it runs, and the next process that holds the lock
finishes or reverts what a dead process left.
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import msgspec

from handrail.features.workspace.dry_runs import DryRun
from handrail.features.workspace.idempotency import Written
from handrail.features.workspace.line_diff import LineDiff, diff, unified
from handrail.features.workspace.snapshots import ID_PATTERN, Snapshot
from handrail.features.workspace.workspace import Workspace, canonical, check_text
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview
from handrail.ports.errors import Conflict, Declined, Failure, InputOutput, InvalidParams, NotFound

ABSENT = "absent"
_INTENT = "intent.json"
_MAX_KEY = 1024


def content_hash(data: bytes | None) -> str:
    return ABSENT if data is None else hashlib.sha256(data).hexdigest()


class Repetition(msgspec.Struct, frozen=True, rename="camel"):
    """What identifies a repeated call."""

    key: str
    mode: str
    content_hash: str


@dataclass(frozen=True)
class Change:
    """A file before and after. If `after` is None, the file is removed."""

    path: str
    before: bytes | None
    after: bytes | None
    repetition: Repetition | None = None
    dry_run: DryRun | None = None
    undoes: str | None = None

    @cached_property
    def base_hash(self) -> str:
        return content_hash(self.before)

    @cached_property
    def after_hash(self) -> str:
        return content_hash(self.after)


def look(workspace: Workspace, path: str) -> tuple[str, bytes | None]:
    """The canonical path and the file's content now, None if there is no file."""
    name = canonical(path)
    if name == ".":
        raise InvalidParams("The path names the project's root, not a file.", path=path)
    try:
        return name, workspace.files.read(name)
    except NotFound:
        return name, None


def compare(workspace: Workspace, change: Change) -> LineDiff:
    for text in (change.before, change.after):
        check_text(text or b"", change.path)
    return diff(change.before or b"", change.after or b"")


def preview_of(workspace: Workspace, change: Change, summary: str) -> Preview:
    """What a person is shown. Refused if it changes more lines than the policy allows."""
    if change.after is not None and change.undoes is None:
        workspace.review(change.path, change.after)
    limit = workspace.policy().limits.batch_max_lines
    changed = compare(workspace, change).changed_lines
    if changed > limit:
        raise Declined(
            f"{changed} lines of {change.path} would change; the policy allows {limit} at once (batchMaxLines).",
            hint="Split the change into smaller writes.",
            path=change.path,
            changedLines=changed,
            batchMaxLines=limit,
        )
    return Preview(
        summary=summary,
        path=change.path,
        diff=unified(change.path, change.before, change.after),
        binding={"baseHash": change.base_hash, "afterHash": change.after_hash},
        state=change,
    )


def replayed(workspace: Workspace, path: str, repetition: Repetition | None) -> Written | None:
    """The first answer to the same key. Conflict if the same key comes with something else."""
    if repetition is None:
        return None
    if len(repetition.key) > _MAX_KEY:
        raise InvalidParams(f"The idempotencyKey is longer than {_MAX_KEY} characters.")
    written = workspace.idempotency.find(repetition.key)
    if written is not None and not written.is_same(path, repetition.mode, repetition.content_hash):
        raise Conflict("This idempotencyKey was used for another path or content.", hint="Use a new key.", path=path)
    return written


def check_base(path: str, expected: str, current: str) -> None:
    if expected != current:
        raise Conflict(
            f"{path} changed since it was looked at.",
            hint="Read it again, make a new dry run and write that.",
            path=path,
            expectedHash=expected,
            currentHash=current,
        )


class _Intent(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    base_hash: str
    after_hash: str
    snapshot_id: Annotated[str, msgspec.Meta(pattern=f"^{ID_PATTERN.pattern}$")]
    repetition: Repetition | None
    dry_run: DryRun | None


def commit(workspace: Workspace, call: Call, change: Change) -> Snapshot | Written:
    """Does what was shown, or raises and changes nothing.

    Returns Written if another call with the same key was first.
    """
    with workspace.lock(on_wait=call.checkpoint):
        workspace.hide_from_git()
        recover(workspace)
        if (first := replayed(workspace, change.path, change.repetition)) is not None:
            return first
        check_base(change.path, change.base_hash, content_hash(look(workspace, change.path)[1]))
        call.checkpoint()
        if change.dry_run is not None and not workspace.dry_runs.holds(change.dry_run):
            raise Declined("The dry run was used by another write.", hint="Make a new dry run.", path=change.path)
        snapshot = workspace.snapshots.plan(
            change.path,
            change.before,
            after_hash=change.after_hash,
            key=change.repetition.key if change.repetition else None,
            execution_id=call.execution_id,
            undoes=change.undoes,
        )
        intent = _Intent(
            change.path, change.base_hash, change.after_hash, snapshot.id, change.repetition, change.dry_run
        )
        workspace.own.write(_INTENT, msgspec.json.encode(intent), is_durable=False)
        try:
            if change.dry_run is not None:
                workspace.dry_runs.use_up(change.dry_run)
            workspace.snapshots.store(snapshot, change.before)
            _apply(workspace, change)
        except Failure:
            with suppress(Failure):  # what can't be taken back now will be by the next one to hold the lock
                _take_back(workspace, intent)
            raise
        _finish(workspace, intent)
        return snapshot


def settle(workspace: Workspace) -> None:
    """Outside the lock: waits for a running commit, or finishes one that a dead process left."""
    if workspace.own.mode(_INTENT) is not None:
        with workspace.lock():
            recover(workspace)


def recover(workspace: Workspace) -> None:
    """Under the lock: finishes or reverts the commit of a process that died in it."""
    try:
        intent = msgspec.json.decode(workspace.own.read(_INTENT), type=_Intent)
    except NotFound:
        return
    except msgspec.MsgspecError:
        workspace.own.remove(_INTENT)
        return
    try:
        workspace.files.sweep(intent.path)
        current = content_hash(look(workspace, intent.path)[1])
    except Failure:  # the place has become a link, a folder or a closed one: nothing there is ours any more
        current = None
    is_complete = workspace.snapshots.is_complete(intent.snapshot_id)
    if current == intent.after_hash and is_complete:
        _finish(workspace, intent)
    elif current == intent.base_hash or not is_complete:
        _take_back(workspace, intent)
    else:  # somebody has changed the file since: what it held before is better kept
        workspace.own.remove(_INTENT)


def _apply(workspace: Workspace, change: Change) -> None:
    def still_as_shown() -> None:
        check_base(change.path, change.base_hash, content_hash(look(workspace, change.path)[1]))

    if change.after is None:
        workspace.files.remove(change.path)
    else:
        try:
            workspace.files.write(change.path, change.after, guard=still_as_shown)
        except NotFound as blocked:  # missing folders are made, so one of the names on the way is a file
            raise InputOutput(f"{change.path} can't be created: {blocked.message}", **blocked.details) from None


def _finish(workspace: Workspace, intent: _Intent) -> None:
    """The file is written; errors from here on are repaired by the next `recover`."""
    try:
        if intent.repetition is not None:
            written = Written(
                path=intent.path,
                mode=intent.repetition.mode,
                content_hash=intent.repetition.content_hash,
                snapshot_id=intent.snapshot_id,
                at=workspace.now().timestamp(),
            )
            workspace.idempotency.remember(intent.repetition.key, written)
        workspace.snapshots.retain(intent.path, workspace.policy().limits.snapshot_retention)
        # Not durable: an intent that a power cut brings back is finished once more, to the same end.
        workspace.own.remove(_INTENT, is_durable=False)
    except Failure:
        return


def _take_back(workspace: Workspace, intent: _Intent) -> None:
    workspace.snapshots.drop(intent.snapshot_id)
    if intent.dry_run is not None:
        workspace.dry_runs.give_back(intent.dry_run)
    workspace.own.remove(_INTENT)
