"""Pictures of the screen in which the windows where handrail itself asks people are black, and password fields are.

Such a window may show an approval, a code or a new token. So may a browser that doesn't tell which page it shows. A
password field may show what is typed into it.
"""

import asyncio
from collections.abc import Sequence

from handrail.features.desktop.host.own_windows import why_closed
from handrail.features.desktop.platform import Covered, Desktop, Query, Rect, Shot, Window
from handrail.ports.errors import Declined, Failure

_SECRET = Query(role="AXSecureTextField")
_LOOK_SECONDS = 0.5


async def take(
    desktop: Desktop, area: Rect | None = None, *, outlined: Rect | None = None, cropped: Rect | None = None
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
    return await desktop.shot(area, outlined=outlined, cropped=cropped, hidden=own, covered=covered)


async def _secrets(desktop: Desktop, windows: Sequence[Window]) -> list[Covered]:
    """The password fields of all windows. One that doesn't answer shows nothing new meanwhile."""

    async def fields(window: Window) -> list[Covered]:
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                found = await desktop.find(window, _SECRET)
        except (Failure, TimeoutError):
            return []
        frames = [one.element.frame for one in found if "showing" in one.element.states]
        return [Covered(window, frame) for frame in frames if frame is not None]

    return [one for found in await asyncio.gather(*map(fields, windows)) for one in found]
