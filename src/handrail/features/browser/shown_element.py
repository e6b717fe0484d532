"""What a browser tells of an element that a person is asked about: where it leads, what it sends, what is near it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from handrail.kernel.quoting import quoted

_MOST_FIELDS = 60
_LONGEST = 400


class _Destination(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    url: str


class _Field(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    value: str
    length: int | None = None
    """Of the whole value, where only its beginning is told."""


class _Shown(msgspec.Struct, frozen=True, kw_only=True):
    destination: _Destination | None = None
    fields: list[_Field] = []
    near: list[str] = []


UNKNOWN_DESTINATION = "not visible: this is neither a link nor a form, so the page's own script decides"


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
    if shown.destination is None and is_click:
        yield "Leads to", UNKNOWN_DESTINATION
    if shown.destination is not None:
        yield "Leads to", f"{shown.destination.method} {quoted(shown.destination.url, 2000)}"
    for field in shown.fields[:_MOST_FIELDS]:
        kind = " (hidden)" if field.kind == "hidden" else ""
        length = "" if field.length is None else f" and more, {field.length} characters"
        yield f"Field {quoted(field.name)}{kind}", f"{quoted(field.value, _LONGEST)}{length}"
    if (more := len(shown.fields) - _MOST_FIELDS) > 0:
        yield "Fields", f"and {more} more that are not listed"
    for text in shown.near[:2]:
        yield "Near it", quoted(text, _LONGEST)
