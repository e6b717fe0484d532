"""One file of a review, as people see it: hunks with the lines around them."""

import msgspec

from handrail.features.review.item import FileChange
from handrail.features.review.merge import HunkState, MergeHunk
from handrail.features.workspace.offers import Hunk

_CONTEXT = 3
_MAX_LINES = 5000
_MAX_DRAFT = 1 << 20


class EditView(msgspec.Struct, frozen=True, rename="camel"):
    start_old: int
    old: list[str]
    new: list[str]


class HunkView(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`place`: its number, to choose it. `yours`: the person's edits that it conflicts with."""

    place: int
    state: HunkState
    start_old: int
    start_new: int
    old: list[str]
    new: list[str]
    before: list[str] = []
    after: list[str] = []
    yours: list[EditView] = []


class FileView(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`is_whole`: the file can only be taken as a whole, because it is new, deleted or binary."""

    path: str
    digest: str
    hunks: list[HunkView]
    is_whole: bool = False
    is_binary: bool = False
    is_cut: bool = False
    conflict: str | None = None
    draft: str | None = None
    """For a conflict in text: both sides, for a person to edit."""


def file_view(change: FileChange) -> FileView:
    if change.is_binary:
        return FileView(change.path, change.digest, [], True, is_binary=True, conflict=change.conflict)
    if change.merge is None:
        old, new = _lines(change.base), _lines(change.agents)
        state: HunkState = "conflict" if change.conflict else "open"
        hunk = HunkView(0, state, 1, 1, old[:_MAX_LINES], new[:_MAX_LINES])
        is_cut = max(len(old), len(new)) > _MAX_LINES
        return FileView(
            change.path,
            change.digest,
            [hunk] if old or new else [],
            True,
            is_cut=is_cut,
            conflict=change.conflict,
            draft=_draft(change),
        )
    base = (change.base or b"").split(b"\n")
    hunks = [_hunk_view(place, each, base) for place, each in enumerate(change.merge.hunks) if each.state != "taken"]
    return FileView(change.path, change.digest, hunks, conflict=change.conflict, draft=_draft(change))


def _draft(change: FileChange) -> str | None:
    """None if it is too long, or not UTF-8, so that editing it as text would change other bytes."""
    if change.draft is None or len(change.draft) > _MAX_DRAFT:
        return None
    try:
        return change.draft.decode()
    except UnicodeDecodeError:
        return None


def _hunk_view(place: int, each: MergeHunk, base: list[bytes]) -> HunkView:
    start = each.hunk.start_old - 1
    end = start + len(each.hunk.lines_old)
    last = len(base) - (not base[-1])  # nothing after the last LF isn't a line
    return HunkView(
        place,
        each.state,
        each.hunk.start_old,
        each.hunk.start_new,
        *_sides(each.hunk),
        _texts(base[max(0, start - _CONTEXT) : start]),
        _texts(base[end : max(end, min(last, end + _CONTEXT))]),
        [EditView(yours.start_old, *_sides(yours)) for yours in each.yours],
    )


def _sides(hunk: Hunk) -> tuple[list[str], list[str]]:
    return _texts(hunk.lines_old), _texts(hunk.lines_new)


def _texts(lines: list[bytes]) -> list[str]:
    return [line.decode(errors="replace") for line in lines]


def _lines(data: bytes | None) -> list[str]:
    if not data:
        return []
    lines = data.split(b"\n")
    return _texts(lines[:-1] if not lines[-1] else lines)
