"""Numbers the parts of a change from 1 through all files, so that people can choose some of them by typing."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from handrail.kernel.visible import one_line
from handrail.ports.approval_card import ChangePart
from handrail.ports.errors import InvalidParams


class NumberedPart(NamedTuple):
    """`place` is the hunk's index in its file; None for a file that can only be approved as a whole."""

    number: int
    part: ChangePart
    place: int | None

    def __str__(self) -> str:
        path = one_line(self.part.path)
        if self.place is None:
            return f"{self.number}  {path}"
        hunk = self.part.hunks[self.place]
        return f"{self.number}  {path}, line {hunk.start_old}: +{len(hunk.lines_new)} -{len(hunk.lines_old)}"


def number_parts(parts: Sequence[ChangePart]) -> list[NumberedPart]:
    places = ((part, place) for part in parts for place in range(len(part.hunks)) or (None,))
    return [NumberedPart(number, part, place) for number, (part, place) in enumerate(places, 1)]


def select_parts(parts: Sequence[ChangePart], numbers: Collection[int]) -> dict[str, Any]:
    """The members of an answer that approves these parts; empty if it approves all. InvalidParams."""
    numbered = number_parts(parts)
    if unknown := sorted(set(numbers) - {each.number for each in numbered}):
        raise InvalidParams(f"There is no part {unknown[0]}: they are numbered from 1 to {len(numbered)}.")
    if not numbers:
        raise InvalidParams("Choose at least one part, or deny it.")
    if len(set(numbers)) == len(numbered):
        return {}
    files = list(_files(parts, [each for each in numbered if each.number in numbers]))
    return {"hunks": files[0]["hunks"]} if len(parts) == 1 else {"files": files}


def _files(parts: Sequence[ChangePart], taken: Sequence[NumberedPart]) -> Iterator[dict[str, Any]]:
    for part in parts:
        of_part = [each.place for each in taken if each.part is part]
        if of_part:
            is_whole = len(of_part) == max(1, len(part.hunks))
            yield {"path": part.path} if is_whole else {"path": part.path, "hunks": of_part}
