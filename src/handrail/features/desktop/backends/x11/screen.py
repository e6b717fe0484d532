"""Pictures of the screen, taken through shared memory and compressed beside the event loop.

Refuses to know windows and elements: an area is an area. Under Wayland an X server has no picture to give.
"""

import asyncio

import mss
from mss.exception import ScreenShotError

from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.png import outline, png
from handrail.features.desktop.platform import Rect, Shot
from handrail.ports.errors import InvalidParams, PermissionMissing

_MARGIN = 4
"""Pixels around an area that keep the whole of an outline in the picture."""


class X11Screen:
    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        self._camera: mss.MSS | None = None

    async def shot(self, area: Rect | None = None, *, outlined: Rect | None = None) -> Shot:
        whole = self._whole()
        if area is not None and outlined is not None and area == outlined:
            area = Rect(area.x - _MARGIN, area.y - _MARGIN, area.width + 2 * _MARGIN, area.height + 2 * _MARGIN)
        seen = whole if area is None else area.meets(whole)
        if seen is None:
            raise InvalidParams("The area is not on the screen.", hint="Bring the window on to the screen first.")
        pixels = self._grab(seen)
        if outlined is not None:
            inside = Rect(outlined.x - seen.x, outlined.y - seen.y, outlined.width, outlined.height)
            outline(pixels, seen.width, seen.height, inside)
        return Shot(await asyncio.to_thread(png, pixels, seen.width, seen.height), seen)

    def close(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()

    def _whole(self) -> Rect:
        if self._x11.is_xwayland():
            raise PermissionMissing(
                "A Wayland session gives no picture of the screen to other programs.",
                hint="Choose an X11 (Xorg) session when you sign in.",
            )
        size = self._x11.root().get_geometry()
        return Rect(0, 0, size.width, size.height)

    def _grab(self, area: Rect) -> bytearray:
        """Twice where need be: a camera does not outlive its X server, nor a larger screen."""
        box = {"left": area.x, "top": area.y, "width": area.width, "height": area.height}
        try:
            return self._open().grab(box).raw
        except ScreenShotError:
            self.close()
        try:
            return self._open().grab(box).raw
        except ScreenShotError as exc:
            self.close()
            raise PermissionMissing(
                f"The X server gives no picture of the screen: {exc}", hint="`handrail desktop doctor` tells more."
            ) from None

    def _open(self) -> mss.MSS:
        if self._camera is None:
            self._camera = mss.MSS(display=self._x11.name)
        return self._camera
