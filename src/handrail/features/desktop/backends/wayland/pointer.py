"""A virtual pointer. It isn't moved back afterwards, because the person's pointer position is unknown."""

import asyncio
import time
from collections.abc import Callable

from handrail.features.desktop.backends.click_pace import ClickPace
from handrail.features.desktop.backends.wayland.connection import Proxy
from handrail.features.desktop.backends.wayland.session import Wayland
from handrail.features.desktop.desktop_port import Gesture, Place
from handrail.ports.errors import Conflict, PermissionMissing

_MOTION_SECONDS = 0.04
"""Programs must get the motion before the button."""
_BUTTONS = {"left": 0x110, "right": 0x111, "middle": 0x112}
_DRAG_STEPS = 12
_DRAG_STEP_SECONDS = 0.01
_WHEEL = 0
_VERTICAL, _HORIZONTAL = 0, 1
_STEP = 15.0
"""How far one wheel step scrolls."""


class VirtualPointer(ClickPace):
    def __init__(self, wayland: Wayland) -> None:
        super().__init__()
        self._wayland = wayland

    async def perform(self, gesture: Gesture, x: int, y: int, *, reaches: Callable[[], bool]) -> None:
        self._move(x, y)
        await asyncio.sleep(_MOTION_SECONDS)
        if not reaches():
            raise Conflict("Another window covers the element.", hint="Move or close the window above it.")
        if gesture.kind == "click":
            for _ in range(gesture.count):
                self._button(gesture.button, is_down=True)
                self._button(gesture.button, is_down=False)
        elif gesture.kind == "scroll":
            self._scroll(_VERTICAL, gesture.down)
            self._scroll(_HORIZONTAL, gesture.right)
        elif gesture.kind == "drag" and gesture.to is not None:
            await self._drag(gesture.button, (x, y), gesture.to)
        self._wayland.session().connection.roundtrip()
        self.note_click(x, y)
        await asyncio.sleep(_MOTION_SECONDS)

    async def _drag(self, button: str, start: Place, end: Place) -> None:
        """Moves in small steps: programs start to drag only after the pointer has moved some pixels."""
        self._button(button, is_down=True)
        try:
            for step in range(1, _DRAG_STEPS + 1):
                x, y = (a + (b - a) * step // _DRAG_STEPS for a, b in zip(start, end, strict=True))
                self._move(x, y)
                await asyncio.sleep(_DRAG_STEP_SECONDS)
            await asyncio.sleep(_MOTION_SECONDS)
        finally:
            self._button(button, is_down=False)

    def _move(self, x: int, y: int) -> None:
        area = self._wayland.session().area()
        self._device.send("motion_absolute", _now(), x - area.x, y - area.y, area.width, area.height)
        self._end_frame()

    def _button(self, button: str, *, is_down: bool) -> None:
        self._device.send("button", _now(), _BUTTONS[button], int(is_down))
        self._end_frame()

    def _scroll(self, axis: int, steps: int) -> None:
        for _ in range(abs(steps)):
            direction = 1 if steps > 0 else -1
            self._device.send("axis_source", _WHEEL)
            self._device.send("axis_discrete", _now(), axis, direction * _STEP, direction)
            self._end_frame()

    def _end_frame(self) -> None:
        self._device.send("frame")
        self._wayland.session().connection.roundtrip()

    @property
    def _device(self) -> Proxy:
        if (pointer := self._wayland.session().pointer) is None:
            raise PermissionMissing("This Wayland compositor doesn't let programs move the pointer.")
        return pointer


def _now() -> int:
    return time.monotonic_ns() // 1_000_000 & 0xFFFFFFFF
