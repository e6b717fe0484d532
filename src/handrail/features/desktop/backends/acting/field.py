"""A field that a text is typed into: what it held before, and whether the text has arrived."""

import asyncio
from typing import NamedTuple

from handrail.features.desktop.backends.acting.accessible import Accessible
from handrail.features.desktop.backends.atspi.bus import PATIENCE
from handrail.features.desktop.platform import Element
from handrail.ports.errors import Timeout

_ARRIVAL_SECONDS = 1.5
_SECONDS_A_MEGABYTE = 15.0
_LOOK_EVERY = 0.02
_LOOK_AT_LEAST_EVERY = 0.4
_OBJECT = "\ufffc"
_IGNORED = str.maketrans("", "", "\r\n\u2028\u2029\u0085\t\u00a0\ufffc ↵")


class FieldText(NamedTuple):
    """A field's text and its selection; an empty selection is the caret."""

    text: str
    start: int
    end: int

    def replaced_by(self, text: str) -> str:
        """What the field should contain after `text` replaced the selection."""
        return self.text[: self.start] + text + self.text[self.end :]


EMPTY = FieldText("", 0, 0)


class Field:
    def __init__(self, accessible: Accessible, element: Element, text: str) -> None:
        self.accessible = accessible
        self.element = element
        self.before: FieldText | None = None
        self._text = text
        self._length_before: int | None = None

    @property
    def is_secret(self) -> bool:
        return self.element.role == "AXSecureTextField"

    @property
    def is_whole(self) -> bool:
        """False for a part of a document, where "select all" would select the whole document."""
        return self.element.native_role != "paragraph"

    def takes_as_keys(self, text: str) -> bool:
        """False if a key would send the form (Enter) or leave the field (Tab)."""
        return "multi-line" in self.element.states or not set(text) & set("\r\n\t")

    async def remember(self, *, is_cleared: bool) -> None:
        """`is_cleared`: the current text is about to be replaced, so it counts as empty."""
        length = await self.accessible.length()
        self._length_before = 0 if is_cleared and length is not None else length
        if is_cleared and not self.is_secret:
            self.before = EMPTY
        elif not self.is_secret:
            text = await self.accessible.text()
            self.before = FieldText(*text) if text is not None else None

    async def shows_text(self) -> bool | None:
        """Waits for the text; None where the field can't be read or the app is too busy to answer."""
        if self._length_before is None:
            return None
        left = _ARRIVAL_SECONDS + len(self._text) / 1e6 * _SECONDS_A_MEGABYTE
        pause, has_answered = _LOOK_EVERY, False
        while left > 0:
            try:
                if await self._has_text():
                    return True
                has_answered = True
            except Timeout:
                left -= PATIENCE
            await asyncio.sleep(pause)
            left -= pause
            pause = min(pause * 1.5, _LOOK_AT_LEAST_EVERY)
        return False if has_answered else None

    async def _has_text(self) -> bool:
        if self.before is None:
            return await self.accessible.length() == (self._length_before or 0) + len(self._text)
        now = await self.accessible.text()
        return now is not None and has_arrived(self.before, self._text, now[0])


def has_arrived(before: FieldText, text: str, now: str) -> bool:
    """Ignores line breaks, which fields drop or turn into paragraphs, and offsets, which toolkits count differently."""
    folded, whole = _fold(text), _fold(now)
    if whole == _fold(before.replaced_by(text)):
        return True
    if not folded:
        return False
    if whole.count(folded) > _fold(before.text).count(folded):
        return True
    lines = [line for line in map(_fold, text.splitlines()) if line]
    if len(lines) < 2:
        return False
    # If each paragraph is an element of its own, this one ends with the first line, or shows the others as objects.
    is_first = now.rstrip("\n") == before.text[: before.start] + text.splitlines()[0] != before.text
    return is_first or (_OBJECT in now and whole.count(lines[-1]) > _fold(before.text).count(lines[-1]))


def _fold(text: str) -> str:
    return text.translate(_IGNORED)
