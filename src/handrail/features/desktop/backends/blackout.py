"""Which parts of a window can be seen on the screen, and how they are made black in a picture."""

from collections.abc import Iterator, Sequence

from handrail.features.desktop.backends.compositor import TopWindow, TopWindows
from handrail.features.desktop.platform import Covered, Rect, Window

_BYTES_A_PIXEL = 4
_BLACK = b"\0\0\0\xff"


def seen_parts(windows: TopWindows, hidden: Sequence[Window], screen: Rect) -> list[Rect]:
    """Where these windows can be seen, without what others cover. One that the compositor doesn't know counts whole."""
    if not hidden:
        return []
    everything, stack = windows.all(), windows.shown()
    if any(one.frame is None for one in stack):
        return [screen]  # a compositor that doesn't tell where windows are
    places = {window.handle: _place(stack, window) for window in hidden}
    own = {stack[place].id for place in places.values() if place is not None}
    parts: list[Rect] = []
    for window in hidden:
        place = places[window.handle]
        if place is None:
            is_unknown = _place(everything, window) is None  # or else it is minimized
            parts += [window.frame or screen] if is_unknown else []
            continue
        above = [one.visible_frame for one in stack[place + 1 :] if one.id not in own]
        whole = stack[place].frame
        parts += [] if whole is None else _without(whole, [frame for frame in above if frame is not None])
    return parts


def seen_covers(windows: TopWindows, covered: Sequence[Covered], screen: Rect) -> list[Rect]:
    """Where these parts of windows can be seen."""
    parts: dict[str, list[Rect]] = {}
    for one in covered:
        if one.window.handle not in parts:
            parts[one.window.handle] = seen_parts(windows, [one.window], screen)
    return [both for one in covered for part in parts[one.window.handle] if (both := part.meets(one.frame or part))]


def paint(bgrx: bytearray, picture: Rect, parts: Sequence[Rect]) -> None:
    """Makes these parts of the screen black in the picture of an area of it."""
    for part in parts:
        if (seen := part.meets(picture)) is None:
            continue
        row = _BLACK * seen.width
        for y in range(seen.y - picture.y, seen.y - picture.y + seen.height):
            start = (y * picture.width + seen.x - picture.x) * _BYTES_A_PIXEL
            bgrx[start : start + len(row)] = row


def _place(stack: Sequence[TopWindow], window: Window) -> int | None:
    """Its place from the bottom. Of several that could be meant, the topmost: then nothing of it is seen."""
    fitting = [at for at, one in enumerate(stack) if window.frame in (one.frame, one.visible_frame)]
    same = [at for at in fitting if stack[at].pid == window.pid]
    return max(same or fitting, default=None)


def _without(area: Rect, covers: Sequence[Rect]) -> list[Rect]:
    parts = [area]
    for cover in covers:
        parts = [piece for part in parts for piece in _minus(part, cover)]
    return parts


def _minus(area: Rect, cover: Rect) -> Iterator[Rect]:
    """At most four pieces: above, below, left and right of what both cover."""
    both = area.meets(cover)
    if both is None:
        yield area
        return
    right, bottom = area.x + area.width, area.y + area.height
    pieces = (
        Rect(area.x, area.y, area.width, both.y - area.y),
        Rect(area.x, both.y + both.height, area.width, bottom - both.y - both.height),
        Rect(area.x, both.y, both.x - area.x, both.height),
        Rect(both.x + both.width, both.y, right - both.x - both.width, both.height),
    )
    yield from (piece for piece in pieces if piece.width > 0 and piece.height > 0)
