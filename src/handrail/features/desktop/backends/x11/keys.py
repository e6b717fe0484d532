"""Where the X server's current keyboard layout has its keysyms."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from handrail.features.desktop.backends.x11.connection import X11
from handrail.ports.errors import Unsupported

_MEDIA_KEYS = range(0x1008FE01, 0x10090000)
_LOCKING = (1, 4)
"""Caps Lock and, on every common layout, Num Lock (Mod2)."""
_LEVELS = 2
"""Plain and with Shift: further levels depend on more than a core request can tell."""


@dataclass(frozen=True, slots=True)
class Stroke:
    keycode: int
    is_shifted: bool = False


class Layout:
    """The current layout. Keysyms that it lacks get spare keys for a moment."""

    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        info = x11.display().display.info
        self._first = int(info.min_keycode)
        self._rows: list[list[int]] = [
            list(row) for row in x11.display().get_keyboard_mapping(self._first, info.max_keycode - self._first + 1)
        ]
        self._strokes: dict[int, Stroke] = {}
        for level in range(_LEVELS):
            for keycode, row in enumerate(self._rows, self._first):
                if level < len(row) and row[level]:
                    self._strokes.setdefault(row[level], Stroke(keycode, is_shifted=level == 1))

    def stroke(self, keysym: int) -> Stroke | None:
        return self._strokes.get(keysym)

    def modifier_keycodes(self) -> list[int]:
        """Of modifiers that are held down, not those that lock."""
        rows: list[list[int]] = self._x11.display().get_modifier_mapping()
        return [keycode for modifier, row in enumerate(rows) if modifier not in _LOCKING for keycode in row if keycode]

    @property
    def most_lent(self) -> int:
        return len(self._lendable())

    @contextmanager
    def lending(self, keysyms: Iterable[int]) -> Iterator[None]:
        """Gives each keysym that the layout lacks a key (at most `most_lent`) inside the context."""
        lacking = [keysym for keysym in dict.fromkeys(keysyms) if keysym not in self._strokes]
        if not lacking:
            yield
            return
        keycodes = self._lendable()[: len(lacking)]
        if len(keycodes) < len(lacking):
            raise Unsupported("The keyboard has not enough spare keys for so many that its layout lacks.")
        before = [self._rows[keycode - self._first] for keycode in keycodes]
        width = len(self._rows[0])
        # The same on every level, so that neither Shift nor another group turns it into something else.
        self._change(keycodes, [[keysym] * width for keysym in lacking])
        lent = {keysym: Stroke(keycode) for keysym, keycode in zip(lacking, keycodes, strict=True)}
        self._strokes.update(lent)
        try:
            yield
        finally:
            for keysym in lent:
                del self._strokes[keysym]
            self._change(keycodes, before)

    def _change(self, keycodes: Sequence[int], rows: list[list[int]]) -> None:
        display = self._x11.display()
        display.change_keyboard_mapping(keycodes[0], rows)
        display.sync()

    def _lendable(self) -> list[int]:
        """The longest row of unused or media keys: one request changes it, and programs reread the layout only once."""
        best: list[int] = []
        run: list[int] = []
        for keycode, row in enumerate(self._rows, self._first):
            run = [*run, keycode] if all(sym == 0 or sym in _MEDIA_KEYS for sym in row) else []
            best = max(best, run, key=len)
        return best
