"""A person takes a part of what was proposed, or changes it: what is then shown, bound and written."""

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
"""Of proposed texts that a person may edit; larger ones can be taken by hunks."""


def with_parts(preview: Preview, changes: Sequence[Change]) -> Preview:
    """The same question, where the person may choose among the changes."""
    return replace(preview, parts=parts_of(changes))


def parts_of(changes: Sequence[Change]) -> tuple[ChangePart, ...]:
    """Empty where there is too much to choose from."""
    parts, hunks, size = list[ChangePart](), 0, 0
    for change in changes:
        found = diff(change.before or b"", change.after or b"").hunks if _is_text(change) else []
        text = (change.after or b"").decode(errors="replace")
        hunks, size = hunks + len(found), size + len(text)
        # What a person can't see in an editor, they can't edit.
        is_editable = _is_text(change) and change.after is not None and visible(text) == text
        parts.append(
            ChangePart(
                path=change.path,
                hunks=tuple(_shown(hunk) for hunk in found),
                content=text if is_editable and size <= _MOST_BYTES else UNSET,
            )
        )
    return tuple(parts) if hunks <= _MOST_HUNKS and size <= 4 * _MOST_BYTES else ()


def _shown(hunk: HunkLines) -> ChangeHunk:
    lines = {"lines_old": hunk.lines_old, "lines_new": hunk.lines_new}
    seen = {name: tuple(map(visible, of)) for name, of in lines.items()}
    return ChangeHunk(start_old=hunk.start_old, start_new=hunk.start_new, **seen)


def _is_text(change: Change) -> bool:
    return is_text(change.before) and is_text(change.after)


async def narrow_one(workspace: Workspace, call: Call, preview: Preview, chosen: Sequence[ChosenPart]) -> Preview:
    """Of a call that changes one file: `state` is its change, or begins with it."""
    state = preview.state
    change: Change = state if isinstance(state, Change) else state[0]
    part = next((each for each in chosen if each.path in (UNSET, change.path)), None)
    if part is None:
        raise Conflict("What was chosen is not what was proposed.", path=change.path)
    taken = narrowed(change, part)
    shown = await in_thread(call, lambda: preview_of(workspace, taken, preview.summary))
    return replace(shown, state=taken if state is change else (taken, *state[1:]), is_closed=preview.is_closed)


def narrowed(change: Change, part: ChosenPart) -> Change:
    """The change as the person wants it: their own text, or the chosen hunks of what was proposed."""
    if part.content is not UNSET:
        after = part.content.encode()
    elif part.hunks is not UNSET:
        after = taken(change.before or b"", change.after or b"", part.hunks)
    else:
        return change
    if after == change.after:
        return change
    repetition = None if change.repetition is None else msgspec.structs.replace(change.repetition, is_partial=True)
    return replace(change, after=after, repetition=repetition, is_partial=True)


def taken(before: bytes, after: bytes, chosen: Sequence[int]) -> bytes:
    """The old text with some of the hunks, by their places."""
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


def written_in_part(result: ResultT, changes: LineDiff, change: Change, preview: Preview) -> ResultT:
    """The answer that says exactly what was written. Of a file that its caller may not read, only that it is a part."""
    if preview.is_closed:
        return msgspec.structs.replace(result, partial=True)
    return msgspec.structs.replace(result, partial=True, diff=changes, content_hash=change.after_hash)


def with_partial(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The contract's schema with what an answer has where a person took a part, or changed it."""
    diff = schema["properties"].get("diff") or webgal_schema("webgal", "write_to_file.response")["properties"]["diff"]
    added = {
        "partial": {"type": "boolean", "description": "A person chose a part of it, or changed it: `diff` was written"},
        "contentHash": {"type": "string", "description": "SHA-256 of the file as it was written"},
        "diff": diff,
    }
    return {**schema, "properties": {**added, **schema["properties"]}}


def by_path(chosen: Sequence[ChosenPart]) -> Mapping[str, ChosenPart]:
    return {part.path: part for part in chosen if part.path is not UNSET}
