"""What a browser tells of an element that a person is asked about: where it leads, what it sends, what is near it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from handrail.kernel.quoting import quote_text

_MOST_FIELDS = 60
_LONGEST = 400
_MOST_FRAMES = 6


class _Destination(msgspec.Struct, frozen=True, kw_only=True):
    """`by`: a link, a button that sends the form, or the form of a field, which only Enter may send."""

    method: str
    url: str
    by: Literal["link", "button", "form"] = "form"


class _Field(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    value: str
    length: int | None = None
    """Of the whole value, where only its beginning is told."""


class _FrameText(msgspec.Struct, frozen=True, kw_only=True):
    """What a frame of another document shows: around the frame that the element is in, or beside the element."""

    where: Literal["around", "beside"]
    text: str


class _Shown(msgspec.Struct, frozen=True, kw_only=True):
    destination: _Destination | None = None
    fields: list[_Field] = []
    near: list[str] = []
    frames: list[_FrameText] = []


UNKNOWN_DESTINATION = (
    "not visible: this is neither a link nor a button that sends a form, so the page's own script decides"
)
_SCRIPT_MAY = "unless the page's own script does something else"


def facts_of(told: Any, *, is_click: bool = False) -> Sequence[tuple[str, str]]:
    """As lines of the question; empty where the browser tells nothing that makes sense."""
    if not isinstance(told, Mapping):
        return ()
    try:
        shown = msgspec.convert(told, _Shown)
    except msgspec.ValidationError:
        return ()
    return tuple(_facts(shown, is_click=is_click))


def _facts(shown: _Shown, *, is_click: bool) -> Iterator[tuple[str, str]]:
    to = shown.destination
    if is_click and (to is None or to.by == "form"):
        yield "Leads to", UNKNOWN_DESTINATION
    elif to is not None:
        yield "Leads to", f"{to.method} {quote_text(to.url, 2000)}, {_SCRIPT_MAY}"
    for field in shown.fields[:_MOST_FIELDS]:
        kind = " (hidden)" if field.kind == "hidden" else ""
        length = "" if field.length is None else f" and more, {field.length} characters"
        yield f"Field {quote_text(field.name)}{kind}", f"{quote_text(field.value, _LONGEST)}{length}"
    if (more := len(shown.fields) - _MOST_FIELDS) > 0:
        yield "Fields", f"and {more} more that are not listed"
    for text in shown.near[:2]:
        yield "Near it", quote_text(text, _LONGEST)
    for frame in shown.frames[:_MOST_FRAMES]:
        yield "Around its frame" if frame.where == "around" else "In a frame near it", quote_text(frame.text, _LONGEST)
    if (more := len(shown.frames) - _MOST_FRAMES) > 0:
        yield "Frames", f"and {more} more that are not listed"
