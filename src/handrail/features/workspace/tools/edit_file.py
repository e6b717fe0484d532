"""edit_file: makes several edits in one file, each identified by the text that it replaces."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.features.workspace.batch_limit import batch_notes
from handrail.features.workspace.change import Change, compare, content_hash, preview_of
from handrail.features.workspace.commit import commit
from handrail.features.workspace.editing import Edit, apply_edits
from handrail.features.workspace.line_diff import LineDiff
from handrail.features.workspace.partial_approval import narrow_one, with_parts
from handrail.features.workspace.snapshots import Snapshot
from handrail.features.workspace.unreadable_files import read_to_change
from handrail.features.workspace.workspace import Workspace, path_target
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import NoChange, Preview, Reply, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import (
    BadEncoding,
    Conflict,
    Declined,
    InputOutput,
    InvalidParams,
    NotClean,
    NotFound,
    OutsideRoot,
)

_MOST_EDITS = 1000


class Params(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    path: str
    edits: Annotated[list[Edit], Meta(min_length=1, max_length=_MOST_EDITS)]
    dry_run: bool = False


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """`diff` is what was written, or would be. `partial`: a person chose a part of it, or changed it."""

    applied: bool
    diff: LineDiff
    content_hash: str
    snapshot_id: str | UnsetType = UNSET
    partial: bool | UnsetType = UNSET


def effect(params: Params) -> Effect:
    return Effect.READ if params.dry_run else Effect.WRITE


async def edit_file(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result | Reply:
    """Edit a text file: each `oldText` must occur exactly once, unless `all` is set. All edits are made or none.
    `dryRun` only returns the diff.
    """
    if preview is None:
        return await in_thread(call, lambda: _dry_run(workspace, call, params))
    change: Change = preview.state
    snapshot = await in_thread(call, lambda: commit(workspace, call, change), is_final=True)
    assert isinstance(snapshot, Snapshot)  # without an idempotency key nothing can be repeated
    return Result(True, compare(workspace, change), change.after_hash, snapshot.id, change.is_partial or UNSET)


async def preview(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    return await in_thread(call, lambda: _plan(workspace, call, params))


def _plan(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    change = _change(workspace, call, params)
    if change.before == change.after:
        return NoChange(Result(True, LineDiff([]), change.after_hash))
    count = len(params.edits)
    count_text = f"{count} edits" if count > 1 else "1 edit"
    return with_parts(preview_of(workspace, change, f"Edit {quoted_line(change.path)}: {count_text}"), [change])


def _dry_run(workspace: Workspace, call: Call, params: Params) -> Result | Reply:
    change = _change(workspace, call, params)
    changes = compare(workspace, change)
    result = Result(False, changes, content_hash(change.after))
    return Reply(result, notes=batch_notes(workspace, changes.changed_lines))


def _change(workspace: Workspace, call: Call, params: Params) -> Change:
    path, before = read_to_change(workspace, call, params.path, "whether it contains a text")
    return Change(path, before, apply_edits(before, params.edits, path))


TOOL = Tool(
    name="edit_file",
    title="Edit a file",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    effect=effect,
    errors=(OutsideRoot, NotFound, Conflict, BadEncoding, InputOutput, Declined, NotClean, InvalidParams),
    target=path_target,
    preview=preview,
    narrow=narrow_one,
    asks_early=True,
    run=edit_file,
)
