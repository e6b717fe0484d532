"""write_to_file of contract 3 §1.3: a dry run shows the diff first, then the file is written."""

from dataclasses import replace
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.workspace.batch_limit import batch_notes
from handrail.features.workspace.change import (
    Change,
    Repetition,
    check_base,
    compare,
    content_hash,
    find_repeated,
    preview_of,
    read_current,
)
from handrail.features.workspace.commit import commit, settle
from handrail.features.workspace.idempotency import EarlierWrite
from handrail.features.workspace.line_diff import LineDiff
from handrail.features.workspace.partial_approval import add_partial_fields, narrow_one, partial_result, with_parts
from handrail.features.workspace.unreadable_files import may_read, redacted_errors
from handrail.features.workspace.workspace import Workspace, canonical, path_target
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import NoChange, Preview, Reply, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import BadEncoding, Conflict, Declined, InputOutput, InvalidParams, NotClean, OutsideRoot
from handrail.ports.schemas import schema

_NO_DIFF = "You may not read this file, so the diff is not shown here. The approval shows it."


class Params(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    content: str
    dry_run: bool
    mode: Literal["overwrite", "append"] = "overwrite"
    idempotency_key: str | None = None


class Result(msgspec.Struct, frozen=True, rename="camel"):
    applied: bool
    diff: LineDiff | UnsetType = UNSET
    snapshot_id: str | UnsetType = UNSET
    bytes_written: int | UnsetType = UNSET
    partial: bool | UnsetType = UNSET
    content_hash: str | UnsetType = UNSET


def effect(params: Params) -> Effect:
    return Effect.READ if params.dry_run else Effect.WRITE


async def write_to_file(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result | Reply:
    """Write a whole UTF-8 text file (`overwrite`), or add to its end (`append`). First with `dryRun: true`, which only
    returns the diff; then the same call with `dryRun: false`, which writes exactly that, perhaps after approval.
    E_CONFLICT: the file changed in between; make a new dry run. An `idempotencyKey` makes a repeated write harmless.
    """
    if preview is None:
        return await in_thread(call, lambda: _dry_run(workspace, call, params))
    change: Change = preview.state
    with redacted_errors(change.path, is_readable=not preview.is_closed):
        outcome = await in_thread(call, lambda: commit(workspace, call, change), is_final=True)
    if isinstance(outcome, EarlierWrite):
        return _repeated_result(outcome)
    result = Result(applied=True, snapshot_id=outcome.id, bytes_written=_bytes_written(params, change))
    return partial_result(result, compare(workspace, change), change, preview) if change.is_partial else result


async def preview(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    is_readable = may_read(workspace, call, canonical(params.path))
    with redacted_errors(params.path, is_readable=is_readable):
        plan = await in_thread(call, lambda: _plan(workspace, params))
    return plan if is_readable or isinstance(plan, NoChange) else replace(plan, is_closed=True)


def _dry_run(workspace: Workspace, call: Call, params: Params) -> Result | Reply:
    change = _change(workspace, params)
    changes = compare(workspace, change)
    workspace.hide_from_git()
    # Only remembered now: a diff that could not be made must not permit a write.
    workspace.dry_runs.remember(change.path, params.mode, _hash(params), change.base_hash)
    passed = workspace.policy().decide(call.tool, Effect.READ, path_target(params), call.caller.agent).decision
    if not may_read(workspace, call, change.path, passed):
        return Reply(Result(applied=False), notes=(_NO_DIFF,))
    return Reply(Result(applied=False, diff=changes), notes=batch_notes(workspace, changes.changed_lines))


def _plan(workspace: Workspace, params: Params) -> Preview | NoChange:
    """Checks in the contract's order: idempotency, dry run, conflict; approval follows."""
    change = _change(workspace, params)
    if (earlier := find_repeated(workspace, change.path, change.repetition)) is not None:
        return NoChange(_repeated_result(earlier))
    dry_run = workspace.dry_runs.find(change.path, params.mode, _hash(params))
    if dry_run is None:  # the same write may be running elsewhere, or may have been interrupted
        settle(workspace)
        if (earlier := find_repeated(workspace, change.path, change.repetition)) is not None:
            return NoChange(_repeated_result(earlier))
        dry_run = workspace.dry_runs.find(change.path, params.mode, _hash(params))
    if dry_run is not None:
        check_base(change.path, dry_run.base_hash, change.base_hash)
    elif workspace.policy().limits.write_requires_diff:
        raise Declined(
            "A write must follow a dry run of the same path, mode and content.",
            hint="Call write_to_file with dryRun: true first, then repeat it with dryRun: false.",
            path=change.path,
            reason="noDryRun",
        )
    verb = "Append to" if params.mode == "append" else "Create" if change.before is None else "Overwrite"
    change = replace(change, dry_run=dry_run)
    return with_parts(preview_of(workspace, change, f"{verb} {quoted_line(change.path)}"), [change])


def _change(workspace: Workspace, params: Params) -> Change:
    path, before = read_current(workspace, params.path)
    content = params.content.encode()
    after = (before or b"") + content if params.mode == "append" else content
    key = params.idempotency_key
    return Change(path, before, after, Repetition(key, params.mode, _hash(params)) if key is not None else None)


def _hash(params: Params) -> str:
    return content_hash(params.content.encode())


def _bytes_written(params: Params, change: Change) -> int:
    is_appended = params.mode == "append" and not change.is_partial
    return len(params.content.encode()) if is_appended else len(change.after or b"")


def _repeated_result(earlier: EarlierWrite) -> Result:
    return Result(True, UNSET, earlier.snapshot_id, 0, earlier.is_partial or UNSET)


TOOL = Tool(
    name="write_to_file",
    title="Write a file",
    params=Params,
    input_schema=schema("webgal", "write_to_file.request"),
    output_schema=add_partial_fields(schema("webgal", "write_to_file.response")),
    effect=effect,
    errors=(OutsideRoot, Conflict, BadEncoding, InputOutput, Declined, NotClean, InvalidParams),
    target=path_target,
    preview=preview,
    narrow=narrow_one,
    asks_early=True,
    run=write_to_file,
)
