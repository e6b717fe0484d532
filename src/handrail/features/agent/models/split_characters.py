"""Joins characters whose halves arrive in two chunks: some servers cut an emoji between its surrogates."""

from __future__ import annotations

_FIRST_HALVES = ("\ud800", "\udbff")


class SplitCharacters:
    """Each field of a reply has its own text."""

    def __init__(self) -> None:
        self._halves: dict[str | int, str] = {}

    def join(self, field: str | int, text: str, *, is_last: bool = False) -> str:
        """The text in whole characters. Half a character at its end is held back until the other half is there."""
        half = self._halves.pop(field, "") if text or is_last else ""
        if not half and text.isascii():
            return text
        text = half + text
        if not is_last and _FIRST_HALVES[0] <= text[-1] <= _FIRST_HALVES[1]:
            text, self._halves[field] = text[:-1], text[-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
