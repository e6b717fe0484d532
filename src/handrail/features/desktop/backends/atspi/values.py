"""What the value of an element is: the text in a field, the number of a slider, whether a box is checked.

Never what somebody typed into a password field.
"""

from collections.abc import Collection, Iterator, Set
from typing import Any

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.wire import Call

LONGEST_TEXT = 4096
"""Characters of a title or value that are kept; a text that goes on ends in an ellipsis."""

LENGTH = Call("org.freedesktop.DBus.Properties", "Get", "ss", calls.TEXT, "CharacterCount")
_TEXT = calls.text(0, LONGEST_TEXT + 1)
_CHECKABLE = frozenset((7, 8, 44, 45, 62, 130))
_NUMERIC = frozenset((15, 42, 48, 51, 52, 103, 114))
_WRITTEN = frozenset((11, 12, 56, 60, 61, 73, 76, 77, 79, 94, 96))


def questions(role: int, states: Set[str], interfaces: Collection[str], is_named: bool) -> Iterator[tuple[str, Call]]:
    """What must be asked to know the value."""
    if role in _CHECKABLE or role == roles.SECRET:
        return
    if role in _NUMERIC and calls.VALUE in interfaces:
        yield "number", calls.CURRENT_VALUE
    elif calls.TEXT in interfaces and (
        role in _WRITTEN or "editable" in states or (role in roles.LABELS and not is_named)
    ):
        yield "text", _TEXT


def text_of(length: int) -> Call:
    """As much as is kept of a text whose end is known."""
    return calls.text(0, min(length, LONGEST_TEXT + 1))


def value(role: int, states: Set[str], title: str, found: dict[str, Any]) -> str | None:
    if role in _CHECKABLE:
        return "2" if "indeterminate" in states else "1" if "checked" in states or "pressed" in states else "0"
    if "number" in found:
        return f"{found['number'].value:.15g}"
    if "text" in found:
        return bounded(found["text"])
    return bounded(title) if role in roles.LABELS and title else None


def bounded(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
