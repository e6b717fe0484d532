"""Undo: reverts one write, and touches nothing else."""

from dataclasses import replace

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.workspace.change import Change, commit, content_hash, look, preview_of
from handrail.features.workspace.snapshots import ID_PATTERN, Snapshot
from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Settled, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, InvalidParams, NotFound


class Params(msgspec.Struct, frozen=True, rename="camel"):
    id: str | None = None


class Result(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    undone: str
    snapshot_id: str
    removed: bool | UnsetType = UNSET


async def undo_write(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Take a write back: the file gets what it held before, or goes away when the write had made it.
    Without an id the newest write. Refused when the file was changed since.
    """
    assert preview is not None
    change: Change = preview.state
    done = await in_thread(call, lambda: commit(workspace, call, change), is_final=True)
    assert isinstance(done, Snapshot)
    assert change.undoes is not None
    return Result(change.path, change.undoes, done.id, True if change.after is None else UNSET)


async def preview(workspace: Workspace, call: Call, params: Params) -> Preview | Settled:
    return await in_thread(call, lambda: _planned(workspace, params))


def _planned(workspace: Workspace, params: Params) -> Preview:
    snapshot, before_write = _chosen(workspace, params.id)
    path, current = look(workspace, snapshot.path)
    if snapshot.after_hash is None:
        raise Conflict(f"What the write behind {snapshot.id} left is not known.", snapshotId=snapshot.id)
    if content_hash(current) != snapshot.after_hash:
        raise Conflict(
            f"{path} was changed after that write; undoing it would lose the later change.",
            hint="`handrail history` lists the writes; undo the later ones first.",
            path=path,
            expectedHash=snapshot.after_hash,
            currentHash=content_hash(current),
        )
    change = Change(path, current, None if snapshot.was_absent else before_write, undoes=snapshot.id)
    verb = "Remove" if change.after is None else "Restore"
    shown = preview_of(workspace, change, f"{verb} {quoted_line(path)} (undo {snapshot.id})")
    return replace(shown, undoes=snapshot.execution_id)


def _chosen(workspace: Workspace, wanted: str | None) -> tuple[Snapshot, bytes]:
    if wanted is None:
        return workspace.snapshots.read(_newest_standing(workspace))
    if wanted.startswith("exec_"):
        for snapshot in workspace.snapshots.newest_first():
            if snapshot.execution_id == wanted:
                return workspace.snapshots.read(snapshot.id)
        raise NotFound(f"No snapshot is kept of {wanted}.", hint="`handrail history` lists the writes.")
    if not ID_PATTERN.fullmatch(wanted):
        raise InvalidParams(
            f"{wanted!r} is neither a snapshot's nor an execution's id.", hint="See `handrail history`."
        )
    return workspace.snapshots.read(wanted)


def _newest_standing(workspace: Workspace) -> str:
    """The newest write that is neither an undo nor undone, so that repeated undos go further back."""
    undone: set[str | None] = set()
    for snapshot in workspace.snapshots.newest_first():
        if snapshot.undoes is not None:
            undone.add(snapshot.undoes)
        elif snapshot.id not in undone:
            return snapshot.id
    raise NotFound("There is no write to undo.")


TOOL = Tool(
    name="undo_write",
    title="Undo a write",
    params=Params,
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {"id": {"type": ["string", "null"]}},
    },
    effect=Effect.WRITE,
    errors=(NotFound, Conflict, InvalidParams),
    is_for_agents=False,
    preview=preview,
    run=undo_write,
)
