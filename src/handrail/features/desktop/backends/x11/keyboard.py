"""Presses keys through the XTEST extension. Everything pressed is let go again, also by a call that is cancelled.

Refuses to know which window has the keys: who sends some gives a check that is made before each of them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from Xlib import XK, X
from Xlib.ext import xtest

from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.keys import MODIFIERS, character, key, modifier
from handrail.features.desktop.backends.x11.layout import Layout
from handrail.features.desktop.platform import Combination
from handrail.ports.errors import PermissionMissing

Check = Callable[[], Awaitable[None]]
"""Refuses just before a key."""
_SHIFT = MODIFIERS["shift"]
_SETTLING_SECONDS = 0.25
"""How long lent keys stay: a program asks for the layout when it comes to the key, not when the key was pressed."""


class Keyboard:
    def __init__(self, x11: X11) -> None:
        self._x11 = x11

    async def send(self, combinations: Sequence[Combination], *, before_each: Check, delay_ms: int = 0) -> None:
        """All names are known before the first key goes out."""
        wanted = [_keysyms(combination) for combination in combinations]
        layout = self._layout()
        every = [keysym for keysyms in wanted for keysym in keysyms]
        is_lent = any(layout.stroke(keysym) is None for keysym in every)
        with layout.lending(every), self._without_caps_lock(layout):
            strokes = [_keycodes(layout, keysyms) for keysyms in wanted]
            self._let_go_of_modifiers(layout)
            for index, keycodes in enumerate(strokes):
                if index:
                    await asyncio.sleep(delay_ms / 1000)
                await before_each()
                self._strike(keycodes)
            if is_lent:
                await asyncio.sleep(_SETTLING_SECONDS)

    async def write(self, text: str, *, before_each: Check, arrived: Callable[[], Awaitable[object]]) -> None:
        """Types a text. `arrived` is awaited at the end, before the layout is as it was."""
        layout = self._layout()
        self._let_go_of_modifiers(layout)
        parts = list(_parts(text, layout))
        for index, part in enumerate(parts):
            keysyms = [character(sign) for sign in part]
            with layout.lending(keysyms), self._without_caps_lock(layout):
                for keysym in keysyms:
                    await before_each()
                    self._strike(_keycodes(layout, [keysym]))
                    await asyncio.sleep(0)
                await (arrived() if index == len(parts) - 1 else asyncio.sleep(_SETTLING_SECONDS))

    def _layout(self) -> Layout:
        if not self._x11.display().has_extension("XTEST"):
            raise PermissionMissing("The X server lets no program press keys: it has no XTEST extension.")
        return Layout(self._x11)

    def _strike(self, keycodes: Sequence[int]) -> None:
        """Without a pause between, so that nothing stays pressed whatever happens."""
        display = self._x11.display()
        for keycode in keycodes:
            xtest.fake_input(display, X.KeyPress, keycode)
        for keycode in reversed(keycodes):
            xtest.fake_input(display, X.KeyRelease, keycode)
        display.sync()

    @contextmanager
    def _without_caps_lock(self, layout: Layout) -> Iterator[None]:
        """A person's Caps Lock would turn small letters into capitals; it is on again afterwards."""
        caps_lock = layout.stroke(XK.XK_Caps_Lock)
        if caps_lock is None or not self._x11.root().query_pointer().mask & X.LockMask:
            yield
            return
        self._strike([caps_lock.keycode])
        try:
            yield
        finally:
            self._strike([caps_lock.keycode])

    def _let_go_of_modifiers(self, layout: Layout) -> None:
        """A person's finger on Shift would turn our keys into other ones."""
        display = self._x11.display()
        pressed = display.query_keymap()
        for keycode in layout.modifier_keycodes():
            if pressed[keycode // 8] >> keycode % 8 & 1:
                xtest.fake_input(display, X.KeyRelease, keycode)
        display.flush()


def _keysyms(combination: Combination) -> list[int]:
    wanted = [modifier(name) for name in combination.modifiers]
    if combination.key is not None:
        name = combination.key
        # With modifiers `A` is the key, not the capital: Control+A is not Control+Shift+A.
        wanted.append(key(name.lower() if combination.modifiers and len(name) == 1 else name))
    return list(dict.fromkeys(wanted))


def _keycodes(layout: Layout, keysyms: Sequence[int]) -> list[int]:
    strokes = [stroke for keysym in keysyms if (stroke := layout.stroke(keysym)) is not None]
    keycodes = [stroke.keycode for stroke in strokes]
    if any(stroke.is_shifted for stroke in strokes) and (shift := layout.stroke(_SHIFT)) is not None:
        keycodes.insert(0, shift.keycode)
    return list(dict.fromkeys(keycodes))


def _parts(text: str, layout: Layout) -> Iterable[str]:
    """Pieces for which there are enough keys to lend."""
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
