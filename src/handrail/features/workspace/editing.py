"""Makes several edits in one text, each identified by the text that it replaces in the original."""

from collections.abc import Iterator, Sequence

import msgspec

from handrail.ports.errors import InvalidParams

_MANY_EDITS = 8
_MAX_MEMORY = 64 * 1024 * 1024


class Edit(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    old_text: str
    new_text: str
    all: bool = False


def apply_edits(text: bytes, edits: Sequence[Edit], path: str) -> bytes:
    """Raises InvalidParams if an old text is missing, occurs more than once, or overlaps another edit."""
    has_crlf = b"\r\n" in text and text.count(b"\n") == text.count(b"\r\n")
    pairs = [(_encode(edit.old_text, has_crlf), _encode(edit.new_text, has_crlf)) for edit in edits]
    for number, (old, _) in enumerate(pairs):
        if not old:
            raise _edit_error(path, number, "has an empty oldText", "Use write_to_file to fill an empty file.")
    spans = list[tuple[int, int, int]]()
    for number, positions in enumerate(_find_all(text, [old for old, _ in pairs])):
        spans += _edit_spans(path, number, edits[number], len(pairs[number][0]), positions)
    spans.sort()
    pieces, end, last = list[bytes](), 0, 0
    for start, stop, number in spans:
        if start < end:
            raise _edit_error(path, number, f"overlaps edit {last + 1}", "Join the two into one edit.")
        pieces += [text[end:start], pairs[number][1]]
        end, last = stop, number
    return b"".join((*pieces, text[end:]))


def _encode(text: str, has_crlf: bool) -> bytes:
    """If every line of the file ends in CRLF, an edit with only LF is taken to mean CRLF."""
    if has_crlf and "\r" not in text:
        text = text.replace("\n", "\r\n")
    return text.encode()


def _edit_spans(
    path: str, number: int, edit: Edit, length: int, positions: Sequence[int]
) -> Iterator[tuple[int, int, int]]:
    if not positions:
        raise _edit_error(
            path, number, "has an oldText that isn't in the file", "Read the file again and copy it exactly."
        )
    if len(positions) > 1 and not edit.all:
        hint = "Add neighbouring lines until it is there once, or set `all`."
        raise _edit_error(
            path, number, f"has an oldText that is in the file {len(positions)} times", hint, len(positions)
        )
    end = 0
    for at in positions:
        if at >= end:
            yield at, at + length, number
            end = at + length


def _find_all(text: bytes, needles: Sequence[bytes]) -> list[list[int]]:
    """Returns where each needle begins, including overlapping occurrences."""
    if len(needles) >= _MANY_EDITS and (positions := _find_all_at_once(text, needles)) is not None:
        return positions
    return [list(_occurrences(text, needle)) for needle in needles]


def _occurrences(text: bytes, needle: bytes) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


def _find_all_at_once(text: bytes, needles: Sequence[bytes]) -> list[list[int]] | None:
    """Finds all needles in one pass over the text; returns None if they are too long for that."""
    import re2  # takes 12 ms, and only many edits need it

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors, options.never_capture, options.max_mem = False, True, _MAX_MEMORY
    try:
        pattern = re2.compile(b"|".join(re2.escape(needle) for needle in dict.fromkeys(needles)), options)
    except re2.error:
        return None
    positions: list[list[int]] = [[] for _ in needles]
    by_first: dict[int, list[int]] = {}
    for number, needle in enumerate(needles):
        by_first.setdefault(needle[0], []).append(number)
    at = 0
    while (match := pattern.search(text, at)) is not None:
        start = match.start()
        for number in by_first[text[start]]:
            if text.startswith(needles[number], start):
                positions[number].append(start)
        at = start + 1
    return positions


def _edit_error(path: str, number: int, problem: str, hint: str, occurrences: int = 0) -> InvalidParams:
    return InvalidParams(
        f"Edit {number + 1} of {path} {problem}.", hint=hint, path=path, edit=number + 1, occurrences=occurrences
    )
