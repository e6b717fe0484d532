"""The compositor port for compositors with wlroots' protocols, such as sway, labwc, river and Wayfire."""

from collections.abc import Iterator, Sequence

from handrail.features.desktop.backends.compositor import TopWindows
from handrail.features.desktop.backends.wayland.clipboard import WaylandClipboard
from handrail.features.desktop.backends.wayland.highlights import Highlights
from handrail.features.desktop.backends.wayland.keyboard import VirtualKeyboard
from handrail.features.desktop.backends.wayland.pointer import VirtualPointer
from handrail.features.desktop.backends.wayland.screencopy import Screencopy
from handrail.features.desktop.backends.wayland.session import KEYBOARD_MANAGER, POINTER_MANAGER, Wayland
from handrail.features.desktop.backends.wayland.sway_windows import SwayWindows, socket_path
from handrail.features.desktop.backends.wayland.toplevels import Toplevels
from handrail.features.desktop.desktop_port import Issue, Rect
from handrail.ports.errors import PermissionMissing

REQUIRED_INTERFACES = frozenset({KEYBOARD_MANAGER, POINTER_MANAGER})
_NO_POSITIONS = (
    "This Wayland compositor doesn't report where windows are: elements have no frame, and the pointer can't be "
    "used. Keys, text, pictures and the elements' own actions work."
)
_NO_POSITIONS_FIX = "Use sway or an X11 session where the pointer is needed."


class WlrootsCompositor:
    session = "wayland"

    def __init__(self) -> None:
        self._wayland = Wayland()
        self._camera = Screencopy(self._wayland)
        self._highlights = Highlights(self._wayland)
        sway = socket_path()
        self.windows: TopWindows = SwayWindows(sway) if sway else Toplevels(self._wayland)
        self.pointer = VirtualPointer(self._wayland)
        self.keyboard = VirtualKeyboard(self._wayland)
        self.clipboard = WaylandClipboard(self._wayland)

    def area(self) -> Rect:
        return self._wayland.session().area()

    def monitors(self) -> Sequence[Rect]:
        return [output.area for output in self._wayland.session().outputs]

    def grab(self, area: Rect) -> bytearray:
        return self._camera.grab(area)

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        await self._highlights.show(frame, duration_ms)

    def display_issues(self) -> list[Issue]:
        try:
            self._wayland.session()
        except PermissionMissing as failure:
            message, fix = failure.message, failure.hint or ""
            return [Issue("screenRecording", message, fix), Issue("input", message, fix)]
        return []

    @property
    def can_act(self) -> bool:
        return self._wayland.session().keyboard is not None

    def input_issues(self) -> Iterator[Issue]:
        if isinstance(self.windows, Toplevels):
            yield Issue("input", _NO_POSITIONS, _NO_POSITIONS_FIX)

    async def close(self) -> None:
        self._highlights.close()
        self._wayland.close()
