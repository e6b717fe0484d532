"""Pictures of the screen in which the windows where handrail itself asks people are black.

Such a window may show an approval, a code or a new token. So may a browser that doesn't tell which page it shows.
"""

from handrail.features.desktop.host.own_windows import why_closed
from handrail.features.desktop.platform import Desktop, Rect, Shot, Window
from handrail.ports.errors import Declined


async def take(
    desktop: Desktop, area: Rect | None = None, *, outlined: Rect | None = None, cropped: Rect | None = None
) -> Shot:
    """Declined where such a window has no known place, so that it can't be left out."""
    return await desktop.shot(area, outlined=outlined, cropped=cropped, hidden=await _own_windows(desktop))


async def _own_windows(desktop: Desktop) -> list[Window]:
    everything = await desktop.windows()
    own = [window for window in everything if await why_closed(desktop, window, everything) is not None]
    for window in own:
        if window.frame is None:
            raise Declined(
                "A window of handrail itself may be on the screen, and it can't be told where.",
                hint="Ask the person to look there.",
                reason="own",
            )
    return own
