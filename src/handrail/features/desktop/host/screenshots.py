"""Takes screenshots in which password fields and windows that handrail itself uses are black.

Such a window may show an approval, a code or a new token, and so may a browser that doesn't report which page it shows.
A password field may show what is typed into it.
"""

import asyncio
from collections.abc import Sequence

from handrail.features.desktop.desktop_port import CoveredArea, DesktopPort, Mark, Query, Rect, Screenshot, Window
from handrail.features.desktop.host.own_windows import why_off_limits
from handrail.ports.errors import Declined, Failure

_PASSWORD_FIELDS = Query(role="AXSecureTextField")
_READ_SECONDS = 0.5


async def take_screenshot(
    desktop: DesktopPort,
    area: Rect | None = None,
    *,
    outlined: Rect | None = None,
    cropped: Rect | None = None,
    marked: Sequence[Mark] = (),
) -> Screenshot:
    """Declined if the place of such a window is unknown, so that it can't be blackened."""
    all_windows = await desktop.windows()
    protected = [window for window in all_windows if await why_off_limits(desktop, window, all_windows) is not None]
    for window in protected:
        if window.frame is None:
            raise Declined(
                "A handrail window may be visible somewhere on the screen.",
                hint="Ask the person to look there.",
                reason="own",
            )
    covered = await _password_fields(desktop, [window for window in all_windows if window not in protected])
    return await desktop.screenshot(
        area, outlined=outlined, cropped=cropped, marked=marked, hidden=protected, covered=covered
    )


async def read_pixels(desktop: DesktopPort, area: Rect) -> tuple[bytes, Screenshot]:
    """Returns the pixels of `area` for a program to read, with password fields blackened as well."""
    shot = await take_screenshot(desktop, area, cropped=area)
    if shot.area != area:  # not all of it is on the screen
        area = shot.area
        shot = await take_screenshot(desktop, area, cropped=area)
    content = bytearray(shot.crop)
    for field in await _password_fields(desktop, await desktop.windows()):
        if (visible := area.intersection(field.frame or field.window.frame or area)) is not None:
            for row in range(visible.y - area.y, visible.y - area.y + visible.height):
                start = (row * area.width + visible.x - area.x) * 4
                content[start : start + visible.width * 4] = bytes(visible.width * 4)
    return bytes(content), shot


async def _password_fields(desktop: DesktopPort, windows: Sequence[Window]) -> list[CoveredArea]:
    """Returns the password fields of all windows. A window that doesn't respond can't show new ones."""

    async def fields(window: Window) -> list[CoveredArea]:
        try:
            async with asyncio.timeout(_READ_SECONDS):
                matches = await desktop.find(window, _PASSWORD_FIELDS)
        except (Failure, TimeoutError):
            return []
        return [CoveredArea(window, match.element.frame) for match in matches if "showing" in match.element.states]

    return [match for matches in await asyncio.gather(*map(fields, windows)) for match in matches]
