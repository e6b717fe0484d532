"""Presses keys and clicks through the XTEST extension."""

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

_LENT_KEYS_SECONDS = 0.5
"""How long lent keys stay: a program asks for the layout when it handles the key, not when the key was pressed."""
_POINTER_SECONDS = 0.04
"""Some toolkits ask where the pointer is when they handle the click, not where it was."""
_BUTTONS = {"left": 1, "middle": 2, "right": 3}
_DRAG_STEPS = 12
_DRAG_STEP_SECONDS = 0.01


class Keyboard:
    """Releases everything it presses, also when a call is cancelled."""

    def __init__(self, x11: X11) -> None:
        self._x11 = x11

    async def send(self, combinations: Sequence[KeyCombination], *, before_each: Check, delay_ms: int = 0) -> None:
        """Resolves all names before the first key is sent."""
        wanted = [named_keysyms(combination) for combination in combinations]
        layout = self._layout()
        every = [keysym for keysyms in wanted for keysym in keysyms]
        is_lent = any(layout.stroke(keysym) is None for keysym in every)
        with layout.lending(every), self._without_caps_lock(layout):
            strokes = [_keycodes(layout, keysyms) for keysyms in wanted]
            self._release_modifiers(layout)
            for index, keycodes in enumerate(strokes):
                if index:
                    await asyncio.sleep(delay_ms / 1000)
                await before_each()
                self._strike(keycodes)
            if is_lent:
                await asyncio.sleep(_LENT_KEYS_SECONDS)

    async def write(
        self, text: str, *, before_each: Check, arrived: Callable[[], Awaitable[bool | None]]
    ) -> bool | None:
        """Types a text. Awaits `arrived` at the end, before it restores the layout, and returns its result."""
        layout = self._layout()
        self._release_modifiers(layout)
        parts = list(_parts(text, layout))
        for index, part in enumerate(parts, 1):
            keysyms = [character(sign) for sign in part]
            is_lent = any(layout.stroke(keysym) is None for keysym in keysyms)
            with layout.lending(keysyms), self._without_caps_lock(layout):
                for keysym in keysyms:
                    await before_each()
                    self._strike(_keycodes(layout, [keysym]))
                    await asyncio.sleep(0)
                has_arrived = await arrived() if index == len(parts) else None
                if is_lent and has_arrived is None:  # whoever reads its keys late must still find the layout
                    await asyncio.sleep(_LENT_KEYS_SECONDS)
                if index == len(parts):
                    return has_arrived
        return None

    def _layout(self) -> Layout:
        if not self._x11.display().has_extension("XTEST"):
            raise PermissionMissing("The X server lets no program press keys: it has no XTEST extension.")
        return Layout(self._x11)

    def _strike(self, keycodes: Sequence[int]) -> None:
        """Without an await between, so that nothing stays pressed."""
        display = self._x11.display()
        for keycode in keycodes:
            xtest.fake_input(display, X.KeyPress, keycode)
        for keycode in reversed(keycodes):
            xtest.fake_input(display, X.KeyRelease, keycode)
        display.sync()

    @contextmanager
    def _without_caps_lock(self, layout: Layout) -> Iterator[None]:
        """Turns a person's Caps Lock off and on again."""
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
        """A Shift that a person holds down would change our keys."""
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
    """Splits the text so that there are enough spare keys for each part."""
    part, lacking = "", set[int]()
    for sign in text:
        keysym = character(sign)
        is_lacking = layout.stroke(keysym) is None and keysym not in lacking
        if is_lacking and len(lacking) == layout.most_lent:
            yield part
            part, lacking, is_lacking = "", set(), True
        if is_lacking:
            lacking.add(keysym)
        part += sign
    if part:
        yield part


def _strokes(gesture: Gesture) -> list[int]:
    """The buttons that are pressed and let go, one after the other; a wheel's steps are buttons, too."""
    if gesture.kind == "click":
        return [_BUTTONS[gesture.button]] * gesture.count
    up, down, left, right = 4, 5, 6, 7
    return [down if gesture.down > 0 else up] * abs(gesture.down) + [right if gesture.right > 0 else left] * abs(
        gesture.right
    )


class Pointer(ClickPace):
    """Clicks, and puts the pointer back where a person had it."""

    def __init__(self, x11: X11) -> None:
        super().__init__()
        self._x11 = x11

    async def perform(self, gesture: Gesture, x: int, y: int, *, reaches: Callable[[], bool]) -> None:
        """Conflict where it would not reach what is meant: `reaches` is asked while the screen can't change."""
        display = self._x11.display()
        if not display.has_extension("XTEST"):
            raise PermissionMissing("The X server lets no program move the pointer: it has no XTEST extension.")
        before = self._x11.root().query_pointer()
        try:
            xtest.fake_input(display, X.MotionNotify, x=x, y=y)
            display.sync()
            # The window below must get the motion before the button.
            await asyncio.sleep(_POINTER_SECONDS)
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
            await asyncio.sleep(_POINTER_SECONDS)
        finally:
            if gesture.kind != "hover":  # which is for the pointer to stay
                xtest.fake_input(display, X.MotionNotify, x=before.root_x, y=before.root_y)
            display.sync()

    async def _drag(self, button: str, start: Place, end: Place) -> None:
        """In small steps: programs begin to drag only when the pointer has moved some pixels."""
        display = self._x11.display()
        try:
            for step in range(1, _DRAG_STEPS + 1):
                x, y = (a + (b - a) * step // _DRAG_STEPS for a, b in zip(start, end, strict=True))
                xtest.fake_input(display, X.MotionNotify, x=x, y=y)
                display.sync()
                await asyncio.sleep(_DRAG_STEP_SECONDS)
            await asyncio.sleep(_POINTER_SECONDS)
        finally:
            xtest.fake_input(display, X.ButtonRelease, _BUTTONS[button])
            display.sync()
