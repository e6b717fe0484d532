"""Screenshots as PNG, without what must not be seen."""

import asyncio
from collections.abc import Sequence

from handrail.features.desktop.backends import picture
from handrail.features.desktop.backends.blackout import paint, seen_covers, seen_parts
from handrail.features.desktop.backends.compositor import Compositor
from handrail.features.desktop.platform import Covered, Mark, Rect, Shot, Window
from handrail.ports.errors import InvalidParams

_MARGIN = 4
"""Pixels around an area that keep the whole outline in the picture."""


class Camera:
    def __init__(self, compositor: Compositor) -> None:
        self._compositor = compositor

    async def shot(
        self,
        area: Rect | None = None,
        *,
        outlined: Rect | None = None,
        cropped: Rect | None = None,
        marked: Sequence[Mark] = (),
        hidden: Sequence[Window] = (),
        covered: Sequence[Covered] = (),
    ) -> Shot:
        windows, whole = self._compositor.windows, self._compositor.area()
        if area is not None and outlined is not None and area == outlined:
            area = Rect(area.x - _MARGIN, area.y - _MARGIN, area.width + 2 * _MARGIN, area.height + 2 * _MARGIN)
        seen = whole if area is None else area.meets(whole)
        if seen is None:
            raise InvalidParams("The area is not on the screen.", hint="Bring the window on to the screen first.")
        before, parts_before = seen_parts(windows, hidden, whole), seen_covers(windows, covered, whole)
        pixels = self._compositor.grab(seen)
        paint(pixels, seen, before)
        paint(pixels, seen, seen_parts(windows, hidden, whole))  # what was uncovered meanwhile
        part = b"" if cropped is None else picture.crop(pixels, seen, cropped)
        paint(pixels, seen, parts_before)
        paint(pixels, seen, seen_covers(windows, covered, whole))
        if outlined is not None:
            inside = Rect(outlined.x - seen.x, outlined.y - seen.y, outlined.width, outlined.height)
            picture.outline(pixels, seen.width, seen.height, inside)
        for number, frame in marked:
            place = Rect(frame.x - seen.x, frame.y - seen.y, frame.width, frame.height)
            picture.mark(pixels, seen.width, seen.height, place, number)
        return Shot(await asyncio.to_thread(picture.png, pixels, seen.width, seen.height), seen, part)
