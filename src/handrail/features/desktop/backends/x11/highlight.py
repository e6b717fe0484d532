"""Outlines a part of the screen on the screen itself, with four thin windows that take no input away."""

import asyncio
import contextlib
from typing import Any

from Xlib import X, error
from Xlib.ext import shape

from handrail.features.desktop.backends.x11.connection import UNREACHABLE, X11
from handrail.features.desktop.backends.x11.png import bars
from handrail.features.desktop.platform import Rect
from handrail.ports.errors import Unsupported

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
