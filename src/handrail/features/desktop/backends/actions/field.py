"""A field that text is typed into: what it contained before, and whether the text has arrived."""

import asyncio
from typing import NamedTuple

from handrail.features.desktop.backends.actions.accessible import Accessible
from handrail.features.desktop.backends.atspi.bus import PATIENCE
from handrail.features.desktop.desktop_port import Element
from handrail.ports.errors import Timeout

_ARRIVAL_SECONDS = 1.5
_SECONDS_PER_MEGABYTE = 15.0
_FIRST_POLL_SECONDS = 0.02
_MAX_POLL_SECONDS = 0.4
_EMBEDDED_OBJECT = "\ufffc"
_IGNORED = str.maketrans("", "", "\r\n\u2028\u2029\u0085\t\u00a0\ufffc ↵")


class FieldText(NamedTuple):
    """A field's text and its selection; an empty selection is the caret."""

    text: str
    start: int
    end: int

    def replaced_by(self, text: str) -> str:
        """Returns what the field should contain after `text` replaced the selection."""
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
        """False for a part of a document, in which "select all" would select the whole document."""
        return self.element.native_role != "paragraph"

    def takes_as_keys(self, text: str) -> bool:
        """Returns False if a key would submit the form (Enter) or leave the field (Tab)."""
        return "multi-line" in self.element.states or not set(text) & set("\r\n\t")

    async def remember(self, *, is_cleared: bool) -> None:
        """Stores the current content. `is_cleared` means that it is about to be replaced, so it counts as empty."""
        length = await self.accessible.length()
        self._length_before = 0 if is_cleared and length is not None else length
        if is_cleared and not self.is_secret:
            self.before = EMPTY
        elif not self.is_secret:
            text = await self.accessible.text()
            self.before = FieldText(*text) if text is not None else None

    async def shows_text(self) -> bool | None:
        """Waits for the text. Returns None if the field can't be read or the app is too busy to answer."""
        if self._length_before is None:
            return None
        remaining = _ARRIVAL_SECONDS + len(self._text) / 1e6 * _SECONDS_PER_MEGABYTE
        pause, has_answered = _FIRST_POLL_SECONDS, False
        while remaining > 0:
            try:
                if await self._has_text():
                    return True
                has_answered = True
            except Timeout:
                remaining -= PATIENCE
            await asyncio.sleep(pause)
            remaining -= pause
            pause = min(pause * 1.5, _MAX_POLL_SECONDS)
        return False if has_answered else None

    async def _has_text(self) -> bool:
        if self.before is None:
            return await self.accessible.length() == (self._length_before or 0) + len(self._text)
        current = await self.accessible.text()
        return current is not None and has_arrived(self.before, self._text, current[0])


def has_arrived(before: FieldText, text: str, now: str) -> bool:
    """Ignores line breaks, which fields remove or turn into paragraphs, and offsets, which toolkits disagree about."""
    folded, folded_now = _fold(text), _fold(now)
    if folded_now == _fold(before.replaced_by(text)):
        return True
    if not folded:
        return False
    if folded_now.count(folded) > _fold(before.text).count(folded):
        return True
    lines = [line for line in map(_fold, text.splitlines()) if line]
    if len(lines) < 2:
        return False
    # If each paragraph is an element of its own, this one ends with the first line, or shows the others as objects.
    is_first = now.rstrip("\n") == before.text[: before.start] + text.splitlines()[0] != before.text
    return is_first or (_EMBEDDED_OBJECT in now and folded_now.count(lines[-1]) > _fold(before.text).count(lines[-1]))


def _fold(text: str) -> str:
    return text.translate(_IGNORED)
