"""Reads the X server's pixels, and shows outlines on the screen itself."""

import asyncio
import contextlib
from typing import Any

import mss
from mss.exception import ScreenShotError
from Xlib import X, error
from Xlib.ext import shape

from handrail.features.desktop.backends.picture import frame_bars
from handrail.features.desktop.backends.x11.connection import UNREACHABLE, X11
from handrail.features.desktop.desktop_port import Rect
from handrail.ports.errors import PermissionMissing, Unsupported

_HIGHLIGHT_DISTANCE = 4
_HIGHLIGHT_THICKNESS = 3
_RED = 0xE6002D
_MAX_HIGHLIGHTS = 16


class X11Screen:
    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        self._camera: mss.MSS | None = None
        self._highlights: list[list[Any]] = []

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        """Shows an outline for a while, or until `close` or the end of this process."""
        display = self._x11.display()
        if not display.has_extension("SHAPE"):
            raise Unsupported("This X server can't show an outline that lets clicks through.")
        if len(self._highlights) >= _MAX_HIGHLIGHTS:
            self._hide(self._highlights[0])
        windows = [self._bar(bar) for bar in frame_bars(frame, _HIGHLIGHT_DISTANCE, _HIGHLIGHT_THICKNESS)]
        display.sync()
        self._highlights.append(windows)
        asyncio.get_running_loop().call_later(duration_ms / 1000, self._hide, windows)

    def close(self) -> None:
        for windows in list(self._highlights):
            self._hide(windows)
        self._close_camera()

    def grab(self, area: Rect) -> bytearray:
        """Reads pixels. Tries twice, because a camera fails after the X server restarted or the screen grew."""
        if self._x11.is_xwayland():
            raise PermissionMissing(
                "This Wayland session doesn't allow screenshots.",
                hint="Choose an X11 (Xorg) session when you sign in.",
            )
        box = {"left": area.x, "top": area.y, "width": area.width, "height": area.height}
        failure: ScreenShotError | None = None
        for _ in range(2):
            try:
                if self._camera is None:
                    self._x11.check_answers()
                    self._camera = mss.MSS(display=self._x11.name)
                return self._camera.grab(box).raw
            except ScreenShotError as exc:
                failure = exc
                self._close_camera()
        raise PermissionMissing(f"The X server allows no screenshot: {failure}", hint="Run `handrail doctor`.")

    def _close_camera(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()

    def _bar(self, bar: Rect) -> Any:
        root = self._x11.root()
        area = (bar.x, bar.y, bar.width, bar.height)
        window = root.create_window(*area, 0, X.CopyFromParent, override_redirect=True, background_pixel=_RED)
        # with an empty input area, clicks reach what is below
        window.shape_rectangles(shape.SO.Set, shape.SK.Input, 0, 0, 0, [])
        window.map()
        return window

    def _hide(self, windows: list[Any]) -> None:
        if windows not in self._highlights:
            return
        self._highlights.remove(windows)
        with contextlib.suppress(error.XError, *UNREACHABLE):
            for window in windows:
                window.destroy()
            self._x11.display().flush()
