"""Pictures of the screen in which the windows where handrail itself asks people are black, and password fields are.

Such a window may show an approval, a code or a new token. So may a browser that doesn't tell which page it shows. A
password field may show what is typed into it.
"""

import asyncio
from collections.abc import Sequence

from handrail.features.desktop.host.own_windows import why_closed
from handrail.features.desktop.platform import Covered, Desktop, Mark, Query, Rect, Shot, Window
from handrail.ports.errors import Declined, Failure

_SECRET = Query(role="AXSecureTextField")
_LOOK_SECONDS = 0.5


async def take(
    desktop: Desktop,
    area: Rect | None = None,
    *,
    outlined: Rect | None = None,
    cropped: Rect | None = None,
    marked: Sequence[Mark] = (),
) -> Shot:
    """Declined where such a window has no known place, so that it can't be left out."""
    everything = await desktop.windows()
    own = [window for window in everything if await why_closed(desktop, window, everything) is not None]
    for window in own:
        if window.frame is None:
            raise Declined(
                "A window of handrail itself may be on the screen, and it can't be told where.",
                hint="Ask the person to look there.",
                reason="own",
            )
    covered = await _secrets(desktop, [window for window in everything if window not in own])
    return await desktop.shot(area, outlined=outlined, cropped=cropped, marked=marked, hidden=own, covered=covered)


async def pixels(desktop: Desktop, area: Rect) -> tuple[bytes, Shot]:
    """What `area` looks like, for a program that reads it: password fields are black there, too."""
    shot = await take(desktop, area, cropped=area)
    if shot.area != area:  # not all of it is on the screen
        area = shot.area
        shot = await take(desktop, area, cropped=area)
    content = bytearray(shot.crop)
    for one in await _secrets(desktop, await desktop.windows()):
        if (seen := area.meets(one.frame or one.window.frame or area)) is not None:
            for row in range(seen.y - area.y, seen.y - area.y + seen.height):
                start = (row * area.width + seen.x - area.x) * 4
                content[start : start + seen.width * 4] = bytes(seen.width * 4)
    return bytes(content), shot


async def _secrets(desktop: Desktop, windows: Sequence[Window]) -> list[Covered]:
    """The password fields of all windows. One that doesn't answer shows nothing new meanwhile."""

    async def fields(window: Window) -> list[Covered]:
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                found = await desktop.find(window, _SECRET)
        except (Failure, TimeoutError):
            return []
        return [Covered(window, one.element.frame) for one in found if "showing" in one.element.states]

    return [one for found in await asyncio.gather(*map(fields, windows)) for one in found]
