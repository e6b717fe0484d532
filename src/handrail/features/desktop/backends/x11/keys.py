"""The X server's keyboard layout: which key types which keysym."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from handrail.features.desktop.backends.x11.connection import X11
from handrail.ports.errors import Unsupported

_MEDIA_KEYS = range(0x1008FE01, 0x10090000)
_LOCKING_MODIFIERS = (1, 4)
"""Caps Lock and, on every common layout, Num Lock (Mod2)."""
_LEVELS = 2
"""Plain and with Shift. Core requests can't tell how to reach further levels."""


@dataclass(frozen=True, slots=True)
class Stroke:
    keycode: int
    is_shifted: bool = False


class Layout:
    """The current layout. Keysyms that it lacks temporarily get spare keys."""

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
        """Returns the keys of modifiers that don't lock."""
        rows: list[list[int]] = self._x11.display().get_modifier_mapping()
        return [
            keycode
            for modifier, row in enumerate(rows)
            if modifier not in _LOCKING_MODIFIERS
            for keycode in row
            if keycode
        ]

    @property
    def spare_key_count(self) -> int:
        return len(self._spare_keycodes())

    @contextmanager
    def with_spare_keys(self, keysyms: Iterable[int]) -> Iterator[None]:
        """Assigns spare keys to missing keysyms (at most `spare_key_count`) inside the context."""
        missing_keysyms = [keysym for keysym in dict.fromkeys(keysyms) if keysym not in self._strokes]
        if not missing_keysyms:
            yield
            return
        keycodes = self._spare_keycodes()[: len(missing_keysyms)]
        if len(keycodes) < len(missing_keysyms):
            raise Unsupported("The keyboard layout has too few spare keys for these characters.")
        rows_before = [self._rows[keycode - self._first] for keycode in keycodes]
        width = len(self._rows[0])
        # the same on every level, so that neither Shift nor another group changes it
        self._change(keycodes, [[keysym] * width for keysym in missing_keysyms])
        spare_strokes = {keysym: Stroke(keycode) for keysym, keycode in zip(missing_keysyms, keycodes, strict=True)}
        self._strokes.update(spare_strokes)
        try:
            yield
        finally:
            for keysym in spare_strokes:
                del self._strokes[keysym]
            self._change(keycodes, rows_before)

    def _change(self, keycodes: Sequence[int], rows: list[list[int]]) -> None:
        display = self._x11.display()
        display.change_keyboard_mapping(keycodes[0], rows)
        display.sync()

    def _spare_keycodes(self) -> list[int]:
        """Returns the longest run of unused or media keys: one request changes a run, and causes one reread."""
        best: list[int] = []
        run: list[int] = []
        for keycode, row in enumerate(self._rows, self._first):
            run = [*run, keycode] if all(sym == 0 or sym in _MEDIA_KEYS for sym in row) else []
            best = max(best, run, key=len)
        return best
