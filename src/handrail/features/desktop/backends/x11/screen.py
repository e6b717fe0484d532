"""Pictures of the screen, taken through shared memory and compressed beside the event loop.

Refuses to know windows and elements: an area is an area. Under Wayland an X server has no picture to give.
"""

import asyncio
import contextlib
from typing import Any

import mss
from mss.exception import ScreenShotError
from Xlib import X, error
from Xlib.ext import shape

from handrail.features.desktop.backends.x11.connection import UNREACHABLE, X11
from handrail.features.desktop.backends.x11.png import bars, outline, png
from handrail.features.desktop.platform import Rect, Shot
from handrail.ports.errors import InvalidParams, PermissionMissing, Unsupported

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


_DISTANCE = 4
_THICKNESS = 3
_COLOUR = 0xE6002D
_AT_A_TIME = 16


class X11Highlight:
    """What is shown goes away by itself, with `close`, or with this process."""

    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        self._shown: list[list[Any]] = []

    async def show(self, frame: Rect, duration_ms: int) -> None:
        display = self._x11.display()
        if not display.has_extension("SHAPE"):
            raise Unsupported("This X server can't show a frame that lets clicks through.")
        if len(self._shown) >= _AT_A_TIME:
            self._hide(self._shown[0])
        windows = [self._bar(bar) for bar in bars(frame, _DISTANCE, _THICKNESS)]
        display.sync()
        self._shown.append(windows)
        asyncio.get_running_loop().call_later(duration_ms / 1000, self._hide, windows)

    def close(self) -> None:
        for windows in list(self._shown):
            self._hide(windows)

    def _bar(self, bar: Rect) -> Any:
        root = self._x11.root()
        window = root.create_window(
            bar.x, bar.y, bar.width, bar.height, 0, X.CopyFromParent, override_redirect=True, background_pixel=_COLOUR
        )
        # An empty input area: pointer and clicks go through to what is below.
        window.shape_rectangles(shape.SO.Set, shape.SK.Input, 0, 0, 0, [])
        window.map()
        return window

    def _hide(self, windows: list[Any]) -> None:
        if windows not in self._shown:
            return
        self._shown.remove(windows)
        with contextlib.suppress(error.XError, *UNREACHABLE):
            for window in windows:
                window.destroy()
            self._x11.display().flush()
