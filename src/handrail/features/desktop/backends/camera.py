"""Takes screenshots as PNG in which hidden windows and covered areas are black."""

import asyncio
from collections.abc import Sequence

from handrail.features.desktop.backends import picture
from handrail.features.desktop.backends.blackout import black_out, visible_covered_parts, visible_parts
from handrail.features.desktop.backends.compositor import Compositor
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
