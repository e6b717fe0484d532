"""Finds the visible parts of windows and makes them black in pictures."""

from collections.abc import Iterator, Sequence

from handrail.features.desktop.backends.compositor import TopWindow, TopWindows
from handrail.features.desktop.desktop_port import CoveredArea, Rect, Window

_BYTES_PER_PIXEL = 4
_BLACK = b"\0\0\0\xff"


def visible_parts(windows: TopWindows, hidden: Sequence[Window], screen: Rect) -> list[Rect]:
    """Returns the visible parts of windows. A window that the compositor doesn't know counts as wholly visible."""
    if not hidden:
        return []
    everything, stack = windows.all(), windows.shown()
    if any(one.frame is None for one in stack):
        return [screen]  # the compositor doesn't report where windows are
    positions = {window.handle: _stack_position(stack, window) for window in hidden}
    hidden_ids = {stack[position].id for position in positions.values() if position is not None}
    parts: list[Rect] = []
    for window in hidden:
        position = positions[window.handle]
        if position is None:
            is_unknown = _stack_position(everything, window) is None  # otherwise it is minimized
            parts += [window.frame or screen] if is_unknown else []
            continue
        frames_above = [one.visible_frame for one in stack[position + 1 :] if one.id not in hidden_ids]
        frame = stack[position].frame
        parts += [] if frame is None else _subtract_all(frame, [frame for frame in frames_above if frame is not None])
    return parts


def visible_covered_parts(windows: TopWindows, covered: Sequence[CoveredArea], screen: Rect) -> list[Rect]:
    """Returns the visible parts of areas of windows."""
    parts: dict[str, list[Rect]] = {}
    for one in covered:
        if one.window.handle not in parts:
            parts[one.window.handle] = visible_parts(windows, [one.window], screen)
    return [
        overlap
        for one in covered
        for part in parts[one.window.handle]
        if (overlap := part.intersection(one.frame or part))
    ]


def black_out(bgrx: bytearray, picture: Rect, parts: Sequence[Rect]) -> None:
    """Blackens parts of the screen in a picture of a part of it."""
    for part in parts:
        if (visible := part.intersection(picture)) is None:
            continue
        row = _BLACK * visible.width
        for y in range(visible.y - picture.y, visible.y - picture.y + visible.height):
            start = (y * picture.width + visible.x - picture.x) * _BYTES_PER_PIXEL
            bgrx[start : start + len(row)] = row


def _stack_position(stack: Sequence[TopWindow], window: Window) -> int | None:
    """Returns the position from the bottom. Of several candidates, the topmost one, so that nothing is left visible."""
    positions = [at for at, one in enumerate(stack) if window.frame in (one.frame, one.visible_frame)]
    same_process = [at for at in positions if stack[at].pid == window.pid]
    return max(same_process or positions, default=None)


def _subtract_all(area: Rect, covers: Sequence[Rect]) -> list[Rect]:
    parts = [area]
    for cover in covers:
        parts = [piece for part in parts for piece in _subtract(part, cover)]
    return parts


def _subtract(area: Rect, cover: Rect) -> Iterator[Rect]:
    """Yields up to four pieces: above, below, left and right of the overlap."""
    overlap = area.intersection(cover)
    if overlap is None:
        yield area
        return
    right, bottom = area.x + area.width, area.y + area.height
    pieces = (
        Rect(area.x, area.y, area.width, overlap.y - area.y),
        Rect(area.x, overlap.y + overlap.height, area.width, bottom - overlap.y - overlap.height),
        Rect(area.x, overlap.y, overlap.x - area.x, overlap.height),
        Rect(overlap.x + overlap.width, overlap.y, right - overlap.x - overlap.width, overlap.height),
    )
    yield from (piece for piece in pieces if piece.width > 0 and piece.height > 0)
