"""Lets a person accept only a part of a proposed change, or edit it: what is then shown, bound and written."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from handrail.features.workspace.change import Change, preview_of
from handrail.features.workspace.line_diff import HunkLines, LineDiff, diff
from handrail.features.workspace.snapshots import is_text
from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview
from handrail.kernel.visible import visible
from handrail.ports.approval_card import ChangeHunk, ChangePart, ChosenPart
from handrail.ports.errors import Conflict
from handrail.ports.schemas import schema as webgal_schema

_MOST_HUNKS = 1000
_MOST_BYTES = 256 * 1024
"""Total size of texts that a person may edit. Of larger ones they can choose hunks."""


def with_parts(preview: Preview, changes: Sequence[Change]) -> Preview:
    """Returns the same preview, from which a person may choose parts."""
    return replace(preview, parts=parts_of(changes))


def parts_of(changes: Sequence[Change]) -> tuple[ChangePart, ...]:
    """Returns the parts to choose from, or none if there are too many."""
    parts, hunk_count, size = list[ChangePart](), 0, 0
    for change in changes:
        hunks = diff(change.before or b"", change.after or b"").hunks if _is_text(change) else []
        text = (change.after or b"").decode(errors="replace")
        hunk_count, size = hunk_count + len(hunks), size + len(text)
        # A person can't edit characters that an editor doesn't show.
        is_editable = _is_text(change) and change.after is not None and visible(text) == text
        parts.append(
            ChangePart(
                path=change.path,
                hunks=tuple(_visible_hunk(hunk) for hunk in hunks),
                content=text if is_editable and size <= _MOST_BYTES else UNSET,
            )
        )
    return tuple(parts) if hunk_count <= _MOST_HUNKS and size <= 4 * _MOST_BYTES else ()


def _visible_hunk(hunk: HunkLines) -> ChangeHunk:
    lines = {"lines_old": hunk.lines_old, "lines_new": hunk.lines_new}
    visible_lines = {name: tuple(map(visible, of)) for name, of in lines.items()}
    return ChangeHunk(start_old=hunk.start_old, start_new=hunk.start_new, **visible_lines)


def _is_text(change: Change) -> bool:
    return is_text(change.before) and is_text(change.after)


async def narrow_one(workspace: Workspace, call: Call, preview: Preview, chosen: Sequence[ChosenPart]) -> Preview:
    """Narrows the preview of a call that changes one file: `state` is its change, or begins with it."""
    state = preview.state
    change: Change = state if isinstance(state, Change) else state[0]
    part = next((each for each in chosen if each.path in (UNSET, change.path)), None)
    if part is None:
        raise Conflict("The chosen part doesn't belong to the proposal.", path=change.path)
    narrowed = narrow_change(change, part)
    narrowed_preview = await in_thread(call, lambda: preview_of(workspace, narrowed, preview.summary))
    new_state = narrowed if state is change else (narrowed, *state[1:])
    return replace(narrowed_preview, state=new_state, is_closed=preview.is_closed)


def narrow_change(change: Change, part: ChosenPart) -> Change:
    """Returns the change as the person wants it: their own text, or the chosen hunks."""
    if part.content is not UNSET:
        after = part.content.encode()
    elif part.hunks is not UNSET:
        after = apply_hunks(change.before or b"", change.after or b"", part.hunks)
    else:
        return change
    if after == change.after:
        return change
    repetition = None if change.repetition is None else msgspec.structs.replace(change.repetition, is_partial=True)
    return replace(change, after=after, repetition=repetition, is_partial=True)


def apply_hunks(before: bytes, after: bytes, chosen: Sequence[int]) -> bytes:
    """Applies only the chosen hunks to the old text. `chosen` has their indexes."""
    lines, end = before.split(b"\n"), 0
    result = list[bytes]()
    for place, hunk in enumerate(diff(before, after).hunks):
        if place not in chosen:
            continue
        result += lines[end : hunk.start_old - 1]
        result += [line.encode() for line in hunk.lines_new]
        end = hunk.start_old - 1 + hunk.len_old
    return b"\n".join((*result, *lines[end:]))


ResultT = TypeVar("ResultT", bound=msgspec.Struct)


def partial_result(result: ResultT, changes: LineDiff, change: Change, preview: Preview) -> ResultT:
    """Adds what was written to the result; only that it is a part if the caller may not read the file."""
    if preview.is_closed:
        return msgspec.structs.replace(result, partial=True)
    return msgspec.structs.replace(result, partial=True, diff=changes, content_hash=change.after_hash)


def add_partial_fields(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Adds the fields of a partial result to the contract's schema."""
    diff = schema["properties"].get("diff") or webgal_schema("webgal", "write_to_file.response")["properties"]["diff"]
    fields = {
        "partial": {"type": "boolean", "description": "A person chose a part of it, or changed it: `diff` was written"},
        "contentHash": {"type": "string", "description": "SHA-256 of the file as it was written"},
        "diff": diff,
    }
    return {**schema, "properties": {**fields, **schema["properties"]}}


def parts_by_path(chosen: Sequence[ChosenPart]) -> Mapping[str, ChosenPart]:
    return {part.path: part for part in chosen if part.path is not UNSET}
