"""What an approval shows about an element: where it leads, what it sends, and what is near it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from handrail.kernel.quoting import quote_text

_MAX_FIELDS = 60
_MAX_LENGTH = 400
_MAX_FRAMES = 6


class _Destination(msgspec.Struct, frozen=True, kw_only=True):
    """`by`: a link, a button that sends its form, or the form of a field, which Enter may send."""

    method: str
    url: str
    by: Literal["link", "button", "form"] = "form"


class _Field(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    value: str
    length: int | None = None
    """The length of the whole value, if only its beginning is reported."""


class _FrameText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of another document: around the frame that contains the element, or in a frame beside the element."""

    where: Literal["around", "beside"]
    text: str


class _Shown(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    destination: _Destination | None = None
    frame_origin: str | None = None
    """The origin of the element's frame, if it is another one than the page's."""
    fields: list[_Field] = []
    near: list[str] = []
    frames: list[_FrameText] = []


UNKNOWN_DESTINATION = (
    "not visible: this is neither a link nor a button that sends a form, so the page's own script decides"
)
_UNLESS_SCRIPT = "unless the page's own script does something else"


def facts_of(report: Any, *, is_click: bool = False) -> Sequence[tuple[str, str]]:
    """The lines for the approval; empty if the report is missing or invalid."""
    if not isinstance(report, Mapping):
        return ()
    try:
        shown = msgspec.convert(report, _Shown)
    except msgspec.ValidationError:
        return ()
    return tuple(_facts(shown, is_click=is_click))


def _facts(shown: _Shown, *, is_click: bool) -> Iterator[tuple[str, str]]:
    if shown.frame_origin is not None:
        yield "In a frame of", quote_text(shown.frame_origin, _MAX_LENGTH)
    to = shown.destination
    if is_click and (to is None or to.by == "form"):
        yield "Leads to", UNKNOWN_DESTINATION
    elif to is not None:
        yield "Leads to", f"{to.method} {quote_text(to.url, 2000)}, {_UNLESS_SCRIPT}"
    for field in shown.fields[:_MAX_FIELDS]:
        kind = " (hidden)" if field.kind == "hidden" else ""
        length = "" if field.length is None else f" and more, {field.length} characters"
        yield f"Field {quote_text(field.name)}{kind}", f"{quote_text(field.value, _MAX_LENGTH)}{length}"
    if (more := len(shown.fields) - _MAX_FIELDS) > 0:
        yield "Fields", f"and {more} more that are not listed"
    for text in shown.near[:2]:
        yield "Near it", quote_text(text, _MAX_LENGTH)
    for frame in shown.frames[:_MAX_FRAMES]:
        yield (
            "Around its frame" if frame.where == "around" else "In a frame near it",
            quote_text(frame.text, _MAX_LENGTH),
        )
    if (more := len(shown.frames) - _MAX_FRAMES) > 0:
        yield "Frames", f"and {more} more that are not listed"
