"""Takes screenshots as PNG in which hidden windows and covered areas are black."""

import asyncio
from collections.abc import Iterator, Sequence

from handrail.features.desktop.backends import picture
from handrail.features.desktop.backends.compositor import Compositor, TopWindow, TopWindows
from handrail.features.desktop.desktop_port import CoveredArea, Mark, Rect, Screenshot, Window
from handrail.ports.errors import InvalidParams

_MARGIN = 4
"""Pixels around an area, so that the picture contains the whole outline."""


class Camera:
    def __init__(self, compositor: Compositor) -> None:
        self._compositor = compositor

    async def screenshot(
        self,
        area: Rect | None = None,
        *,
        outlined: Rect | None = None,
        cropped: Rect | None = None,
        marked: Sequence[Mark] = (),
        hidden: Sequence[Window] = (),
        covered: Sequence[CoveredArea] = (),
    ) -> Screenshot:
        windows, screen = self._compositor.windows, self._compositor.area()
        if area is not None and outlined is not None and area == outlined:
            area = Rect(area.x - _MARGIN, area.y - _MARGIN, area.width + 2 * _MARGIN, area.height + 2 * _MARGIN)
        visible = screen if area is None else area.intersection(screen)
        if visible is None:
            raise InvalidParams("The area is not on the screen.", hint="Move the window onto the screen first.")
        hidden_before, covered_before = (
            visible_parts(windows, hidden, screen),
            visible_covered_parts(windows, covered, screen),
        )
        pixels = self._compositor.grab(visible)
        black_out(pixels, visible, hidden_before)
        black_out(
            pixels, visible, visible_parts(windows, hidden, screen)
        )  # what was uncovered while the pixels were read
        cropped_pixels = b"" if cropped is None else picture.crop(pixels, visible, cropped)
        black_out(pixels, visible, covered_before)
        black_out(pixels, visible, visible_covered_parts(windows, covered, screen))
        if outlined is not None:
            relative_outline = Rect(outlined.x - visible.x, outlined.y - visible.y, outlined.width, outlined.height)
            picture.draw_outline(pixels, visible.width, visible.height, relative_outline)
        for number, frame in marked:
            relative_frame = Rect(frame.x - visible.x, frame.y - visible.y, frame.width, frame.height)
            picture.draw_mark(pixels, visible.width, visible.height, relative_frame, number)
        return Screenshot(
            await asyncio.to_thread(picture.encode_png, pixels, visible.width, visible.height), visible, cropped_pixels
        )


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
