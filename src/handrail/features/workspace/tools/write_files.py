"""write_files: writes several files with one call and one approval, all or none."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.features.workspace.batch_limit import batch_notes, check_batch
from handrail.features.workspace.change import Change, Step, compare, read_current, read_only_facts
from handrail.features.workspace.commit import commit_all
from handrail.features.workspace.line_diff import LineDiff
from handrail.features.workspace.partial_approval import narrow_change, parts_by_path, with_parts
from handrail.features.workspace.plans import add_parent_folders
from handrail.features.workspace.unit_preview import preview_unit
from handrail.features.workspace.unreadable_files import may_read
from handrail.features.workspace.workspace import Workspace, canonical
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Step as TargetStep
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Reply, Tool
from handrail.ports.approval_card import ChosenPart
from handrail.ports.effect import Effect
from handrail.ports.errors import BadEncoding, Conflict, Declined, InputOutput, InvalidParams, NotClean, OutsideRoot

_MOST_FILES = 200


class NewFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str
    content: str


class Params(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    files: Annotated[list[NewFile], Meta(min_length=1, max_length=_MOST_FILES)]
    dry_run: bool = False


class File(msgspec.Struct, frozen=True, rename="camel"):
    """`diff` is set in a dry run, or with `partial`: a person chose a part of it, or changed it."""

    path: str
    content_hash: str | UnsetType = UNSET
    diff: LineDiff | UnsetType = UNSET
    snapshot_id: str | UnsetType = UNSET
    bytes_written: int | UnsetType = UNSET
    partial: bool | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """`left_out` has the files that a person did not want written."""

    applied: bool
    files: list[File]
    partial: bool | UnsetType = UNSET
    left_out: list[str] | UnsetType = UNSET


def effect(params: Params) -> Effect:
    return Effect.READ if params.dry_run else Effect.WRITE


def target(params: Params) -> Target:
    paths = [canonical(file.path) for file in params.files]
    if len(paths) == 1:
        return Target(path=paths[0])
    return Target(steps=tuple(TargetStep(effect(params), Target(path=path)) for path in paths))


async def write_files(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result | Reply:
    """Write several whole UTF-8 text files, all or none, with one approval. `dryRun` only returns the diffs."""
    if preview is None:
        return await in_thread(call, lambda: _dry_run(workspace, call, params))
    steps: Sequence[Step]
    steps, proposed = preview.state
    snapshots = await in_thread(call, lambda: commit_all(workspace, call, steps), is_final=True)
    written = [(step, snapshot.id) for step, snapshot in zip(steps, snapshots, strict=True) if isinstance(step, Change)]
    return _make_result(workspace, call, written, proposed)


def _make_result(
    workspace: Workspace, call: Call, written: Sequence[tuple[Change, str]], proposed: Sequence[str]
) -> Result:
    files = [
        File(
            step.path,
            step.after_hash,
            compare(workspace, step) if step.is_partial and may_read(workspace, call, step.path) else UNSET,
            snapshot_id,
            len(step.after or b""),
            step.is_partial or UNSET,
        )
        for step, snapshot_id in written
    ]
    written_paths = {step.path for step, _ in written}
    left_out = [path for path in proposed if path not in written_paths]
    is_partial = bool(left_out) or any(step.is_partial for step, _ in written)
    return Result(True, files, is_partial or UNSET, left_out or UNSET)


async def preview(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    return await in_thread(call, lambda: _plan(workspace, call, params))


def _plan(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    changes = [change for change in _changes(workspace, params) if change.before != change.after]
    if not changes:
        return NoChange(Result(applied=True, files=[]))
    is_closed = not all(may_read(workspace, call, change.path) for change in changes)
    changes_preview = _make_preview(
        workspace, changes, f"Write {len(changes)} files", [change.path for change in changes]
    )
    return replace(changes_preview, is_closed=is_closed)


def _make_preview(workspace: Workspace, changes: Sequence[Change], summary: str, proposed: Sequence[str]) -> Preview:
    changed_lines = 0
    for change in changes:
        workspace.review(change.path, change.after or b"")
        changed_lines += compare(workspace, change).changed_lines
    check_batch(workspace, f"{len(changes)} files", changed_lines)
    unit = preview_unit(add_parent_folders(workspace, changes), summary)
    about = CallSubject(str(len(changes)), "files", can_undo=True) if len(changes) > 1 else unit.about
    path = changes[0].path if len(changes) == 1 else None
    facts = read_only_facts(workspace, changes)
    return with_parts(replace(unit, about=about, path=path, facts=facts, state=(unit.state, proposed)), changes)


async def narrow(workspace: Workspace, call: Call, preview: Preview, chosen: Sequence[ChosenPart]) -> Preview:
    """Keeps only the chosen files, each as the person chose it."""
    steps, paths = preview.state
    proposed = {step.path: step for step in steps if isinstance(step, Change)}
    chosen_parts = parts_by_path(chosen)
    if not chosen_parts and len(proposed) == 1 and len(chosen) == 1:
        chosen_parts = dict.fromkeys(proposed, chosen[0])
    if not chosen_parts or chosen_parts.keys() - proposed.keys():
        raise Conflict("The chosen files don't belong to the proposal.")
    changes = [narrow_change(change, chosen_parts[path]) for path, change in proposed.items() if path in chosen_parts]
    summary = f"Write {len(changes)} of {len(proposed)} files"
    narrowed_preview = await in_thread(call, lambda: _make_preview(workspace, changes, summary, paths))
    return replace(narrowed_preview, is_closed=preview.is_closed)


def _dry_run(workspace: Workspace, call: Call, params: Params) -> Reply:
    files, changed_lines = list[File](), 0
    for change in _changes(workspace, params):
        changes = compare(workspace, change)
        changed_lines += changes.changed_lines
        if may_read(workspace, call, change.path):
            files.append(File(change.path, change.after_hash, changes))
        else:
            files.append(File(change.path, change.after_hash))
    return Reply(Result(False, files), notes=batch_notes(workspace, changed_lines))


def _changes(workspace: Workspace, params: Params) -> list[Change]:
    changes = list[Change]()
    for file in params.files:
        path, before = read_current(workspace, file.path)
        if any(change.path == path for change in changes):
            raise InvalidParams(f"{path} is listed twice.", hint="List each file once.", path=path)
        changes.append(Change(path, before, file.content.encode()))
    paths = {change.path for change in changes}
    for path in sorted(paths):
        if (inner := next((other for other in paths if other.startswith(f"{path}/")), None)) is not None:
            raise InvalidParams(
                f"{path} can't be both a file and the folder of {inner}.", hint="Rename one.", path=path
            )
    return changes


TOOL = Tool(
    name="write_files",
    title="Write several files",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    effect=effect,
    errors=(OutsideRoot, Conflict, BadEncoding, InputOutput, Declined, NotClean, InvalidParams),
    target=target,
    preview=preview,
    narrow=narrow,
    run=write_files,
)
