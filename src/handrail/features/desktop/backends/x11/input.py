"""Keyboard and pointer through the XTEST extension."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from Xlib import XK, X
from Xlib.ext import xtest

from handrail.features.desktop.backends.click_pace import ClickPace
from handrail.features.desktop.backends.compositor import Check
from handrail.features.desktop.backends.keysyms import character
from handrail.features.desktop.backends.keysyms import keysyms as named_keysyms
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.keys import Layout
from handrail.features.desktop.desktop_port import Gesture, KeyCombination, Place
from handrail.ports.errors import Conflict, PermissionMissing

_SPARE_KEYS_SECONDS = 0.5
"""How long spare keys keep their meaning: programs read the layout when they handle a key, not when it is pressed."""
_MOTION_SECONDS = 0.04
"""Some toolkits use the pointer's position at the time when they handle a click."""
_BUTTONS = {"left": 1, "middle": 2, "right": 3}
_DRAG_STEPS = 12
_DRAG_STEP_SECONDS = 0.01


class Keyboard:
    """Releases every key that it presses, also if a call is cancelled."""

    def __init__(self, x11: X11) -> None:
        self._x11 = x11

    async def send(self, combinations: Sequence[KeyCombination], *, before_each: Check, delay_ms: int = 0) -> None:
        """Sends key combinations. Resolves all key names before the first key."""
        keysym_lists = [named_keysyms(combination) for combination in combinations]
        layout = self._layout()
        keysyms_used = [keysym for keysyms in keysym_lists for keysym in keysyms]
        uses_spare_keys = any(layout.stroke(keysym) is None for keysym in keysyms_used)
        with layout.with_spare_keys(keysyms_used), self._without_caps_lock(layout):
            strokes = [_keycodes(layout, keysyms) for keysyms in keysym_lists]
            self._release_modifiers(layout)
            for index, keycodes in enumerate(strokes):
                if index:
                    await asyncio.sleep(delay_ms / 1000)
                await before_each()
                self._strike(keycodes)
            if uses_spare_keys:
                await asyncio.sleep(_SPARE_KEYS_SECONDS)

    async def write(
        self, text: str, *, before_each: Check, arrived: Callable[[], Awaitable[bool | None]]
    ) -> bool | None:
        """Types a text. Awaits `arrived` at the end, before it restores the layout, and returns the result."""
        layout = self._layout()
        self._release_modifiers(layout)
        parts = list(_parts(text, layout))
        for index, part in enumerate(parts, 1):
            keysyms = [character(char) for char in part]
            uses_spare_keys = any(layout.stroke(keysym) is None for keysym in keysyms)
            with layout.with_spare_keys(keysyms), self._without_caps_lock(layout):
                for keysym in keysyms:
                    await before_each()
                    self._strike(_keycodes(layout, [keysym]))
                    await asyncio.sleep(0)
                has_arrived = await arrived() if index == len(parts) else None
                if uses_spare_keys and has_arrived is None:  # a slow program must still find the changed layout
                    await asyncio.sleep(_SPARE_KEYS_SECONDS)
                if index == len(parts):
                    return has_arrived
        return None

    def _layout(self) -> Layout:
        if not self._x11.display().has_extension("XTEST"):
            raise PermissionMissing("The X server has no XTEST extension, so no program can press keys.")
        return Layout(self._x11)

    def _strike(self, keycodes: Sequence[int]) -> None:
        """Presses and releases keys without awaiting in between, so that no key stays pressed."""
        display = self._x11.display()
        for keycode in keycodes:
            xtest.fake_input(display, X.KeyPress, keycode)
        for keycode in reversed(keycodes):
            xtest.fake_input(display, X.KeyRelease, keycode)
        display.sync()

    @contextmanager
    def _without_caps_lock(self, layout: Layout) -> Iterator[None]:
        """Turns Caps Lock off inside the context, if it is on."""
        caps_lock = layout.stroke(XK.XK_Caps_Lock)
        if caps_lock is None or not self._x11.root().query_pointer().mask & X.LockMask:
            yield
            return
        self._strike([caps_lock.keycode])
        try:
            yield
        finally:
            self._strike([caps_lock.keycode])

    def _release_modifiers(self, layout: Layout) -> None:
        """Releases modifiers that a person holds down, because they would change our keys."""
        display = self._x11.display()
        pressed = display.query_keymap()
        for keycode in layout.modifier_keycodes():
            if pressed[keycode // 8] >> keycode % 8 & 1:
                xtest.fake_input(display, X.KeyRelease, keycode)
        display.flush()


def _keycodes(layout: Layout, keysyms: Sequence[int]) -> list[int]:
    strokes = [stroke for keysym in keysyms if (stroke := layout.stroke(keysym)) is not None]
    keycodes = [stroke.keycode for stroke in strokes]
    if any(stroke.is_shifted for stroke in strokes) and (shift := layout.stroke(XK.XK_Shift_L)) is not None:
        keycodes.insert(0, shift.keycode)
    return list(dict.fromkeys(keycodes))


def _parts(text: str, layout: Layout) -> Iterable[str]:
    """Splits a text so that there are enough spare keys for each part."""
    part, missing = "", set[int]()
    for char in text:
        keysym = character(char)
        is_missing = layout.stroke(keysym) is None and keysym not in missing
        if is_missing and len(missing) == layout.spare_key_count:
            yield part
            part, missing, is_missing = "", set(), True
        if is_missing:
            missing.add(keysym)
        part += char
    if part:
        yield part


def _strokes(gesture: Gesture) -> list[int]:
    """Returns the buttons to press and release, one after the other. Wheel steps are buttons as well."""
    if gesture.kind == "click":
        return [_BUTTONS[gesture.button]] * gesture.count
    up, down, left, right = 4, 5, 6, 7
    return [down if gesture.down > 0 else up] * abs(gesture.down) + [right if gesture.right > 0 else left] * abs(
        gesture.right
    )


class Pointer(ClickPace):
    """Performs gestures, and moves the pointer back to where the person had it."""

    def __init__(self, x11: X11) -> None:
        super().__init__()
        self._x11 = x11

    async def perform(self, gesture: Gesture, x: int, y: int, *, reaches: Callable[[], bool]) -> None:
        """Performs a gesture. Conflict if `reaches`, called while the screen can't change, returns False."""
        display = self._x11.display()
        if not display.has_extension("XTEST"):
            raise PermissionMissing("The X server has no XTEST extension, so no program can move the pointer.")
        pointer_before = self._x11.root().query_pointer()
        try:
            xtest.fake_input(display, X.MotionNotify, x=x, y=y)
            display.sync()
            # the window below must get the motion before the button
            await asyncio.sleep(_MOTION_SECONDS)
            display.grab_server()
            try:
                if not reaches():
                    raise Conflict("Another window covers the element.", hint="Move or close the window above it.")
                if gesture.kind == "drag":
                    xtest.fake_input(display, X.ButtonPress, _BUTTONS[gesture.button])
                for button in _strokes(gesture):
                    xtest.fake_input(display, X.ButtonPress, button)
                    xtest.fake_input(display, X.ButtonRelease, button)
            finally:
                display.ungrab_server()
                display.sync()
            if gesture.to is not None:
                await self._drag(gesture.button, (x, y), gesture.to)
            self.note_click(x, y)
            await asyncio.sleep(_MOTION_SECONDS)
        finally:
            if gesture.kind != "hover":  # hovering means that the pointer stays
                xtest.fake_input(display, X.MotionNotify, x=pointer_before.root_x, y=pointer_before.root_y)
            display.sync()

    async def _drag(self, button: str, start: Place, end: Place) -> None:
        """Moves in small steps: programs start to drag only after the pointer has moved some pixels."""
        display = self._x11.display()
        try:
            for step in range(1, _DRAG_STEPS + 1):
                x, y = (a + (b - a) * step // _DRAG_STEPS for a, b in zip(start, end, strict=True))
                xtest.fake_input(display, X.MotionNotify, x=x, y=y)
                display.sync()
                await asyncio.sleep(_DRAG_STEP_SECONDS)
            await asyncio.sleep(_MOTION_SECONDS)
        finally:
            xtest.fake_input(display, X.ButtonRelease, _BUTTONS[button])
            display.sync()
