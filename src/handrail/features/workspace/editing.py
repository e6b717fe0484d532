"""Several edits of one text, each found by its old text in the text as it is before all of them."""

from collections.abc import Iterator, Sequence

import msgspec

from handrail.ports.errors import InvalidParams

_MANY = 8
_MEMORY = 64 * 1024 * 1024


class Edit(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    old_text: str
    new_text: str
    all: bool = False


def edited(text: bytes, edits: Sequence[Edit], path: str) -> bytes:
    """InvalidParams where an old text isn't there, is there more than once, or overlaps that of another edit."""
    has_crlf = b"\r\n" in text and text.count(b"\n") == text.count(b"\r\n")
    pairs = [(_spelled(edit.old_text, has_crlf), _spelled(edit.new_text, has_crlf)) for edit in edits]
    for number, (old, _) in enumerate(pairs):
        if not old:
            raise _wrong(path, number, "has an empty oldText", "Use write_to_file to fill an empty file.")
    spans = list[tuple[int, int, int]]()
    for number, places in enumerate(_places(text, [old for old, _ in pairs])):
        spans += _chosen(path, number, edits[number], len(pairs[number][0]), places)
    spans.sort()
    pieces, end, last = list[bytes](), 0, 0
    for start, stop, number in spans:
        if start < end:
            raise _wrong(path, number, f"overlaps edit {last + 1}", "Join the two into one edit.")
        pieces += [text[end:start], pairs[number][1]]
        end, last = stop, number
    return b"".join((*pieces, text[end:]))


def _spelled(text: str, has_crlf: bool) -> bytes:
    """Where every line of the file ends in CRLF, an edit that knows only LF means that."""
    if has_crlf and "\r" not in text:
        text = text.replace("\n", "\r\n")
    return text.encode()


def _chosen(path: str, number: int, edit: Edit, length: int, places: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    if not places:
        raise _wrong(path, number, "has an oldText that isn't in the file", "Read the file again and copy it exactly.")
    if len(places) > 1 and not edit.all:
        hint = "Add neighbouring lines until it is there once, or set `all`."
        raise _wrong(path, number, f"has an oldText that is in the file {len(places)} times", hint, len(places))
    end = 0
    for at in places:
        if at >= end:
            yield at, at + length, number
            end = at + length


def _places(text: bytes, needles: Sequence[bytes]) -> list[list[int]]:
    """Where each of them begins, also where they overlap."""
    if len(needles) >= _MANY and (found := _found_at_once(text, needles)) is not None:
        return found
    return [list(_occurrences(text, needle)) for needle in needles]


def _occurrences(text: bytes, needle: bytes) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


def _found_at_once(text: bytes, needles: Sequence[bytes]) -> list[list[int]] | None:
    """All in one pass over the text; None if they are too long for that."""
    import re2  # 12 ms, needed for many edits alone

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors, options.never_capture, options.max_mem = False, True, _MEMORY
    try:
        pattern = re2.compile(b"|".join(re2.escape(needle) for needle in dict.fromkeys(needles)), options)
    except re2.error:
        return None
    found: list[list[int]] = [[] for _ in needles]
    by_first: dict[int, list[int]] = {}
    for number, needle in enumerate(needles):
        by_first.setdefault(needle[0], []).append(number)
    at = 0
    while (match := pattern.search(text, at)) is not None:
        start = match.start()
        for number in by_first[text[start]]:
            if text.startswith(needles[number], start):
                found[number].append(start)
        at = start + 1
    return found


def _wrong(path: str, number: int, what: str, hint: str, occurrences: int = 0) -> InvalidParams:
    return InvalidParams(
        f"Edit {number + 1} of {path} {what}.", hint=hint, path=path, edit=number + 1, occurrences=occurrences
    )
