"""The compositor port for an X server and its window manager."""

import os
from collections.abc import Iterator, Sequence

from handrail.features.desktop.backends.x11.clipboard import Clipboard
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.input import Keyboard, Pointer
from handrail.features.desktop.backends.x11.screen import X11Screen
from handrail.features.desktop.backends.x11.windows import X11Windows
from handrail.features.desktop.desktop_port import Issue, Rect
from handrail.ports.errors import PermissionMissing

_X11_SESSION = "Choose an X11 (Xorg) session when you sign in."


class X11Compositor:
    """Connects on first use."""

    def __init__(self) -> None:
        self._x11 = X11()
        self._screen = X11Screen(self._x11)
        self.windows = X11Windows(self._x11)
        self.windows.frames_are_relative = _is_wayland_session()
        self.pointer = Pointer(self._x11)
        self.keyboard = Keyboard(self._x11)
        self.clipboard = Clipboard(self._x11)

    @property
    def session(self) -> str:
        if not self.display_issues() and not self._x11.is_xwayland():
            return "x11"
        return "wayland" if _is_wayland_session() or not self.display_issues() else ""

    def area(self) -> Rect:
        return self._x11.screen_area()

    def monitors(self) -> Sequence[Rect]:
        return self._x11.monitors()

    def grab(self, area: Rect) -> bytearray:
        return self._screen.grab(area)

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        await self._screen.highlight(frame, duration_ms)

    def display_issues(self) -> list[Issue]:
        try:
            self._x11.display()
        except PermissionMissing as failure:
            message, fix = failure.message, failure.hint or ""
            return [Issue("screenRecording", message, fix), Issue("input", message, fix)]
        return []

    @property
    def can_act(self) -> bool:
        return bool(self._x11.display().has_extension("XTEST"))

    def input_issues(self) -> Iterator[Issue]:
        if not self.can_act:
            yield Issue("input", "The X server has no XTEST extension.", "Start the X server with XTEST.")
        if self._x11.is_xwayland():
            message = "This is a Wayland session: pointer and keys only reach X11 programs."
            yield Issue("input", message, _X11_SESSION)
        elif not self.windows.has_manager():
            message = "There is no window manager, and some programs get no keyboard focus without one."
            yield Issue("windowManager", message, "Start one, for example openbox.")

    async def close(self) -> None:
        await self.clipboard.close()
        self._screen.close()
        self._x11.close()


def _is_wayland_session() -> bool:
    return bool(os.environ.get("WAYLAND_DISPLAY")) or os.environ.get("XDG_SESSION_TYPE") == "wayland"
